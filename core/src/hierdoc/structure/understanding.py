"""The whole way of a document: its sections, definitions and language."""

from __future__ import annotations

from dataclasses import replace

from hierdoc.models import Document, DomainName
from hierdoc.structure.definitions import find_definitions
from hierdoc.structure.sections import document_tree
from hierdoc.text.language import detect_language


def understand(
    document: Document,
    domain: DomainName = "auto",
    max_subsection_depth: int | None = None,
    *,
    definitions: bool = True,
) -> Document:
    """The document with its sections and definitions, and its language if the converter did not know it.

    Args:
        document: As a converter made it.
        domain: How it is divided besides headings; see `section_tree`. A document with an outline is divided as that says.
        max_subsection_depth: How many levels of enumerated subsections to keep; None for all.
        definitions: Whether to look for defined terms.

    Raises:
        ConversionError: The document's outline does not fit its text.
    """
    sections = document_tree(document, domain, max_subsection_depth)
    return replace(
        document,
        sections=sections,
        definitions=find_definitions(document.text, document.source, sections)
        if definitions
        else (),
        language=document.language or detect_language(document.text),
    )
