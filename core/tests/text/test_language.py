"""Tokens, sentences and languages."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc.text.language import detect_language, estimate_tokens, fits, sentence_ends

TEXTS = st.text(st.characters(), max_size=60) | st.lists(
    st.sampled_from(
        ["the ", " of ", " and", "words ", "§ 4.2", "für", "0x9f3a", "{}();", "法律", "😀", "\n"]
    ),
    max_size=40,
).map("".join)

# Tokens


@given(TEXTS, TEXTS)
def test_a_whole_has_at_most_the_tokens_of_its_parts(one: str, other: str) -> None:
    assert estimate_tokens(one + other) <= estimate_tokens(one) + estimate_tokens(other)


@given(TEXTS)
def test_a_character_has_at_most_two_tokens(text: str) -> None:
    assert estimate_tokens(text) <= 2 * len(text)


@given(TEXTS, st.integers(1, 60))
def test_fitting_is_having_at_most_so_many_tokens(text: str, limit: int) -> None:
    assert fits(text, limit) == (estimate_tokens(text) <= limit)


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_white_space_has_no_tokens(text: str) -> None:
    assert estimate_tokens(text) == 0


@pytest.fixture(scope="module")
def tokenizer(shared_data: Path) -> Any:
    tokenizers = pytest.importorskip("tokenizers", reason="the tokenizers package is not installed")
    file = shared_data / "models" / "all-MiniLM-L6-v2-onnx" / "tokenizer.json"
    if not file.exists():
        pytest.skip(f"no tokenizer at {file}")
    loaded = tokenizers.Tokenizer.from_file(str(file))
    loaded.no_truncation()
    loaded.no_padding()
    return loaded


@pytest.mark.parametrize("folder", ["legal", "legal/de", "technical/eips"])
def test_the_estimate_is_rarely_below_what_a_wordpiece_tokenizer_counts(
    shared_data: Path, tokenizer: Any, folder: str
) -> None:
    below, ratios = 0, []
    for path in sorted((shared_data / folder).glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for start in range(0, len(text), 3000):
            piece = text[start : start + 3000]
            counted = len(tokenizer.encode(piece, add_special_tokens=False).ids)
            below += estimate_tokens(piece) < counted
            ratios.append(estimate_tokens(piece) / counted)
    assert below <= 0.01 * len(ratios)
    assert sorted(ratios)[len(ratios) // 2] < 1.35


# Sentences


def sentences(text: str) -> list[str]:
    ends = [0, *sentence_ends(text), len(text)]
    parts = [text[start:end].strip() for start, end in pairwise(ends)]
    return [part for part in parts if part]


@pytest.mark.parametrize(
    "text",
    [
        "One is here. Two is there.",
        "One is here! Two is there?",
        "(One is here.) Two is there.",
        "“One is here.” Two is there.",
        "See Sec. 5 and Art. 6 of 42 U.S.C. 7401. Two is there.",
        "Nach Art. 5 Abs. 2 Nr. 3 gilt z. B. das. Zwei ist da.",
        "E.g. this, i.e. that, costs 3.5 percent. Two is there.",
        "Mr. J. Smith et al. v. Jones, No. 5, was heard. Two is there.",
        "一是这里。二是那里。",
        "一！二？",
    ],
)
def test_two_sentences(text: str) -> None:
    assert len(sentences(text)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "See section 5 of the Act",
        "1. First item",
        "a\n2. Second item",
        "He went to Washington, D.C. last year.",
        "x... and so on.",
    ],
)
def test_one_sentence(text: str) -> None:
    assert len(sentences(text)) == 1


def test_ends_stand_behind_the_white_space() -> None:
    text = "One.  Two.\nThree."
    assert [text[end:] for end in sentence_ends(text)] == ["Two.\nThree.", "Three."]


@pytest.mark.parametrize(
    "text", [". " * 100_000, "!" * 200_000, "." * 200_000, "。" * 100_000, '."' * 100_000]
)
def test_hostile_text_is_searched_for_sentences(text: str) -> None:
    assert len(sentence_ends(text)) <= 100_000


# Languages


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (
            "Hvad er reglerne for beskyttelse af oplysninger, og hvem kan få adgang til dem efter loven?",
            "da",
        ),
        (
            "Was sind die Regeln für den Schutz von Daten, und wer kann auf sie zugreifen, wenn das so ist?",
            "de",
        ),
        (
            "What are the rules for the protection of data, and who can have access to them under the law?",
            "en",
        ),
        (
            "¿Cuáles son las reglas de protección de los datos y quién puede acceder a ellos según la ley?",
            "es",
        ),
        (
            "Mitkä ovat tietojen suojaa koskevat säännöt ja kuka voi saada niihin pääsyn, jos se on niin?",
            "fi",
        ),
        (
            "Quelles sont les règles de protection des données et qui peut y avoir accès dans la loi ?",
            "fr",
        ),
        (
            "Quali sono le regole per la protezione dei dati e chi può accedere ai dati della legge?",
            "it",
        ),
        (
            "Wat zijn de regels voor de bescherming van gegevens en wie kan er toegang toe krijgen?",
            "nl",
        ),
        (
            "Hva er reglene for beskyttelse av opplysninger, og hvem kan få tilgang til dem etter loven?",
            "no",
        ),
        (
            "Quais são as regras de proteção de dados e quem pode ter acesso a eles no âmbito da lei?",
            "pt",
        ),
        (
            "Care sunt regulile de protecție a datelor și cine poate avea acces la ele în temeiul legii?",
            "ro",
        ),
        (
            "Каковы правила защиты данных и кто может получить к ним доступ, если это не так по закону?",
            "ru",
        ),
        (
            "Vilka är reglerna för skydd av uppgifter, och vem kan få tillgång till dem enligt lagen?",
            "sv",
        ),
    ],
)
def test_a_sentence_shows_its_language(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    "text", ["", "reporting duties", "Section 203", "法律", "x = y + 1\n" * 50, "the the"]
)
def test_what_is_not_clear_has_no_language(text: str) -> None:
    assert detect_language(text) is None


def test_the_languages_of_real_documents(shared_data: Path) -> None:
    for path in sorted((shared_data / "legal" / "de").glob("*.md")):
        assert detect_language(path.read_text(encoding="utf-8")) == "de", path.name
    for path in sorted((shared_data / "technical" / "eips").glob("*.md")):
        assert detect_language(path.read_text(encoding="utf-8")) == "en", path.name
