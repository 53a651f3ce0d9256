"""What holds a level that is named before it: `of the first subparagraph of Article 6(1)`."""

from __future__ import annotations

from hierdoc.citations.grammar import Number, level_list, number_at
from hierdoc.citations.landmarks import BEFORE_OUTWARD, LABEL_HERE, ORDINAL_LEVEL, OUTWARD
from hierdoc.citations.vocabulary import CASED, SECTION, WORDS, ordinal_value


def levels_around(text: str, end: int) -> tuple[list[str], int, Number | None]:
    """What holds levels that end here: further levels, from the outermost, and the number above them all."""
    above: list[str] = []
    while text[end : end + 1] in BEFORE_OUTWARD:
        outward = OUTWARD.match(text, end)
        if outward is None:
            break
        label = LABEL_HERE.match(text, outward.end())
        word = CASED.get(label[1], SECTION if label[1][0] == "§" else None) if label else None
        if label and word and word.prefix and not (word.level and text[label.end()] == "("):
            holder = number_at(text, label.end(), word.prefix, in_list=word.several)
            if holder:
                return above, holder.end, holder
            break
        if label and word and word.level:
            one = level_list(text, label.end(), word.level)
            if not one:
                break
            above[:0] = [level.value for level in one[0][1].levels]
            end = one[0][1].end
            continue
        counted = ORDINAL_LEVEL.match(text, outward.end())
        value = ordinal_value(counted[1]) if counted else 0
        kind = WORDS.get(counted[2].lower()) if counted and value else None
        if counted is None or kind is None:
            break
        if kind.level == "para" and not counted[2].lower().startswith("sub"):
            above.insert(0, str(value))
        end = counted.end()
    return above, end, None
