"""Documents as Word files: headings by Word's own styles, or by bold words of other sizes alone, as many people write them."""

from __future__ import annotations

import html
import io
import shutil
import subprocess
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from printed_truth import Block

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
MEDIA = "application/vnd.openxmlformats"


def as_docx(blocks: Sequence[Block], *, styled: bool) -> bytes:
    """Blocks as a Word file.

    Args:
        blocks: What it holds.
        styled: Whether headings have the styles of headings; without, a label is bold and its text follows on its line.
    """
    body = "".join(one for block in blocks for one in _paragraphs(block, styled))
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/>'
        f'<w:pPr><w:outlineLvl w:val="{level - 1}"/></w:pPr><w:rPr><w:b/></w:rPr></w:style>'
        for level in range(1, 7)
    )
    spaced = '<w:docDefaults><w:pPrDefault><w:pPr><w:spacing w:after="160"/></w:pPr></w:pPrDefault></w:docDefaults>'
    part = f'<Override PartName="/word/{{}}.xml" ContentType="{MEDIA}-officedocument.wordprocessingml.{{}}+xml"/>'
    files = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="{MEDIA}-package.relationships+xml"/>'
        f"{part.format('document', 'document.main')}{part.format('styles', 'styles')}</Types>",
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="d" Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="s" Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
        "word/styles.xml": f'<w:styles xmlns:w="{WORD}">{spaced}{styles}</w:styles>',
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def print_to_pdf(files: Sequence[Path]) -> bool:
    """Have LibreOffice print Word files as PDF, beside them; False where it is not installed."""
    program = shutil.which("soffice")
    if program is None or not files:
        return False
    folder = files[0].parent
    subprocess.run(
        [program, f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", "pdf", "--outdir", str(folder), *map(str, files)],
        check=True, capture_output=True, timeout=900,
    )  # fmt: skip
    return True


def _paragraphs(block: Block, styled: bool) -> Iterator[str]:
    if block.style in ("text", "item"):
        yield _paragraph([(block.text, "")])
        return
    text, _, below = block.text.partition("\n")
    level = 1 if block.style == "title" else min(6, 2 + block.depth)
    if styled:
        yield _paragraph([(text, "")], f'<w:pStyle w:val="Heading{level}"/>')
    elif block.run_in:
        yield _paragraph([(f"{text} ", "<w:b/>"), (block.run_in, "")])
    else:
        place = '<w:jc w:val="center"/>' if block.style in ("title", "division") else ""
        yield _paragraph([(text, f'<w:b/><w:sz w:val="{max(22, 34 - 3 * level)}"/>')], place)
    behind = (below, block.run_in if styled else "")
    yield from (_paragraph([(one, "")]) for one in behind if one)


def _paragraph(runs: Sequence[tuple[str, str]], properties: str = "") -> str:
    held = ""
    for text, look in runs:
        words = "<w:br/>".join(
            f'<w:t xml:space="preserve">{html.escape(line)}</w:t>' for line in text.split("\n")
        )
        held += f"<w:r><w:rPr>{look}</w:rPr>{words}</w:r>"
    return f"<w:p><w:pPr>{properties}</w:pPr>{held}</w:p>"
