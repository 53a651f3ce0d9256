"""Questions whose answer is a row of a table, in made reports and handbooks: the right row is known from how they were made.

Reports speak of their statements and figures in every second sentence, print small tables in notes, and name statements and rows in
several ways; the questions name them in another. Handbooks have schedules of fees that are longer than a chunk.

first %, five %     questions for which the wanted row is in the first hit, in one of the first five
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from common import Report

from hierdoc import AsyncIndex


@dataclass(frozen=True)
class Question:
    """What is asked, of what sort it is, and the rows of which a right hit has one."""

    text: str
    sort: str
    rows: Sequence[str]


COMPANIES = (
    "Brackwater Mills", "Calderon Optics", "Dunmore Freight", "Eastvale Dairies", "Fennimore Tools", "Garrowby Glass", "Hollin Pumps",
    "Inverleith Shipping", "Jessop Ceramics", "Kestrel Paper", "Lanyon Brewing", "Marchmont Rail",
)  # fmt: skip
TITLES = {
    "balance": ("Consolidated Balance Sheets", "Statements of Financial Position", "Consolidated Statement of Financial Condition", "As of year end"),
    "cash": ("Consolidated Statements of Cash Flows", "Cash Flow Statement", "Cash movements"),
    "income": ("Consolidated Statements of Income", "Statements of Operations", "Statements of Earnings", "Results for the year"),
}  # fmt: skip
ROWS = {
    "balance": (
        "Cash and cash equivalents", "Accounts receivable, net", "Inventories", "Prepaid expenses", "Total current assets",
        "Property, plant and equipment, net", "Goodwill", "Total assets", "Accounts payable", "Accrued liabilities", "Deferred revenue",
        "Total current liabilities", "Long-term debt", "Total liabilities", "Common stock", "Retained earnings", "Total shareholders’ equity",
    ),
    "cash": (
        "Net income", "Depreciation and amortization", "Stock-based compensation", "Change in inventories", "Change in accounts payable",
        "Net cash provided by operating activities", "Purchases of property, plant and equipment", "Proceeds from sales of businesses",
        "Net cash used in investing activities", "Dividends paid", "Repurchases of common stock", "Proceeds from issuance of debt",
        "Net cash used in financing activities", "Net increase in cash", "Cash and cash equivalents at end of year",
    ),
    "income": (
        "Net sales", "Cost of sales", "Gross profit", "Selling, general and administrative expenses", "Research and development expenses",
        "Restructuring charges", "Operating income", "Interest expense", "Income before income taxes", "Provision for income taxes",
        "Net income", "Basic earnings per share", "Diluted earnings per share",
    ),
}  # fmt: skip
NAMED = {
    "balance": ("balance sheet", "statement of financial position"),
    "cash": ("cash flow statement", "statement of cash flows"),
    "income": ("income statement", "P&L statement", "profit and loss account"),
}
FIGURES = {
    "What was the capex of {c} in {y}?": ("cash", "Purchases of property, plant and equipment"),
    "How much did {c} invest in fixed assets in {y}? Answer in USD millions.": ("cash", "Purchases of property, plant and equipment"),
    "What is the quick ratio of {c} for {y}?": ("balance", "Total current liabilities"),
    "Was the working capital of {c} positive in {y}?": ("balance", "Total current liabilities"),
    "Compute the free cash flow of {c} for {y}.": ("cash", "Net cash provided by operating activities"),
    "What gross margin did {c} reach in {y}?": ("income", "Cost of sales"),
    "What is the debt-to-equity ratio of {c} at the end of {y}?": ("balance", "Long-term debt"),
    "What were SG&A and R&D of {c} in {y}?": ("income", "Research and development expenses"),
    "What is the interest coverage of {c} in {y}?": ("income", "Interest expense"),
    "How much did {c} pay its owners in {y}, by the payout ratio?": ("cash", "Dividends paid"),
}  # fmt: skip
TALK = (
    "Management reviews the balance sheet of {c} each quarter, and {a} with it.",
    "Our statement of cash flows reflects {a}, which depends on the season.",
    "Changes in {a} affect our income statement, our liquidity and our cash flow statement.",
    "We believe that {a} of {c} will suffice for the coming twelve months.",
    "Critical accounting estimates concern {a} and the profit and loss of our segments.",
    "The auditors examined how {c} records {a} in its financial statements.",
    "A decline in {a} could harm our financial position and the price of our shares.",
    "Capital expenditures and working capital of {c} follow the plan that the board approved; {a} does too.",
)
THINGS = (
    "mooring", "towage", "pilotage", "berth cleaning", "crane hire", "slipway use", "dry storage", "fresh water", "shore power", "waste disposal",
    "night watch", "ice breaking", "diving survey", "rope handling", "forklift hire", "trailer parking", "cold storage", "fuel delivery",
)  # fmt: skip
CRAFT = ("a dinghy", "a ketch", "a trawler", "a barge", "a ferry", "a tanker", "a tug", "a coaster")
HARBOURS = ("Aldmouth", "Berrow Haven", "Crailquay", "Dornport")


def main() -> None:
    """Print and save."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="few questions: measures nothing")
    options = parser.parse_args()
    report = Report("tables", "Questions whose answer is a row of a table, in made documents.", [])
    rows = asyncio.run(measured(random.Random(options.seed), 60 if options.quick else None))
    report.table("made tables", rows)
    for row in rows:
        report.target(
            f"{row['questions about']}: within five, per cent", float(row["five %"]), ">=", 95
        )
    report.save()


async def measured(chance: random.Random, most: int | None) -> list[dict[str, object]]:
    """A row for each sort of question."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "docs")
        questions = written(source, chance)
        stores = {
            kind: {"provider": name, "path": f"{folder}/index"}
            for kind, name in (("vector", "sqlite"), ("keyword", "tantivy"))
        }
        right: dict[str, list[int | None]] = {}
        async with AsyncIndex.open({"source": str(source), **stores}) as index:
            await index.ingest()
            for one in questions[:most]:
                result = await index.search(one.text, top_k=5)
                ranks = [
                    hit.rank
                    for hit in result.hits
                    if any(row in hit.chunk.text for row in one.rows)
                ]
                right.setdefault(one.sort, []).append(min(ranks, default=None))
    return [
        {
            "questions about": sort,
            "n": len(ranks),
            "first %": 100 * statistics.mean(rank == 1 for rank in ranks),
            "five %": 100 * statistics.mean(rank is not None for rank in ranks),
        }
        for sort, ranks in sorted(right.items())
    ]  # fmt: skip


def written(folder: Path, chance: random.Random) -> list[Question]:
    """Write all documents; what is asked about them."""
    folder.mkdir()
    questions = [*reports(folder, chance), *handbooks(folder, chance)]
    chance.shuffle(questions)
    return questions


def reports(folder: Path, chance: random.Random) -> Iterator[Question]:
    """Write a report for each company; what is asked about it."""
    for number, company in enumerate(COMPANIES):
        year = 2016 + number % 4
        name = company.replace(" ", "").upper()
        parts = [f"# {company}, Inc. Annual Report {year}\n"]
        for heading in ("Business", "Risk Factors", "Management’s Discussion", "Liquidity"):
            parts += [f"## {heading}\n", *_talk(company, chance, 12)]
        parts.append("## Financial Statements\n")
        statements = {}
        for kind in ("income", "balance", "cash"):
            statements[kind], text = _statement(kind, year, chance, as_text=number % 3 == 2)
            parts += [text, *_talk(company, chance, 2)]
        parts.append("## Notes\n")
        for note, row in enumerate(chance.sample(ROWS["balance"], 6), start=1):
            amounts = "\n".join(
                f"| {row}, segment {place} | {_amount(chance)} |" for place in "ABC"
            )
            parts += [f"### Note {note} {row}\n", f"| (in millions) | {year} |\n|---|---:|\n{amounts}\n", *_talk(company, chance, 3)]  # fmt: skip
        folder.joinpath(f"{name}_{year}_10K{'.txt' if number % 3 == 2 else '.md'}").write_text(
            "\n".join(parts), "utf-8"
        )
        for kind, rows in statements.items():
            for label in chance.sample(list(rows), 5):
                title = chance.choice(NAMED[kind])
                asked = label.split(",")[0].lower()
                yield Question(
                    f"Going by the {title}, what was {asked} of {company} in FY{year}?",
                    "a statement by its name",
                    [rows[label]],
                )
        for text, (kind, label) in FIGURES.items():
            asked = text.format(c=company, y=f"FY{year}")
            yield Question(asked, "a figure that a statement tells", [statements[kind][label]])


def _statement(
    kind: str, year: int, chance: random.Random, *, as_text: bool
) -> tuple[dict[str, str], str]:
    """The rows of a statement by label, and its text."""
    head = (f"As of December 31, {year}", f"{year - 1}") if kind == "balance" else (f"{year}", f"{year - 1}")  # fmt: skip
    cells = [(label, _amount(chance), _amount(chance)) for label in ROWS[kind]]
    title = chance.choice(TITLES[kind])
    if as_text:
        width = max(map(len, ROWS[kind])) + 4
        rows = {label: f"{label:<{width}}{now:>12}{before:>12}" for label, now, before in cells}
        lines = [title, "(in millions)", "", f"{'':<{width}}{head[0]:>12}{head[1]:>12}", *rows.values()]  # fmt: skip
    else:
        rows = {label: f"| {label} | {now} | {before} |" for label, now, before in cells}
        lines = [f"### {title}", "", f"| (in millions) | {head[0]} | {head[1]} |", "|---|---:|---:|", *rows.values()]  # fmt: skip
    return rows, "\n".join(lines) + "\n"


def handbooks(folder: Path, chance: random.Random) -> Iterator[Question]:
    """Write a handbook for each harbour, with a long schedule of fees and a table of depths; what is asked about them."""
    for harbour in HARBOURS:
        pairs = [(thing, craft) for thing in THINGS for craft in CRAFT]
        chance.shuffle(pairs)
        fees = {pair: f"| {pair[0].capitalize()} for {pair[1]} | {_amount(chance)} | {chance.choice(('per day', 'per call'))} |" for pair in pairs}  # fmt: skip
        staff = {(thing, craft): f"| {thing.capitalize()} for {craft} | {chance.randint(2, 9)} | {chance.randint(100, 999)} |" for thing, craft in pairs[:80]}  # fmt: skip
        talk = [f"The harbour master of {harbour} may change fees for {thing} of {craft} at any time.\n" for thing, craft in pairs[:40]]  # fmt: skip
        text = [
            f"# Handbook of {harbour}\n", "## Conduct\n", *talk, "## Schedule of charges\n", "Table 1: Fees (in euros)\n",
            "| Service | Fee | Unit |\n|---|---:|---|", *fees.values(), "\n## Crew\n", "Table 2: Staffing levels (hours each year)\n",
            "| Service | Crew members | Training hours |\n|---|---:|---:|", *staff.values(),
        ]  # fmt: skip
        folder.joinpath(f"{harbour.replace(' ', '-').lower()}.md").write_text(
            "\n".join(text), "utf-8"
        )
        for thing, craft in chance.sample(pairs, 12):
            yield Question(
                f"What is the fee for {thing} for {craft} in {harbour}, by the fee schedule?",
                "a row of a long table",
                [fees[thing, craft]],
            )
        for thing, craft in chance.sample(pairs[:80], 12):
            yield Question(
                f"How many training hours does the crew for {thing} for {craft} need at {harbour}?",
                "a row by a column of a long table",
                [staff[thing, craft]],
            )


def _talk(company: str, chance: random.Random, count: int) -> Iterator[str]:
    every = [row for rows in ROWS.values() for row in rows]
    for _ in range(count):
        said = chance.sample(TALK, 4)
        yield " ".join(one.format(c=company, a=chance.choice(every).lower()) for one in said) + "\n"


def _amount(chance: random.Random) -> str:
    return f"{chance.randint(1_000, 99_999):,}"


if __name__ == "__main__":
    main()
