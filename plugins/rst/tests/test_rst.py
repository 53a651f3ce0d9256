"""reStructuredText to markdown: what each construct becomes, and that nothing of Sphinx is lost."""

from __future__ import annotations

import asyncio
import io
import time
from contextlib import suppress
from pathlib import Path

import pytest
from docutils import core, nodes, readers
from docutils.parsers.rst import Parser, roles

from hierdoc import ConversionError, Document, Section, Source
from hierdoc.defaults.converters import AutoConverter
from hierdoc.structure import document_keys, flatten, understand
from hierdoc_rst.converter import RstConverter
from hierdoc_rst.parsing import LONGEST_LINE
from hierdoc_testing.converter import check_outline


def convert(text: str, name: str = "docs/a.rst") -> Document:
    document = asyncio.run(RstConverter().convert(Source(name, text.encode())))
    check_outline(document)
    return document


def markdown(text: str) -> str:
    return convert(text).text


def sections(document: Document) -> list[Section]:
    return [entry.section for entry in flatten(understand(document).sections)]


class TestSections:
    def test_levels_are_those_of_the_underlines(self) -> None:
        document = convert("=\nA\n=\n\nB\n=\n\nx\n\nC\n-\n\ny\n\nD\n=\n\nz\n")
        assert [(one.title, one.level) for one in sections(document)] == [
            ("A", 1), ("B", 2), ("C", 3), ("D", 2),
        ]  # fmt: skip
        assert document.text == "# A\n\n## B\n\nx\n\n### C\n\ny\n\n## D\n\nz\n"
        assert document.title == "A"

    def test_numbers_are_keys(self) -> None:
        document = convert("1. Scope\n========\n\nx\n\n1.2 Terms\n---------\n\ny\n")
        assert [one.id for one in sections(document)] == ["sec_1", "sec_1_2"]

    def test_numbers_that_the_document_asks_for_are_there(self) -> None:
        document = convert(".. sectnum::\n\nScope\n=====\n\nx\n\nTerms\n-----\n\ny\n")
        assert [one.id for one in sections(document)] == ["sec_1", "sec_1_1"]

    def test_nothing_else_is_a_section(self) -> None:
        document = convert("A\n=\n\n1. First point.\n\n2. Second point.\n\n::\n\n  # comment\n")
        assert [one.title for one in sections(document)] == ["A"]

    def test_contents_are_left_out(self) -> None:
        assert markdown(".. contents:: Table\n\nA\n=\n\nx\n") == "# A\n\nx\n"


class TestFields:
    PROPOSAL = "PEP: 9484\nTitle: Type Hints\nAuthor: A. Person <a@example.org>,\n        B. Person\n\nAbstract\n========\n\nx\n"

    def test_headers_of_a_proposal_stay_and_are_metadata(self) -> None:
        document = convert(self.PROPOSAL)
        assert document.text.startswith("PEP: 9484\nTitle: Type Hints\nAuthor: A. Person")
        assert document.title == "Type Hints"
        assert document.metadata["author"] == "A. Person <a@example.org>, B. Person"
        assert "pep_9484" in document_keys(document)

    def test_fields_of_a_document_are_too(self) -> None:
        document = convert(":Version: 3\n:Date: 2001-02-03\n\nText.\n")
        assert document.metadata == {"version": "3", "date": "2001-02-03"}
        assert document.text == "Version: 3\nDate: 2001-02-03\n\nText.\n"

    def test_a_sentence_is_no_header(self) -> None:
        assert convert("Note: this is text.\n\nMore.\n").metadata == {}

    def test_other_fields_are_a_list(self) -> None:
        assert markdown("Text.\n\n:param x: The *x*.\n") == "Text.\n\nparam x:\n:   The *x*.\n"


class TestBlocks:
    def test_literal_blocks_are_code(self) -> None:
        assert markdown("So::\n\n  a\n   b\n") == "So:\n\n```\na\n b\n```\n"
        code = ".. code-block:: python\n   :emphasize-lines: 2\n   :caption: It\n\n   a = 1\n"
        assert markdown(code) == "```python\na = 1\n```\n"
        assert markdown(">>> a\n1\n") == "```\n>>> a\n1\n```\n"

    def test_tables_are_tables(self) -> None:
        expected = "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n"
        assert markdown("== ==\nA  B\n== ==\n1  2\n3  4\n== ==\n") == expected
        assert (
            markdown("+--+--+\n|A |B |\n+==+==+\n|1 |2 |\n+--+--+\n|3 |4 |\n+--+--+\n") == expected
        )
        rows = "\n".join(f"   * - {a}\n     - {b}" for a, b in ("AB", "12", "34"))
        listed = f".. list-table:: Title\n   :header-rows: 1\n\n{rows}\n"
        assert markdown(listed) == f"Title\n\n{expected}"

    def test_lists_are_lists(self) -> None:
        assert markdown("- a\n\n  b\n- c\n\n  - d\n") == "- a\n\n  b\n- c\n  - d\n"
        assert markdown("3. a\n4. b\n") == "3. a\n4. b\n"
        assert markdown("term : kind\n  Its *text*.\n") == "term : *kind*\n:   Its *text*.\n"
        assert markdown("-a, --all  Takes all.\n") == "`-a, --all`\n:   Takes all.\n"

    def test_footnotes_keep_their_numbers(self) -> None:
        text = "See [1]_, [#]_ and [Kn84]_.\n\n.. [1] One.\n.. [#] Two.\n.. [Kn84] Book.\n"
        assert (
            markdown(text) == "See [1], [2] and [Kn84].\n\n[1] One.\n\n[2] Two.\n\n[Kn84] Book.\n"
        )

    def test_notes_are_quotes(self) -> None:
        assert markdown(".. note:: Mind\n   the tide.\n") == "> Note\n\n> Mind the tide.\n"

    def test_lines_stay_lines(self) -> None:
        assert markdown("| a\n| b\n") == "a\nb\n"

    def test_links_and_marks(self) -> None:
        text = "*a* **b** ``c`` `d <https://example.org/>`_ e_\n\n.. _e: https://example.org/e\n"
        assert (
            markdown(text) == "*a* **b** `c` [d](https://example.org/) [e](https://example.org/e)\n"
        )

    def test_substitutions_are_replaced(self) -> None:
        assert markdown("In |v|.\n\n.. |v| replace:: version 3\n") == "In version 3.\n"

    def test_comments_are_left_out(self) -> None:
        assert markdown("a\n\n.. no text\n\nb\n") == "a\n\nb\n"


class TestSphinx:
    def test_unknown_roles_are_words(self) -> None:
        text = "See :ref:`the quay <quay>`, :class:`~a.b.Quay`, :py:func:`!moor`, :term:`berth`, :pep:`8`, :odd:`x`."
        assert markdown(text) == (
            "See the quay, `Quay`, `moor`, berth, [PEP 8](https://peps.python.org/pep-0008), `x`.\n"
        )

    def test_unknown_directives_keep_their_text(self) -> None:
        text = (
            ".. versionadded:: 3.5\n   The *berth*.\n\n.. odd:: Title\n   :option: 1\n\n   Held text::\n\n     code\n\n"
            ".. py:function:: moor(ship)\n\n   Moors it.\n\n.. seealso:: Quays.\n"
        )
        assert markdown(text) == (
            "Added in version 3.5 The *berth*.\n\nTitle\n\nHeld text:\n\n```\ncode\n```\n\nmoor(ship)\n\nMoors it.\n\nQuays.\n"
        )

    def test_code_of_others_is_code(self) -> None:
        assert markdown(".. mermaid::\n\n   a --> b\n") == "```\na --> b\n```\n"

    def test_what_shows_nothing_is_left_out(self) -> None:
        assert markdown("a\n\n.. toctree::\n   :maxdepth: 2\n\n   b\n\n.. index:: c\n") == "a\n"

    @pytest.mark.parametrize(
        "broken",
        [
            ".. code-block::\n\n   kept\n",
            ".. image:: a.png\n   :width: much\n   :alt: kept\n",
            ".. list-table::\n\n   kept\n",
            ".. csv-table::\n   :widths: odd\n\n   kept, 1\n",
            ".. raw:: html\n\n   kept\n",
            ".. include:: kept.txt\n",
            "====\nkept\n===\n",
            "*kept\n",
            "|kept|\n",
            "kept_\n",
            "* a\n b kept\n",
            ".. note::\n\n   A\n   =\n\n   kept\n",
            "+--+\n|kept\n+--+\n",
        ],
    )
    def test_what_docutils_refuses_is_kept(self, broken: str) -> None:
        assert "kept" in markdown(f"Before.\n\n{broken}\nAfter.\n")


class TestHostile:
    def test_no_file_is_read(self, tmp_path: Path) -> None:
        secret = tmp_path / "secret.txt"
        secret.write_text("hidden")
        for directive in ("include:: {}", "raw:: html\n   :file: {}", "csv-table::\n   :file: {}"):
            assert "hidden" not in markdown(f".. {directive.format(secret)}\n\nEnd.\n")

    def test_nothing_is_printed(self, capfd: pytest.CaptureFixture[str]) -> None:
        convert("*a\n\n.. odd::\n\n:odd:`b` `c`_\n\nA\n==\n-\n")
        assert capfd.readouterr() == ("", "")

    def test_roles_of_a_document_are_forgotten(self) -> None:
        known = set(roles._roles)
        convert(".. role:: own(strong)\n\n:own:`a`\n")
        assert set(roles._roles) == known

    def test_deep_nesting_is_text_or_an_error_that_says_so(self) -> None:
        for depth in (60, 150, 1000):
            text = "".join(f"{'  ' * n}- x\n\n" for n in range(depth))
            with suppress(ConversionError):
                assert markdown(text).count("x") == depth

    def test_a_line_without_end_is_an_error_that_says_so(self) -> None:
        with pytest.raises(ConversionError, match="has a line of"):
            convert("x" * (LONGEST_LINE + 1))

    @pytest.mark.parametrize("part", ["`a", "*a ", "|a", "a_ ", "[1]_ ", ":a:`b` ", "<a "])
    def test_time_is_bounded(self, part: str) -> None:
        started = time.process_time()
        convert(part * (20_000 // len(part)))
        assert time.process_time() - started < 20


def test_auto_takes_this_converter() -> None:
    for name in ("docs/a.rst", "docs/a.rest"):
        document = asyncio.run(AutoConverter().convert(Source(name, b"A\n=\n\nx\n")))
        assert document == convert("A\n=\n\nx\n", name)
        assert not document.notes


def test_proposals_have_every_section_of_their_authors(shared_data: Path) -> None:
    files = sorted((shared_data / "technical" / "peps").glob("*.rst"))
    if not files:
        pytest.skip("the shared data has no proposals")
    for file in files[::8]:
        text = file.read_text("utf-8")
        reader = readers.get_reader_class("standalone")(Parser(rfc2822=True))
        settings = {
            "report_level": 5, "halt_level": 6, "warning_stream": io.StringIO(), "doctitle_xform": False, "_disable_config": True,
        }  # fmt: skip
        tree = core.publish_doctree(text, reader=reader, settings_overrides=settings)
        stated = [" ".join(one[0].astext().split()) for one in tree.findall(nodes.section)]
        assert [one.title for one in sections(convert(text, file.name))] == stated, file.name
