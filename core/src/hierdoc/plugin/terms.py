"""The words of a record: those that weigh in a search, and those in which phrases are looked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hierdoc.plugin.records import TEXT_FIELDS, Record
from hierdoc.text.analysis import Analyzer


@dataclass(frozen=True, slots=True)
class RecordTerms:
    """What a keyword index holds of a record.

    Attributes:
        variant: By which variant of the analysis; `Analyzer.query_terms` wants those of all records.
        text: The terms of the chunk's text, in order: phrases are looked for in these.
        counts: How often each term counts, over all fields by their weights: the frequency that BM25 saturates.
    """

    variant: str
    text: Sequence[str]
    counts: Counter[str]

    @property
    def length(self) -> int:
        """The length for BM25: how often all terms count."""
        return self.counts.total()

    def repeated(self) -> list[str]:
        """Each term as often as it counts, in no order: for stores that count for themselves."""
        return list(self.counts.elements())


def record_terms(record: Record, analyzer: Analyzer) -> RecordTerms:
    """The terms of a record under an analysis, its fields weighted as `TEXT_FIELDS` says."""
    language = record.chunk.language
    fields = {name: analyzer.terms(text, language) for name, text in record.text_fields().items()}
    counts: Counter[str] = Counter()
    for name, weight in TEXT_FIELDS.items():
        for _ in range(weight):
            counts.update(fields[name])
    return RecordTerms(analyzer.variant(language), fields["text"], counts)
