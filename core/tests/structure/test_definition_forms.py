"""The forms in which laws and contracts define terms, by language: what each finds, and what is none."""

from __future__ import annotations

import pytest

from hierdoc import Definition, Document
from hierdoc.structure import understand
from hierdoc.structure.definitions import find_definitions
from hierdoc.structure.sections import section_tree


def definitions(text: str) -> list[Definition]:
    return list(find_definitions(text, "a.md", section_tree(text, domain="auto")))


def terms(text: str) -> list[str]:
    return [definition.term for definition in definitions(text)]


# Names in brackets


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is disclosed (“**Confidential Information**”) stays secret.", ["Confidential Information"]),
        ("The person that signs (the “Purchaser”) pays.", ["Purchaser"]),
        ("The person that signs (the **Purchaser**) pays.", ["Purchaser"]),
        ("The person that signs (**Purchaser**) pays.", ["Purchaser"]),
        ("The two that sign (each, a “Party” and together the “Parties”) agree.", ["Parties", "Party"]),
        ("They sign (collectively, the \"Parties\" and individually, a \"Party\").", ["Parties", "Party"]),
        ("The fee that is due (hereinafter the “Fee”) is small.", ["Fee"]),
        ("The fee that is due (hereinafter referred to as the Fee) is small.", ["Fee"]),
        ("The shares of the preferred stock (\"Preferred Stock\") are sold.", ["Preferred Stock"]),
        ("A Ltd. (\"Seller\") sells to B Ltd. (\"Buyer\").", ["Buyer", "Seller"]),
        ("The fee, hereinafter referred to as the “Fee”, is small.", ["Fee"]),
        ("Die Ware, die der Kunde bestellt (nachfolgend „Ware“), wird geliefert.", ["Ware"]),
        ("Die Firma, die bestellt (im Folgenden: Auftraggeber), zahlt.", ["Auftraggeber"]),
        ("Die Firma, die bestellt (nachfolgend Auftraggeber genannt), zahlt.", ["Auftraggeber"]),
        ("Die Firma, im Folgenden „Auftraggeber“ genannt, zahlt.", ["Auftraggeber"]),
        ("La société qui vend (ci-après le « Vendeur ») livre.", ["Vendeur"]),
        ("La société qui vend (ci-après dénommée le Vendeur) livre.", ["Vendeur"]),
        ("La société qui vend, ci-après dénommée « le Vendeur », livre.", ["Vendeur"]),
        ("La sociedad que vende (en adelante, el “Vendedor”) entrega.", ["Vendedor"]),
        ("La sociedad que vende (en lo sucesivo, el Vendedor) entrega.", ["Vendedor"]),
    ],
)  # fmt: skip
def test_names_in_brackets(text: str, expected: list[str]) -> None:
    assert sorted(terms(text)) == expected
    assert all(one.text in text for one in definitions(text))


@pytest.mark.parametrize(
    "text",
    [
        "See the list (in “Annex A”) for more.",
        "It is called (as “they” say) so.",
        "Payment is due (see **Fees** below).",
        "He shall act (hereinafter and always) well.",
        'It prints an error ("no such file") and stops.',
    ],
)
def test_brackets_that_name_nothing(text: str) -> None:
    assert terms(text) == []


def test_the_text_of_a_name_in_brackets_is_its_sentence() -> None:
    text = "It begins here. Acme sells things (the “Products”) to all. It ends here."
    assert [one.text for one in definitions(text)] == ["Acme sells things (the “Products”) to all."]


# German


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("(1) Arbeitszeit im Sinne dieses Gesetzes ist die Zeit vom Beginn bis zum Ende der Arbeit.", "Arbeitszeit"),
        ("Wald im Sinne dieses Gesetzes ist jede bestockte Fläche.", "Wald"),
        ("(2) Arbeitnehmer im Sinne dieses Gesetzes sind Arbeiter und\nAngestellte.", "Arbeitnehmer"),
        ("Leitender Angestellter im Sinne des § 5 Abs. 3 ist, wer zur Einstellung berechtigt ist.", "Leitender Angestellter"),
        ("(3) Arbeitnehmer (Arbeitnehmerinnen und Arbeitnehmer) im Sinne dieses Gesetzes sind Arbeiter.", "Arbeitnehmer"),
        ("Verbraucher ist jede natürliche Person, die ein Rechtsgeschäft abschließt.", "Verbraucher"),
        ("(1) Unternehmer ist eine natürliche oder juristische Person, die handelt.", "Unternehmer"),
        ("Der Antrag wird gestellt. Geburtsname ist der Name, der einzutragen ist.", "Geburtsname"),
        ("Vater eines Kindes ist der Mann, der zum Zeitpunkt der Geburt verheiratet ist.", "Vater eines Kindes"),
        ("(5) Sollzinssatz ist der gebundene oder veränderliche Prozentsatz, der angewendet wird.", "Sollzinssatz"),
        ("Betriebskosten sind die Kosten, die dem Eigentümer entstehen.", "Betriebskosten"),
        ("Verwaltungsakt ist jede Verfügung, Entscheidung oder andere Maßnahme.", "Verwaltungsakt"),
        ("Nahe Angehörige sind alle, die im Haushalt leben.", "Nahe Angehörige"),
        ("Die Aktiengesellschaft ist eine Gesellschaft mit eigener Rechtspersönlichkeit.", "Aktiengesellschaft"),
        ("(3) Allein stehend im Sinne des Absatzes 1 sind Personen, die keinen Haushalt teilen.", "Allein stehend"),
        ("Gericht im Sinne dieses Gesetzes ist, wenn nichts anderes bestimmt ist, das Gericht des Sitzes.", "Gericht"),
        ("(2) Rechtswidrig ist die Tat, wenn sie verwerflich ist.", "Rechtswidrig"),
        ("Schuldunfähig ist, wer noch nicht vierzehn Jahre alt ist.", "Schuldunfähig"),
        ("Fernabsatzverträge sind Verträge, bei denen nur Briefe verwendet werden.", "Fernabsatzverträge"),
        ("Als Betriebsstätten sind insbesondere anzusehen: Werkstätten.", "Betriebsstätten"),
        ("Als Empfängniszeit gilt die Zeit von dem 300. bis zu dem 181. Tage vor der Geburt.", "Empfängniszeit"),
        ("(2) Als Leistung gilt auch die Anerkennung einer Schuld.", "Leistung"),
        ("Als Arbeitnehmer im Sinne dieses Gesetzes gelten nicht Beamte.", "Arbeitnehmer"),
        ("Unter Betriebsstätte ist jede feste Einrichtung zu verstehen.", "Betriebsstätte"),
        ("Unter einer Betriebsstätte versteht man eine feste Einrichtung.", "Betriebsstätte"),
        ("Im Sinne dieses Gesetzes ist Verbraucher, wer privat kauft.", "Verbraucher"),
        ("Wer zu einem Zweck handelt, der gewerblich ist (Unternehmer), haftet.", "Unternehmer"),
        ("Die Frist, in der die Behörde entscheiden muss (Entscheidungsfrist), beträgt einen Monat.", "Entscheidungsfrist"),
        ("Soweit Beträge im Namen eines anderen verausgabt werden (durchlaufende Posten), bleiben sie außer Ansatz.", "durchlaufende Posten"),
    ],
)  # fmt: skip
def test_german_definitions(text: str, term: str) -> None:
    assert terms(text) == [term]
    assert all(one.text in text for one in definitions(text))


@pytest.mark.parametrize(
    "text",
    [
        "Der Antrag ist schriftlich zu stellen.",
        "Dem Käufer ist die Sache zu übergeben.",
        "Zuständig ist die Behörde, in deren Bezirk der Betrieb liegt.",
        "Maßgebend ist der Wert, den die Sache hat.",
        "Beizufügen sind die Unterlagen, die verlangt werden.",
        "In minder schweren Fällen ist die Strafe Freiheitsstrafe von drei Monaten.",
        "Bei einem Mietverhältnis ist eine abweichende Vereinbarung unwirksam.",
        "Voraussetzung ist ein Antrag, der schriftlich gestellt wird.",
        "Die Einkünfte im Sinne des Absatzes 1 sind um den Betrag zu kürzen.",
        "Kapitalerträge im Sinne des § 20 Absatz 1, soweit sie inländisch sind, werden besteuert.",
        "Spenden im Sinne des § 2 sind, sofern sie belegt werden, abziehbar.",
        "Es ist die Pflicht der Behörde, zu handeln.",
        "Der Anspruch ist ausgeschlossen, wenn die Sache mangelhaft ist.",
        "Auf das Verfahren sind die Vorschriften anzuwenden.",
        "Käufer ist der Vertrag zu übergeben.",
        "Als der Krieg begann, galt das Gesetz.",
        "Es gelten ferner Beamte (Beamtinnen und Beamte) als solche.",
        "Kein Wald im Sinne dieses Gesetzes sind Alleen.",
        "Betroffen sind Personen, die hier wohnen.",
        "Der Bürgermeister (Bürgermeisterin) leitet die Sitzung.",
        "Das Gesetz vom 3. Mai (Bundesgesetzblatt) tritt in Kraft.",
        "§ 12 (weggefallen) und Anlage (zu § 3) gelten.",
        "Ausgenommen sind die Gebäude, die unter Schutz stehen.",
    ],
)
def test_german_sentences_that_define_nothing(text: str) -> None:
    assert terms(text) == []


def test_a_german_list_of_terms() -> None:
    text = (
        "# § 11 Personen- und Sachbegriffe\n\n(1) Im Sinne dieses Gesetzes ist\n\n1.  Angehöriger:\n\n    wer zu den Personen gehört:\n\n"
        "    a)  Verwandte: alle,\n\n    b)  Pflegeeltern;\n\n\n2.  Amtsträger:\n\n    wer ein Amt hat;\n\n\n"
        "2a. Europäischer Amtsträger:\n\n    wer in Europa ein Amt hat.\n\n# § 12 Anderes\n\n1.  Frist: ein Monat\n"
    )
    found = definitions(text)
    assert [one.term for one in found] == ["Angehöriger", "Amtsträger", "Europäischer Amtsträger"]
    assert found[0].text.endswith("Pflegeeltern;")
    assert found[2].text.endswith("Amt hat.")


# Terms in quotes, listed


@pytest.mark.parametrize(
    "text",
    [
        "Au sens du présent chapitre, on entend par :\n\n« Lampe » : ce qui éclaire ;\n\n« Digue » : un mur.\n",
        "Au sens du présent chapitre, on entend par :\n\n1° « Lampe » : ce qui éclaire ;\n\n2° « Digue » : un mur.\n",
        "Im Sinne dieses Gesetzes bedeutet\n\n„Lampe“ alles, was leuchtet;\n\n„Digue“: eine Mauer.\n",
        "Im Sinne dieses Gesetzes bedeutet\n\n1. „Lampe“: alles, was leuchtet;\n\n2. „Digue“: eine Mauer.\n",
    ],
)
def test_a_list_of_terms_in_quotes(text: str) -> None:
    assert [one.term for one in definitions(text)] == ["Lampe", "Digue"]


# French


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("On entend par résidence normale le lieu où une personne demeure.", "résidence normale"),
        ("III.-On entend par résidence normale le lieu où une personne demeure.", "résidence normale"),
        ("Au sens du présent article on entend par charge indivisible une charge qui ne peut être divisée.", "charge indivisible"),
        ("Aux fins du présent code, on entend par « consommateur » toute personne physique.", "consommateur"),
        ("On entend par “navire” tout bâtiment.", "navire"),
        ("Est « partenaire » au sens de l'article 3 toute personne qui signe.", "partenaire"),
        ("Par navire, on entend tout bâtiment.", "navire"),
        ("Le terme « navire » désigne tout bâtiment.", "navire"),
        ("Le terme navire désigne tout bâtiment.", "navire"),
        ("Au sens du présent titre, l'expression \" en France \" s'entend du territoire métropolitain.", "en France"),
        ("Les titres cotés s'entendent des valeurs inscrites.", "titres cotés"),
        ("Le prix de revient visé à l'article 1499 s’entend de la valeur d'origine.", "prix de revient"),
        ("Sont considérés comme fruits les revenus périodiques.", "fruits"),
        ("Est considérée comme abandonnée toute épave.", ""),
    ],
)  # fmt: skip
def test_french_definitions(text: str, term: str) -> None:
    assert terms(text) == ([term] if term else [])
    assert all(one.text in text for one in definitions(text))


@pytest.mark.parametrize(
    "text",
    [
        "Le juge entend par commission rogatoire les témoins.",
        "Le juge peut désigner un remplaçant.",
        "La transaction ne s'entend que de ce qui y a donné lieu.",
        "Si le contrat désigne le lieu, la remise s'y fait.",
        "Les références au conseil départemental s'entendent du conseil de la métropole.",
        "Une exigence énergétique qui s'entend de l'intégration d'un équipement.",
    ],
)
def test_french_sentences_that_define_nothing(text: str) -> None:
    assert terms(text) == []


@pytest.mark.parametrize(
    "lead",
    [
        "Au sens de la présente section, on entend par :",
        "Pour l'application du présent code, les termes ci-après ont le sens qui leur est donné dans le présent article :",
    ],
)
@pytest.mark.parametrize(
    ("first", "second"), [("1°", "2°"), ("-", "-"), ("a)", "b)"), ("1.", "2."), (" -", " -")]
)
def test_a_french_list_of_terms(lead: str, first: str, second: str) -> None:
    text = (
        f"# Article 1\n\n{lead}\n\n{first} Véhicule de protection : le véhicule pilote ;\n\n"
        f"{second} Consommateur : toute personne.\n\nUn arrêté fixe : les règles.\n\n# Article 2\n\n- Rien : rien\n"
    )  # fmt: skip
    found = definitions(text)
    assert [one.term for one in found] == ["Véhicule de protection", "Consommateur"]
    assert found[0].text.endswith("pilote ;")
    assert found[1].text.endswith("personne.")


def test_items_whose_marks_stand_close_to_their_terms() -> None:
    text = (
        "# Article 2\n\nLes termes ci-après ont le sens suivant :\n\n-arrêt : immobilisation momentanée ;\n\n"
        "-aire piétonne : section de voies.\n\nDans cette zone, on marche.\n\n-autoroute : route sans croisement.\n\n"
        "Sont interdits :\n\n-stop : le fait de rester.\n"
    )
    assert terms(text) == ["arrêt", "aire piétonne", "autoroute"]


# Spanish


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("Se entiende por consumidor la persona que compra.", "consumidor"),
        ("A los efectos de esta ley, se entiende por consumidor toda persona física.", "consumidor"),
        ("A efectos de la presente ley se entenderá por empresa la actividad económica.", "empresa"),
        ("Se entenderá por «empresa» cualquier actividad.", "empresa"),
        ("Por empresa se entenderá toda actividad económica.", "empresa"),
        ("Se entienden por datos biométricos los que permiten identificar a alguien.", "datos biométricos"),
        ("Se considera consumidor a la persona que compra.", "consumidor"),
        ("Tendrán la consideración de consumidores las personas que compran.", "consumidores"),
        ("El término «empresa» designa toda actividad.", "empresa"),
        ("El término empresa significa toda actividad.", "empresa"),
    ],
)  # fmt: skip
def test_spanish_definitions(text: str, term: str) -> None:
    assert terms(text) == [term]


@pytest.mark.parametrize(
    "text",
    [
        "El plazo se entiende prorrogado por un mes.",
        "La persona que se entiende por teléfono paga.",
        "El juez considera probada la compra.",
    ],
)
def test_spanish_sentences_that_define_nothing(text: str) -> None:
    assert terms(text) == []


@pytest.mark.parametrize(
    "lead",
    [
        "A los efectos de esta ley se entiende por:",
        "A los efectos de esta ley:",
        "A efectos de lo dispuesto en la presente ley, se entenderá por:",
        "A los efectos de la presente ley, se aplicarán las siguientes definiciones:",
    ],
)
def test_a_spanish_list_of_terms(lead: str) -> None:
    text = f"# Artículo 2\n\n{lead}\n\na) Consumidor: la persona que compra;\n\nb) Empresa: la actividad.\n"
    assert terms(text) == ["Consumidor", "Empresa"]


# English


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("As used in this chapter, municipality means a city or town.", "municipality"),
        ("For purposes of this section, the term municipality shall mean a city.", "municipality"),
        ("In this Act, “vessel” means a ship.", "vessel"),
    ],
)
def test_english_definitions(text: str, term: str) -> None:
    assert terms(text) == [term]


@pytest.mark.parametrize(
    "text",
    [
        "Section 5 is amended.",
        "In this section, he means what he says.",
        "This means that it ends.",
        "For purposes of this section, a notice by any means is enough.",
        "By all means, read it.",
    ],
)
def test_english_sentences_that_define_nothing(text: str) -> None:
    assert terms(text) == []


@pytest.mark.parametrize(
    "lead",
    [
        "In this Agreement the following terms have the following meanings:",
        "The following definitions apply:",
        "As used in this chapter, the following words shall have the meanings ascribed to them:",
    ],
)
def test_an_english_list_of_terms(lead: str) -> None:
    text = f"# 1 Interpretive provisions of all kinds\n\n{lead}\n\n(a) Direct Access: the direct connection.\n\n(b) Fee: a sum.\n"
    assert terms(text) == ["Direct Access", "Fee"]


# Terms as headings


@pytest.mark.parametrize(
    "heading",
    [
        "A.1 Definitions", "Definitions and Abbreviations", "Terms", "Glossary", "Begriffsbestimmungen",
        "Définitions", "Definiciones", "3 Terms and Definitions", "Begriffe und Abkürzungen",
        "Définitions et abréviations", "Términos y definiciones",
    ],
)  # fmt: skip
@pytest.mark.parametrize("numbers", [("", ""), ("A.1.1 ", "A.1.2 "), ("3.1 ", "3.2 ")])
def test_terms_as_headings(heading: str, numbers: tuple[str, str]) -> None:
    first, second = numbers
    text = (
        f"# Book\n\n### {heading}\n\nWhat words mean.\n\n#### {first}Access\n\nTo use a thing.\n\n"
        f"#### {second}Authenticator Assurance Level (AAL)\n\nHow sure one is.\n\n### Other\n\n#### Limits\n\nNone.\n"
    )
    assert sorted(terms(text)) == ["AAL", "Access", "Authenticator Assurance Level"]


# Abbreviations


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Authenticator Assurance Level (AAL) is high.", ["AAL"]),
        ("Die Europäische Union (EU) handelt.", ["EU"]),
        ("Relying Parties (RPs) trust it.", ["RP"]),
        ("A man-in-the-middle (MitM) attack fails.", ["MitM"]),
        ("Use time-based one-time passwords (TOTPs) only.", ["TOTP"]),
        ("The Department of Homeland Security (DHS) acts.", ["DHS"]),
        ("La taxe sur la valeur ajoutée (TVA) est due.", ["TVA"]),
        ("La Unión Europea (UE) actúa.", ["UE"]),
        ("The HyperText Transfer Protocol (HTTP) is old.", ["HTTP"]),
        ("**Credential Service Provider** (CSP) is a party.", ["CSP"]),
        ("The Network Operations Center (“NOC”) is open.", ["NOC"]),
        ("Die Verordnung (EU) 2016/679 gilt.", []),
        ("The list (PDF) is long.", []),
        ("The sum (USD) is due.", []),
        ("He lives here (TX).", []),
        ("Article I (IV) is void.", []),
        ("Pay the fee in time (IT) now.", []),
        ("call(ABC) and any big cat(ABC).", []),
    ],
)
def test_abbreviations(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_an_abbreviation_is_defined_once() -> None:
    text = "The European Union (EU) acts.\n\nThe European Union (EU) rests.\n"
    assert [one.text for one in definitions(text)] == ["The European Union (EU) acts."]


# Hostile text


@pytest.mark.parametrize(
    "text",
    [
        "A im Sinne dieses " * 20_000,
        "X ist die " * 40_000,
        "On entend par " * 30_000,
        "Se entiende por a, " * 20_000,
        "A (B" * 60_000,
        "Aa Bb (AB) " * 20_000,
        "Wort (Wort) der die und das " * 8_000,
        "# A\n\non entend par :\n\n" + "1. a\n\n" * 20_000,
        "on entend par :\n\n" * 10_000,
        "on entend par :\n\n1. a : b\n\n" * 5_000,
        "".join(f"on entend par :\n\n{one}. a : b\n\n" for one in range(5_000)),
        "".join(f"der mit einem Wort (Wort{chr(97 + one % 26) * 5}) und " for one in range(8_000)),
        "(hereinafter " * 20_000,
        "the, " * 20_000 + "(each of the, the \"X\") " * 5_000,
        " s'entend de" * 20_000,
        "Als " * 60_000 + "gilt",
    ],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_hostile_text_takes_no_longer(text: str) -> None:
    of_all_languages = "der und les und los und the end.\n\n"
    assert len(definitions(of_all_languages + text)) <= 100_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Au sens du présent titre, on entend par : 1° Gardien : celui qui garde un phare ; 2° Lampe : tout feu.",
            ["Gardien", "Lampe"],
        ),
        (
            "A los efectos de esta ley se entiende por: a) Faro: toda torre con luz; b) Farero: quien la enciende.",
            ["Faro", "Farero"],
        ),
    ],
)
def test_a_list_within_a_paragraph_defines_its_items(text: str, expected: list[str]) -> None:
    found = definitions(f"# Code\n\n## Article 1\n\n{text}\n\nAutre alinéa : il suit.\n")
    assert [one.term for one in found] == expected
    assert all("alinéa" not in one.text for one in found)


# Lists of terms in other languages


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Art. 2\n\nAi fini del presente decreto si intende per:\n\na) «funivia»: un impianto;\n\nb) gestore: il soggetto che la esercita.\n", ["funivia", "gestore"]),
        ("Artigo 2.º\n\nPara efeitos da presente lei, entende-se por:\n\na) «Caldeira», o reservatório;\n\nb) «Moleiro», a pessoa.\n", ["Caldeira", "Moleiro"]),
        ("Art. 2º Para os fins desta Lei, considera-se:\n\nI - balsa: embarcação;\n\nII - balseiro: pessoa que a opera.\n", ["balsa", "balseiro"]),
        ("Artikel 1\n\nIn deze wet wordt verstaan onder:\n\na. molen: bouwwerk;\n\nb. molenaar: degene die hem bedient.\n", ["molen", "molenaar"]),
        ("Art. 2. Ilekroć w ustawie jest mowa o:\n\n1) promie – należy przez to rozumieć statek;\n\n2) pasażerze – należy przez to rozumieć osobę.\n", ["promie", "pasażerze"]),
        ("§ 3. Im Sinne dieses Bundesgesetzes sind\n\n1. „Alm“: eine Weidefläche;\n\n2. „Auftrieb“: das Verbringen der Tiere.\n", ["Alm", "Auftrieb"]),
        ("Artículo 2o.- Para los efectos de esta Ley, se entenderá por:\n\nI. Presa: la obra;\n\nII. Vaso: el espacio.\n", ["Presa", "Vaso"]),
    ],
)  # fmt: skip
def test_lists_of_terms_in_other_languages(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_a_clause_that_says_who_defines() -> None:
    assert terms("(2) Betreiber ist, wer eine Seilbahn auf eigene Rechnung betreibt.") == [
        "Betreiber"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Der Auftragnehmer wartet die in Anlage A genannten Aufzüge (die „Anlagen“).",
        "Nordlicht GmbH und Haus AG (Auftragnehmer und Auftraggeber gemeinsam die „Anlagen“).",
    ],
)
def test_names_in_brackets_behind_an_article(text: str) -> None:
    assert terms(text) == ["Anlagen"]


def test_a_second_term_of_a_sentence() -> None:
    text = "“Products” means the lanterns, and “Spare Parts” means the parts."
    assert terms(text) == ["Products", "Spare Parts"]


def test_a_number_in_bold_is_no_term_and_the_term_behind_it_is() -> None:
    text = (
        "# Contract\n\n**1. Definitions**\n\n**1.1** “Berth” means a place where a ship lies.\n\n"
        "**1.2** “Quay” means a wall at which berths are.\n\n**2. Fees**\n\n**2.1** They are due.\n"
    )
    document = understand(Document("contract.md", "Contract", text))
    assert [one.term for one in document.definitions] == ["Berth", "Quay"]
