"""How a question says what the text says otherwise: what is asked of the answer is left out, terms of accounting are spelt out.

    "What is the capex of Acme? Answer in USD millions."    also searched for as capital expenditures, cash flows
    "Is its working capital positive?"                      also as current assets, current liabilities, balance sheet

Reports print the lines from which a figure is worked out and never its name, so neither words nor meaning lead there. A term counts
only where it is written; queries without one are searched as they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wording:
    """A query as it is searched for.

    Attributes:
        text: It.
        spelt_out: Whether words were added that reports use for what was asked.
    """

    text: str
    spelt_out: bool = False


def reworded(query: str) -> Wording:
    """The query without sentences about the form of the answer, and with terms spelt out.

    Args:
        query: As the user wrote it; one without such sentences and terms comes back unchanged.
    """
    sentences = _SENTENCE.split(query.strip())
    kept = [one for one in sentences if not _FORM.match(one) or _spelt_out(one)]
    kept = [one for one in kept if not _ABSENT.match(one)]
    asked = " ".join(kept or sentences)
    if kept == sentences:
        asked = query
    added = _spelt_out(asked)
    return Wording(f"{asked} {added}", True) if added else Wording(asked)


_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")

_FORM = re.compile(
    r"(?i)(?:please\s+)?(?:round|answer|respond|reply|express|format|give|provide|state|report|show|keep)\b"
    r"(?=.*\b(?:answers?|responses?|respond|decimals?|places?|units?|millions?|billions?|thousands?|percents?|format|sentences?|perspective)\b)"
)
"""A sentence about the form of the answer; one that names a statement to look at is kept."""

_ABSENT = re.compile(
    r"(?i)if\b.{3,160}?\b(?:then\s+|please\s+)+(?:state|say|explain|answer|return)\b"
)
"""What to say where there is no answer."""

_BALANCE = "balance sheet"
_CASH = "statement of cash flows"
_INCOME = "statement of income operations earnings"
_PLANT = "property, plant and equipment"

_TERMS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"(?i)(?<!\w)(?:{names})(?!\w)"), also)
    for names, also in (
        (r"cap-?ex|capital[- ](?:expenditures?|spending)", f"capital expenditures purchases of {_PLANT} {_CASH}"),
        (r"capital[- ]intens(?:ive|ity)", f"capital expenditures purchases of {_PLANT} total assets {_BALANCE}"),
        (r"PP\s?&\s?E|fixed[- ]assets?", _PLANT),
        (r"fixed[- ]asset turnover|asset turnover|return on (?:total )?assets|ROA", f"net sales total assets {_BALANCE}"),
        (r"working capital|current ratio|quick ratio|acid[- ]test|liquidity ratio", f"total current assets total current liabilities {_BALANCE}"),
        (r"quick ratio|acid[- ]test", "cash accounts receivable inventories"),
        (r"inventory turnover|days inventory outstanding", f"inventories cost of sales {_BALANCE}"),
        (r"days payables? outstanding|payables? turnover", f"accounts payable cost of sales {_BALANCE}"),
        (r"days sales outstanding|receivables? turnover", f"accounts receivable net sales {_BALANCE}"),
        (r"cash conversion cycle", f"inventories accounts receivable accounts payable cost of sales {_BALANCE}"),
        (r"COGS|cost of goods sold", "cost of sales cost of revenue"),
        (r"SG\s?&\s?A", "selling, general and administrative expenses"),
        (r"R\s?&\s?D", "research and development"),
        (r"D\s?&\s?A", f"depreciation and amortization {_CASH}"),
        (r"EBITDA|EBIT", f"operating income operating profit depreciation and amortization {_INCOME}"),
        (r"FCF|free cash flow|cash from operations|operating cash flow", f"net cash provided by operating activities {_CASH}"),
        (r"gross (?:profit )?margins?|gross profit", "gross profit cost of sales net sales"),
        (r"(?:operating|profit|net(?: income)?) margins?", "operating income net sales"),
        (r"EPS", "earnings per share"),
        (r"ROE|return on equity", f"net income total shareholders equity {_BALANCE}"),
        (r"debt[- ]to[- ]equity|leverage ratio|debt ratio", f"total debt long-term debt total equity {_BALANCE}"),
        (r"interest coverage", f"operating income interest expense {_INCOME}"),
        (r"(?:dividend )?payout ratio|retention ratio", f"dividends paid net income {_CASH}"),
        (r"statements? of financial (?:position|condition)", _BALANCE),
        (r"income statements?|P\s?&\s?L(?: statements?)?|profit and loss(?: statements?)?|statements? of (?:income|earnings|operations)", _INCOME),
        (r"cash flow statements?|statements? of cash flows?", f"{_CASH} operating investing activities"),
    )
)  # fmt: skip
"""Terms of accounting, and the lines and statements of a report by which they are found."""


def _spelt_out(text: str) -> str:
    """What the terms of a text stand for, each word once."""
    words = " ".join(also for names, also in _TERMS if names.search(text)).split()
    return " ".join(dict.fromkeys(words))
