"""A second process that opens the component under test: what it sees there, and what is left when it is killed."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

import cloudpickle
import pytest

from hierdoc.plugin import ComponentKind
from hierdoc_testing.corpus import SPEC, make_document_records
from hierdoc_testing.patience import unhinted

VERSIONS = 3
"""How many versions of a document follow each other in `replace_again_and_again`, and again from the first."""


class Line:
    """One end of the line between the two processes: values that JSON can write, one after the other.

    Args:
        incoming: Where the other end's values arrive.
        outgoing: Where one's own go.
    """

    def __init__(self, incoming: IO[str], outgoing: IO[str]) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    def say(self, value: Any) -> None:
        """Send a value."""
        print(json.dumps(value), file=self._outgoing, flush=True)

    def hear(self) -> Any:
        """The next value.

        Raises:
            EOFError: The other process has ended.
        """
        line = self._incoming.readline()
        if not line:
            raise EOFError
        return json.loads(line)


class Child(Line):
    """The other end, in a process of its own; made by `child`."""

    def __init__(self, process: subprocess.Popen[str], errors: IO[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        super().__init__(process.stdout, process.stdin)
        self._process = process
        self._errors = errors

    def hear(self) -> Any:
        """The next value; the test fails, with what the process wrote, where it has ended."""
        try:
            return super().hear()
        except EOFError:
            self._process.wait()
            self._errors.seek(0)
            written = self._errors.read().decode("utf-8", "replace").strip()[-2000:]
            raise AssertionError(f"the second process ended: {written}") from None

    def ask(self, value: Any) -> Any:
        """Send a value and wait for the answer."""
        self.say(value)
        return self.hear()

    def kill(self) -> None:
        """End it where it stands, as a machine does that loses its power."""
        self._process.kill()
        self._process.wait()


@contextmanager
def child(
    work: Callable[..., None],
    open_component: Callable[..., Any],
    *arguments: Any,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Child]:
    """A process that does one of the functions below.

    Args:
        work: The function; it gets a `Line`, the author's fixture and the arguments.
        open_component: What the author's fixture gave.
        arguments: What else it needs.
        environment: Variables that differ from those of this process.
    """
    message = base64.b64encode(_packed(work, open_component, arguments)).decode()
    variables = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **(environment or {})}
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", "from hierdoc_testing.child import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, **variables},
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            other = Child(process, errors)
            other.say(message)
            yield other
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
            process.stdin.close()


def _packed(work: Callable[..., None], open_component: Any, arguments: tuple[Any, ...]) -> bytes:
    """The call as bytes, with the author's fixture by value: test modules cannot be imported elsewhere."""
    module = sys.modules.get(getattr(open_component, "__module__", ""))
    foreign = module is not None and not module.__name__.startswith("hierdoc")
    if foreign:
        cloudpickle.register_pickle_by_value(module)
    try:
        return bytes(cloudpickle.dumps((work, open_component, arguments)))
    except Exception as error:
        raise unhinted(
            pytest.fail.Exception(
                f"what the fixture gives cannot be taken to a second process ({error}): let it hold paths and addresses, "
                "not files, clients or servers",
                pytrace=False,
            )
        ) from error
    finally:
        if foreign:
            cloudpickle.unregister_pickle_by_value(module)


def answer(
    line: Line, open_backend: Callable[[str], Any], collection: str, kind: ComponentKind
) -> None:
    """Open a collection and tell, as often as asked, what it holds: `ids`, `documents` or `count`; anything else ends it."""

    async def work() -> None:
        tests = _tests(kind)
        backend = open_backend(collection)
        await backend.prepare(SPEC)
        line.say("open")
        while (asked := line.hear()) in ("ids", "documents", "count"):
            if asked == "ids":
                line.say(await tests.ids(backend))
            elif asked == "documents":
                line.say(sorted(await backend.documents()))
            else:
                line.say(await backend.count())
        await backend.aclose()
        line.say("closed")

    asyncio.run(work())


def replace_again_and_again(
    line: Line,
    open_backend: Callable[[str], Any],
    collection: str,
    kind: ComponentKind,
    records: int,
) -> None:
    """Open a collection, wait for a word, and replace a document until killed, telling the number of each version, 1 to `VERSIONS`.

    The versions are made beforehand, so that a kill at any moment falls into a replacement.
    """

    async def work() -> None:
        tests = _tests(kind)
        backend = open_backend(collection)
        await backend.prepare(SPEC)
        made = [
            tests.as_given(make_document_records("docs/a.md", records, str(version)))
            for version in range(1, VERSIONS + 1)
        ]
        line.say("open")
        line.hear()
        for place in itertools.cycle(range(VERSIONS)):
            line.say(place + 1)
            await backend.replace_documents(made[place])

    asyncio.run(work())


def embed(line: Line, open_embedder: Callable[[], Any], texts: list[str]) -> None:
    """Open an embedder and tell its fingerprint and its vectors: of the texts, and of each as a query."""

    async def work() -> None:
        embedder = open_embedder()
        documents = await embedder.embed_documents(texts)
        queries = [await embedder.embed_query(text) for text in texts]
        made = [[float(number) for number in vector] for vector in [*documents, *queries]]
        line.say([embedder.fingerprint, made])

    asyncio.run(work())


def _tests(kind: ComponentKind) -> Any:
    from hierdoc_testing import KeywordBackendTests, VectorBackendTests

    return VectorBackendTests() if kind is ComponentKind.VECTOR else KeywordBackendTests()


def main() -> None:
    """Do what the first line asks for. Whatever the component prints goes to the errors."""
    outgoing = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    line = Line(sys.stdin, outgoing)
    packed = base64.b64decode(line.hear())
    work, open_component, arguments = cloudpickle.loads(packed)
    work(line, open_component, *arguments)
