"""Dates in queries and on first pages, `May 4, 2031` and `4th May 2031`, as far as they tell works apart."""

from __future__ import annotations

import re

from hierdoc.text.stemming import fold
from hierdoc.text.words import words


def dates(text: str) -> set[tuple[str, ...]]:
    """The dates of a text, in a form in which they can be compared."""
    written = (fold(one[0].casefold()) for one in DATE.finditer(text))
    return {tuple(sorted(_DATE_PART.findall(one))) for one in written}


def is_dated(work: str) -> bool:
    """Whether a date is all or a part of a work's name: `convention du 12 mars 2037`."""
    return DATE.search(work.replace("_", " ")) is not None


_MONTHS = words(
    "january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec",
    "januar jänner februar märz mai juni juli oktober dezember janvier février mars avril juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre janeiro fevereiro março maio junho julho setembro outubro dezembro",
    "gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre januari februari maart mei augustus marts maj augusti",
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
)
_DATE_PART = re.compile(r"[0-9]+|(?<![^\W_])(?!de\s)[^\W\d_]{2,4}")
"""Of a day the number, of a month the first letters."""

_MONTH = rf"(?:\sde)?\s(?i:{'|'.join(sorted(_MONTHS, reverse=True))})(?![^\W\d_])"
DATE = re.compile(
    rf"(?<![0-9])[0-9]{{1,2}}(?:st|nd|rd|th|er|\.|º)?{_MONTH}(?:\sde)?\s(?:1[5-9]|20)[0-9]{{2}}(?![0-9])|{_MONTH}\s[0-9]{{1,2}},\s(?:1[5-9]|20)[0-9]{{2}}(?![0-9])"
)
"""A date, which stands in a text and not in its name."""
