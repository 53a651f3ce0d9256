"""The analyzer: which terms a text has, that queries and phrases meet them, and that no input upsets it."""

from __future__ import annotations

import sys
import threading
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc import Analyzer
from hierdoc.plugin import Language
from hierdoc.text.analysis import _vocabulary
from hierdoc.text.stemming import fold
from hierdoc.text.stop_words import HOMOGRAPHS, STOP_WORDS

ANALYZER = Analyzer()
LANGUAGES = st.sampled_from([None, "zh", *Analyzer.LANGUAGES])
PIECES = """
    the Duties of care, § 4.2 203(a)(1) naïve getUserName a_b 10b-5 法律 責任 ไทย हिन्दी 1,234.56 U.S. Verträge Act’s x́ 😀
""".split()
TEXTS = st.text(st.characters(), max_size=60) | st.lists(
    st.sampled_from([*PIECES, "\n"]), max_size=20
).map(" ".join)


def contains(terms: list[str], part: list[str]) -> bool:
    return any(terms[at : at + len(part)] == part for at in range(len(terms) + 1))


# Words


def test_words_are_folded_and_stemmed() -> None:
    assert ANALYZER.terms("The DUTIES of Administrators") == ["the", "duti", "of", "administr"]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "naïve naive NAÏVE nai\u0308ve naïve\u00ad"),
        ("en", "Administrator administrators Administrator's administrator’s ADMINISTRATORS'"),
        ("en", "office oﬃce ｏｆｆｉｃｅ of\u200bfice"),
        ("en", "U.S. US us u.s."),
        ("de", "Vertrag Verträge Vertrage Vertrages VERTRÄGEN"),
        ("de", "Straße Strasse STRASSE"),
        ("de", "Häuser Hauser Haus"),
        ("fr", "employé employe employée employées"),
        ("fr", "régulier régulière regulieres"),
        ("es", "obligación obligacion obligaciones"),
        ("pt", "obrigação obrigacao obrigações"),
        ("it", "responsabilità responsabilita"),
        ("ro", "obligație obligatie obligaţii obligatiile"),
        ("da", "København kobenhavn"),
        ("sv", "åtgärder atgard åtgärd"),
        ("ru", "ёлка елка"),
        ("nb", "avtaler avtale"),
        ("zh", "Ａ a"),
    ],
)
def test_words_that_meet(language: str, words: str) -> None:
    assert len({tuple(ANALYZER.terms(word, language)) for word in words.split(" ")}) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("край", "краи"), ("house", "horse"), ("1.2", "12"), ("C++", "C#")]
)
def test_words_that_do_not_meet(one: str, other: str) -> None:
    assert Analyzer("none").terms(one) != Analyzer("none").terms(other)


def test_each_language_has_its_stemmer() -> None:
    assert ANALYZER.terms("generalidades", "es") != ANALYZER.terms("generalidades", "zh")
    assert ANALYZER.terms("running", "en-US") == ANALYZER.terms("running") == ["run"]
    assert ANALYZER.terms("running", "zh") == ["running"]


# Identifiers: whole, then in parts


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("getUserName", "getusernam get user name"),
        ("HTTPServer2", "httpserver2 http server 2"),
        ("parseURLs", "parseurl pars url"),
        ("APIs", "api"),
        ("ECADD", "ecadd"),
        ("snake_case", "snake_case snake case"),
        ("__init__", "init"),
        ("kebab-case", "kebab-case kebab case"),
        ("dotted.names", "dotted.names dot name"),
        ("get_userName", "get_username get usernam user name"),
        ("203(a)(1)", "203(a)(1) 203 a 1"),
        ("80b-3(A)", "80b-3(a) 80b-3 80b 80 b 3 a"),
        ("(a)(1)", "(a)(1) a 1"),
        ("call(x)", "call x"),
        ("§4.2", "section 4.2 4 2"),
        ("§ 4.2", "section 4.2 4 2"),
        ("§§ 4.2", "section 4.2 4 2"),
        ("Section 4.2.", "section 4.2 4 2"),
        ("23.2", "23.2 23 2"),
        ("$1,234.56", "1234.56 1234 56"),
        ("1,234", "1234"),
        ("1,2", "1,2 1 2"),
        ("10b-5", "10b-5 10b 10 b 5"),
        ("EIP-1559", "eip-1559 eip 1559"),
        ("0x1F3a", "0x1f3a"),
        ("1.2.3", "1.2.3 1 2 3"),
        ("42 U.S.C. 1983", "42 usc 1983"),
        ("AT&T", "at&t at t"),
        ("C++ and C#.", "c++ c and c# c"),
        ("e3b0c44298fc1c149afbf4c8996fb924", "e3b0c44298fc1c149afbf4c8996fb924"),
        ("don’t", "don t"),
        ("l'article", "l articl"),
        ("and/or word--word", "and or word word"),
        ("**bold** _it_ `code`", "bold it code"),
    ],
)
def test_identifiers(text: str, terms: str) -> None:
    assert ANALYZER.terms(text) == terms.split()


def test_scripts_without_spaces_are_characters_and_pairs() -> None:
    assert ANALYZER.terms("法律, 한국 ไท") == [
        "法",
        "法律",
        "律",
        "한",
        "한국",
        "국",
        "ไ",
        "ไท",
        "ท",
    ]
    assert ANALYZER.query_terms("法律責, 中") == ["法律", "律責", "中"]
    assert ANALYZER.terms("EIP-1559規則") == ["eip-1559", "eip", "1559", "規", "規則", "則"]


def test_marks_that_are_letters_stay_in_their_word() -> None:
    assert ANALYZER.terms("हिन्दी भाषा", "hi") == ["हिन्दी", "भाषा"]


# Queries


def test_queries_drop_stop_words_unless_nothing_is_left() -> None:
    assert ANALYZER.query_terms("What are the duties of an administrator?") == ["duti", "administr"]
    assert ANALYZER.query_terms("to be or not to be") == ["to", "be", "or", "not", "to", "be"]
    assert ANALYZER.query_terms("US law", ["en"]) == ["us", "law"]


def test_documents_keep_stop_words() -> None:
    assert ANALYZER.terms("to be or not") == ["to", "be", "or", "not"]


def test_a_query_has_each_stem_of_each_language_once_per_word() -> None:
    assert ANALYZER.terms("running", "en") != ANALYZER.terms("running", "de")
    running = ANALYZER.terms("running", "en") + ANALYZER.terms("running", "de")
    assert ANALYZER.terms("law", "en") == ANALYZER.terms("law", "de") == ["law"]
    query = ANALYZER.query_terms("running law running", ["en", "de", None, "en-GB"])
    assert query == [*running, "law", *running]


def test_homographs_stay_where_there_are_several_languages() -> None:
    assert ANALYZER.query_terms("die war", ["de"]) == ["die", "war"]
    assert ANALYZER.query_terms("die war crime", ["de"]) == ["crim"]
    assert "war" in ANALYZER.query_terms("die war crime", ["de", "en"])
    assert "der" not in ANALYZER.query_terms("der war crime", ["de", "en"])


def test_variants_of_documents_are_as_good_as_their_languages() -> None:
    languages = ["de-AT", "zh", None, "nb"]
    variants = [ANALYZER.variant(language) for language in languages]
    assert variants == ["de", "none", "en", "no"]
    assert ANALYZER.query_terms("Verträge", languages) == ANALYZER.query_terms("Verträge", variants)


@given(TEXTS, LANGUAGES)
def test_a_text_as_query_meets_itself(text: str, language: str | None) -> None:
    terms = ANALYZER.terms(text, language)
    assert set(ANALYZER.query_terms(text, [language])) <= set(terms)
    assert bool(ANALYZER.query_terms(text, [language])) == bool(terms)
    assert set(ANALYZER.query_terms(text, [language, "de", "fr"])) & set(terms) or not terms


# Phrases


@given(st.lists(TEXTS, max_size=6), st.integers(0, 6), st.integers(0, 6), LANGUAGES)
def test_words_between_spaces_are_a_phrase(
    parts: list[str], start: int, end: int, language: str | None
) -> None:
    phrase = ANALYZER.phrase_terms(" ".join(parts[start:end]), language)
    assert contains(ANALYZER.terms(" ".join(parts), language), phrase)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Call getUserName first.", "user name first"),
        ("承担法律责任。", "法律责"),
        ("See § 4.2 of the Act.", "Section 4.2 of the act"),
        ("state-of-the-art methods", "state of the art methods"),
    ],
)
def test_phrases_within_and_around_identifiers(text: str, phrase: str) -> None:
    assert contains(ANALYZER.terms(text), ANALYZER.phrase_terms(phrase))


# Laws and hostile input


@given(TEXTS, LANGUAGES)
def test_terms_are_short_valid_and_without_white_space(text: str, language: str | None) -> None:
    for term in ANALYZER.terms(text, language):
        assert 0 < len(term) <= 100
        assert not any(character.isspace() for character in term)
        term.encode()


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), LANGUAGES)
def test_composed_and_decomposed_text_is_the_same(text: str, language: str | None) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert ANALYZER.terms(composed, language) == ANALYZER.terms(decomposed, language)


@given(TEXTS)
def test_ascii_is_analysed_alike_beside_other_scripts(text: str) -> None:
    plain = text.encode("ascii", "ignore").decode()
    assert ANALYZER.terms(f"{plain} 法") == [*ANALYZER.terms(plain), "法"]
    assert ANALYZER.terms(f"{plain} é") == [*ANALYZER.terms(plain), "e"]


@given(st.text())
def test_folding_twice_changes_nothing(word: str) -> None:
    assert fold(fold(word)) == fold(word)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 200_000,
        "é" * 200_000,
        "a-" * 100_000,
        "a" + "_" * 200_000,
        "a" + "\u0315" * 200_000,
        "(a" * 100_000,
        "1(a)" * 50_000,
        "1," * 100_000,
        "aB" * 100_000,
        "a'" * 100_000,
        "हि" * 100_000,
        "§" * 200_000,
        "\x00" * 200_000,
        "\ud800" * 200_000,
    ],
    ids=lambda text: ascii(text[:6]),
)
def test_hostile_text_takes_time_in_proportion(text: str) -> None:
    """Anything quadratic would take half an hour here."""
    assert max(map(len, ANALYZER.terms(text)), default=0) <= 100
    ANALYZER.query_terms(text, ["en", "de", "zh"])


@given(st.lists(TEXTS, max_size=5), st.integers(1, 9), LANGUAGES)
def test_long_texts_are_read_in_stretches_without_a_trace(
    parts: list[str], stretch: int, language: str | None
) -> None:
    text = " ".join(parts)
    expected = ANALYZER.terms(text, language), ANALYZER.query_terms(text, [language])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hierdoc.text.analysis._STRETCH", stretch)
        found = ANALYZER.terms(text, language), ANALYZER.query_terms(text, [language])
    assert found == expected


def test_of_a_long_word_the_beginning_counts() -> None:
    assert ANALYZER.terms("x1" * 70) == ["x1" * 50]
    assert ANALYZER.query_terms("x1" * 60) == ["x1" * 50]


def test_memory_does_not_grow_with_the_number_of_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hierdoc.text.analysis._REMEMBERED", 100)
    analyzer = Analyzer("en")
    analyzer.terms(" ".join(f"word{n}" for n in range(10_000)) + " " + "y" * 1000)
    assert len(_vocabulary("en")) <= 100
    assert analyzer.terms("word7 words") == ["word7", "word", "7", "word"]


def test_threads_share_an_analyzer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hierdoc.text.analysis._REMEMBERED", 50)
    analyzer = Analyzer()
    text = " ".join(f"regulations{n} obligations duties{n}" for n in range(300))
    expected, results = analyzer.terms(text), []
    threads = [
        threading.Thread(target=lambda: results.append(analyzer.terms(text))) for _ in range(4)
    ]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert results == [expected] * 4


# The analyzer itself


def test_the_fingerprint_tells_analyses_apart() -> None:
    fingerprints = {language: Analyzer(language).fingerprint for language in ("auto", "none", "en")}
    assert len(set(fingerprints.values())) == 3
    assert Analyzer("en").fingerprint == fingerprints["en"]


def test_a_fixed_language_is_used_for_every_document() -> None:
    analyzer = Analyzer("de")
    assert analyzer.terms("Verträge", "en") == analyzer.terms("Vertrag")
    assert analyzer.variant("fr") == "de"
    assert Analyzer("none").terms("Running duties", "en") == ["running", "duties"]
    assert Analyzer("none").query_terms("the running duties", ["en"]) == ["running", "duties"]


def test_the_configuration_knows_the_same_languages() -> None:
    assert set(Language.__args__) == {"auto", "none", *Analyzer.LANGUAGES}  # type: ignore[attr-defined]


def test_an_unknown_language_is_an_error() -> None:
    with pytest.raises(ValueError, match="klingon"):
        Analyzer("klingon")


def test_stop_words_are_listed_once_for_every_language() -> None:
    assert set(STOP_WORDS) == set(Analyzer.LANGUAGES)
    for words in STOP_WORDS.values():
        assert len(set(words.split())) == len(words.split())
    listed = {fold(word) for words in STOP_WORDS.values() for word in words.split()}
    assert set(HOMOGRAPHS.split()) <= listed


def test_a_real_document_has_its_terms(shared_data: Path) -> None:
    text = (shared_data / "legal" / "de" / "gg.md").read_text(encoding="utf-8")
    terms = ANALYZER.terms(text, "de")
    assert contains(terms, ANALYZER.phrase_terms("Die Würde des Menschen ist unantastbar", "de"))
    assert "grundrecht" in terms


def test_french_questions_lose_what_only_asks() -> None:
    found = ANALYZER.query_terms(
        "Qu'est-ce que l'article dit, lorsqu'on peut-être le lit ?", ["fr"]
    )
    assert "est-ce" not in found
    assert "lorsqu" not in found
    assert "articl" in found
