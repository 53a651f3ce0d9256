"""Texts in 8-bit encodings: told by their letters; what is Windows-1252 or UTF-8 stays so."""

from __future__ import annotations

import pytest

from hierdoc.plugin.decoding import decode

TEXTS = {
    "ru": "Паромная переправа открыта с апреля по октябрь. Билет стоит сорок рублей, дети едут бесплатно.\nСтатья 5. Расписание\n",
    "uk": "Поромна переправа працює з квітня до жовтня. Квиток коштує сорок гривень, її ціна стала.\nСтаття 5. Розклад\n",
    "bg": "Фериботът работи от април до октомври. Билетът струва четири лева, а децата пътуват безплатно.\nЧлен 5. Разписание\n",
    "sr": "Скела ради од априла до октобра. Карта кошта сто динара, а деца се возе бесплатно.\nЧлан 5. Ред вожње\n",
    "el": "Το πορθμείο λειτουργεί από τον Απρίλιο. Το εισιτήριο κοστίζει τέσσερα ευρώ.\nΆρθρο 5. Δρομολόγιο\n",
    "pl": "Prom kursuje do października. Pasażerowie są obowiązani słuchać poleceń załogi, jeżeli ładunek jest ciężki.\n",
    "cs": "Přívoz jezdí od dubna do října. Cestující jsou povinni řídit se pokyny posádky; jízdní řád visí na přístavišti.\n",
    "hu": "A menetrend a kikötőben függ. A hajót minden tavasszal átvizsgálják, az őrzött tárgyakat három hétig tartják, a fűtött termet zárják.\n",
    "ro": "Căpitanul poate refuza transportul dacă încărcătura este periculoasă. Pasagerii sînt obligaţi să asculte echipajul.\n",
    "hr": "Članak 5. Vozni red visi na pristaništu. Pritužbe se podnose do kraja mjeseca. Vođa puta odlučuje o svemu što slijedi, već u proljeće.\n",
    "tr": "Yolcular mürettebatın talimatına uymak zorundadır. Şikâyetler ay sonuna kadar yapılır, eşyalar üç hafta saklanır.\n",
    "lt": "Kapitonas gali atsisakyti vežti, jeigu krovinys pavojingas. Tvarkaraštis skelbiamas prieplaukoje, skundai teikiami iki mėnesio pabaigos; laivą apžiūri kiekvieną pavasarį, pamirštus daiktus saugo įgula.\n",
    "en": "The master may refuse to carry what’s dangerous — “whatever it is”. A ticket costs £4; children don’t pay.\n§ 5 The café on the quay\n",
    "de": "Die Fähre fährt bis Oktober, größere Gegenstände verwahrt die Behörde für drei Wochen.\n§ 5 Gebühren\n",
    "fr": "Le bac circule d’avril à octobre. Les objets oubliés sont gardés trois semaines, où qu’ils aient été trouvés.\n",
    "es": "El capitán podrá negarse al transporte. ¿Dónde está el horario? Se revisará cada año.\n",
    "pt": "O capitão pode recusar o transporte. As reclamações são entregues até ao fim do mês.\n",
    "it": "Il traghetto è in servizio; perché così è stabilito, la nave sarà più controllata.\n",
    "da": "Færgen sejler til oktober. Føreren kan afvise transport, så længe reglen gælder.\n",
    "is": "Ferjan siglir frá apríl. Farþegar skulu hlýða áhöfninni, áætlunin hangir á bryggjunni.\n",
    "ca": "El capità pot refusar el transport si la càrrega és perillosa. Qüestions i raons, cap.\n",
    "et": "Parvlaev sõidab oktoobrini. Öösel laev ei sõida, sõiduplaan on üleval.\n",
    "nl": "Eén boot wordt elk jaar geïnspecteerd; België en Nederland zijn het eens, vóór het café.\n",
}

CYRILLIC = ("cp1251", "iso8859_5", "koi8_u")
CENTRAL = ("cp1250", "iso8859_2")
ENCODINGS = {
    "ru": (*CYRILLIC, "koi8_r", "cp866"), "uk": CYRILLIC, "bg": ("cp1251", "koi8_r", "cp866"), "sr": ("cp1251", "iso8859_5"),
    "el": ("cp1253", "iso8859_7", "cp737"), "pl": (*CENTRAL, "cp852"), "cs": (*CENTRAL, "cp852"), "hu": CENTRAL, "ro": CENTRAL,
    "hr": CENTRAL, "tr": ("cp1254", "iso8859_9"), "lt": ("cp1257", "iso8859_13"), "de": ("cp850",),
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "encoding"),
    [(language, encoding) for language, several in ENCODINGS.items() for encoding in several],
)
def test_an_encoding_is_told_by_its_letters(language: str, encoding: str) -> None:
    text = TEXTS[language]
    assert decode(text.encode(encoding), "a.txt") == text


WESTERN = ("en", "de", "fr", "es", "pt", "it", "da", "is", "ca", "et", "nl")


@pytest.mark.parametrize("language", WESTERN)
def test_languages_of_the_west_stay_what_they_are(language: str) -> None:
    text = TEXTS[language]
    assert decode(text.encode("cp1252"), "a.txt") == text
    for sentence in text.split(". "):
        assert decode(sentence.encode("cp1252"), "a.txt") == sentence


@pytest.mark.parametrize("language", TEXTS)
def test_utf8_stays_utf8(language: str) -> None:
    assert decode(TEXTS[language].encode(), "a.txt") == TEXTS[language]


@pytest.mark.parametrize(
    "text",
    [
        "Smith, Müller, Łuk\n".replace("Ł", "L"),
        "20 °C, ±5 %, ½ litre, 3 × 4 µm, © 2031, £5\n",
        "Sect.\xa05\xa0(a)\nPart\xa0A\n",
        "§ 1 §§ 2\n¶ 3\n",
        "naïve\n",
        "Š. Novák\n",
        "À bientôt, señor Åström of Århus, Ñuñoa and Þingvellir\n",
    ],
)
def test_few_bytes_decide_nothing(text: str) -> None:
    assert decode(text.encode("cp1252"), "a.txt") == text


def test_a_russian_manual_with_words_of_english_is_russian() -> None:
    text = "Команда ls -l показывает файлы. Опция --all (см. раздел 2.1) включает скрытые, e.g. .profile.\n"
    assert decode(text.encode("koi8_r"), "a.txt") == text
