"""A plugin to start from: plain files with `$`-placeholders, filled in by `hierdoc plugins new`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from string import Template

from hierdoc.plugin.provider import ComponentKind

_PARTS = {
    ComponentKind.CONVERTER: ("converter", "Converter", "ConverterTests", "open_converter"),
    ComponentKind.CHUNKER: ("chunker", "Chunker", "ChunkerTests", "open_chunker"),
    ComponentKind.CONTEXT: (
        "generator",
        "Generator",
        "ContextGeneratorTests",
        "open_context_generator",
    ),
    ComponentKind.EMBEDDER: ("embedder", "Embedder", "EmbedderTests", "open_embedder"),
    ComponentKind.VECTOR: ("backend", "Backend", "VectorBackendTests", "open_backend"),
    ComponentKind.KEYWORD: ("backend", "Backend", "KeywordBackendTests", "open_backend"),
    ComponentKind.FUSER: ("fuser", "Fuser", "FuserTests", "open_fuser"),
    ComponentKind.RERANKER: ("reranker", "Reranker", "RerankerTests", "open_reranker"),
}

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
"""What a provider may be called."""


def render(name: str, kind: ComponentKind) -> Mapping[str, str]:
    """The files of a new plugin: path within the distribution's folder -> text.

    Args:
        name: Of the provider: lower-case words joined by hyphens.
        kind: What it provides.

    Raises:
        ValueError: The name is another one.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name for a provider: lower-case words joined by hyphens")
    module, suffix, tests, fixture = _PARTS[kind]
    identifier = name.replace("-", "_")
    package = f"hierdoc_{identifier}"
    values = {
        "name": name,
        "kind": kind.value,
        "hook": kind.hook,
        "identifier": identifier,
        "package": package,
        "distribution": f"hierdoc-{name}",
        "title": "".join(word.capitalize() for word in name.split("-")),
        "module": module,
        "suffix": suffix,
        "tests": tests,
        "fixture": fixture,
    }
    backend = fixture == "open_backend"
    values["imports"] = "ALL_FILTERS, " if backend else ""
    values["claims"] = "\n    capabilities = ALL_FILTERS\n" if backend else ""
    test = "test_backend" if backend else "test_component"
    sources = {
        "pyproject.toml": "pyproject.toml.txt",
        "README.md": "README.md.txt",
        f"src/{package}/__init__.py": "init.py.txt",
        f"src/{package}/{module}.py": f"kinds/{kind.value}.py.txt",
        "tests/test_conformance.py": f"{test}.py.txt",
    }
    folder = files("hierdoc.cli.templates")
    filled = {
        path: Template(folder.joinpath(source).read_text("utf-8")).substitute(values)
        for path, source in sources.items()
    }
    return {**filled, f"src/{package}/py.typed": ""}
