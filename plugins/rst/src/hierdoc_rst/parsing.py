"""reStructuredText to docutils' tree, whatever a file holds: no other file is read, nothing is printed, no text is lost.

Directives and roles that docutils does not know, as those of Sphinx are, would make it drop what they hold. They are
read here as what they most likely are: a paragraph with what follows indented, code, or a word.
"""

from __future__ import annotations

import io
import re
import threading
from typing import Any

from docutils import frontend, nodes, utils
from docutils.parsers.rst import Directive, Parser, directives, roles, states
from docutils.transforms import parts, references

LONGEST_LINE = 100_000
"""Characters; docutils takes time that grows with their square."""


def parse(text: str) -> nodes.document:
    """The document's tree; headers such as `PEP: 484` at its beginning are a field list.

    docutils keeps roles that a document defines, so documents are read one by one and those roles forgotten.
    """
    settings = _SETTINGS.copy()
    settings.warning_stream = io.StringIO()
    document = utils.new_document("document", settings)
    parser = Parser(rfc2822=_HEADERS.match(text) is not None, inliner=_inliner())
    parser.state_classes = _STATES
    with _LOCK:
        known = dict(roles._roles)
        try:
            parser.parse(text, document)
        finally:
            roles._roles.clear()
            roles._roles.update(known)
    _resolve(document)
    return document


_LOCK = threading.Lock()


def _default_settings() -> Any:
    settings = frontend.get_default_settings(Parser)
    settings.file_insertion_enabled = settings.raw_enabled = settings.smart_quotes = False
    settings.report_level, settings.halt_level = 5, 6  # neither printed nor raised
    settings.line_length_limit = LONGEST_LINE
    settings.syntax_highlight = "none"
    return settings


_SETTINGS = _default_settings()
"""Made once: docutils changes the filters of warnings meanwhile, which other threads must not see."""

_HEADERS = re.compile(r"\s*(?:[A-Z][\w-]*: [^\n]*\n(?:[ \t]+\S[^\n]*\n)*){2,}\s*\n")
"""Two headers at least: one may be a sentence."""


def _resolve(document: nodes.document) -> None:
    """Find where references lead, number footnotes and, where the document asks for it, sections."""
    for transform in (
        references.Substitutions,
        references.PropagateTargets,
        references.AnonymousHyperlinks,
        references.IndirectHyperlinks,
        references.Footnotes,
        references.ExternalTargets,
    ):
        transform(document).apply()
    for pending in list(document.findall(nodes.pending)):
        if pending.transform is parts.SectNum:
            parts.SectNum(document, pending).apply()


class _AnyOptions(dict[str, Any]):
    """The options of a directive; others are read as they are written, and values that it refuses as `_REFUSED`."""

    def __getitem__(self, name: str) -> Any:
        convert = self.get(name, str)

        def read(value: str) -> Any:
            try:
                return convert(value)
            except (ValueError, TypeError):
                return _REFUSED

        return read


_REFUSED = object()


class _Unknown(Directive):  # type: ignore[misc]
    """A directive of somebody else's."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = _AnyOptions({"class": directives.unchanged})

    def run(self) -> list[nodes.Node]:
        """What it holds: its argument as a paragraph, then its content; of code, the lines."""
        name = self.name.rpartition(":")[2].lower()
        argument = " ".join(self.arguments)
        if name in _NOT_SHOWN:
            return []
        if name in _CODE:
            lines = [*self.arguments, *self.content]
            return [nodes.literal_block("", "\n".join(lines))]
        found: list[nodes.Node] = []
        if argument or name in _SAID:
            said = " ".join(filter(None, (_SAID.get(name, ""), argument)))
            inlines, messages = self.state.inline_text(said, self.lineno)
            if name not in _SAID and self.content:
                inlines = [nodes.strong("", "", *inlines)]
            found += [nodes.paragraph("", "", *inlines), *messages]
        if self.content:
            held = nodes.container()
            self.state.nested_parse(self.content, self.content_offset, held)
            found += held.children
        return found


_SAID = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
}
"""What Sphinx writes for a directive."""

_CODE = frozenset(
    (
        *("code-block", "sourcecode", "testcode", "testoutput", "testsetup", "testcleanup"),
        *("doctest", "prompt", "productionlist", "mermaid", "graphviz", "digraph", "graph"),
        *("plantuml", "ipython", "console"),
    )
)
_NOT_SHOWN = frozenset(
    (
        *("highlight", "index", "toctree", "tabularcolumns", "currentmodule", "module"),
        *("sectionauthor", "codeauthor", "default-domain"),
    )
)
"""Directives that show nothing where they stand, or a table of contents."""


class _Tolerant:
    """What all states of docutils' parser do otherwise: see the module."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.nested_sm_kwargs = {"state_classes": _STATES, "initial_state": "Body"}

    def unknown_directive(self: Any, type_name: str) -> Any:
        match = _DIRECTIVE.match(self.state_machine.line)
        if match is None:  # within a substitution
            return super().unknown_directive(type_name)  # type: ignore[misc]
        return self.run_directive(_Unknown, match, type_name, {})

    def parse_extension_options(self: Any, option_spec: Any, datalines: Any) -> Any:
        spec = _AnyOptions(option_spec)
        done, options = super().parse_extension_options(spec, datalines)  # type: ignore[misc]
        if not done:
            return 1, {}
        return 1, {name: value for name, value in options.items() if value is not _REFUSED}


_DIRECTIVE = re.compile(r"\.\. +[\w.:+-]+? ?::(?: +|$)")
_STATES: tuple[Any, ...] = tuple(
    type(state.__name__, (_Tolerant, state), {}) for state in states.state_classes
)


def _inliner() -> states.Inliner:
    """Reads roles that nobody knows as words; docutils looks into the very class, so it is no subclass."""
    inliner = states.Inliner()

    def interpreted(rawsource: str, text: str, role: str, lineno: int) -> Any:
        known, _ = roles.role(role, inliner.language, lineno, inliner.reporter)
        if known:
            return states.Inliner.interpreted(inliner, rawsource, text, role, lineno)
        shown = _TARGET.sub("", utils.unescape(text))
        if role.rpartition(":")[2] in _OF_WORDS:
            return [nodes.inline(rawsource, shown)], []
        shown = shown.removeprefix("!")
        if shown.startswith("~"):
            shown = shown.rpartition(".")[2].removeprefix("~")
        return [nodes.literal(rawsource, shown)], []

    inliner.interpreted = interpreted
    return inliner


_TARGET = re.compile(r"(?<=\S)\s*<[^<>]*>\s*\Z")
_OF_WORDS = frozenset(
    "abbr any doc download dfn guilabel menuselection numref ref term token".split()  # noqa: SIM905
)
