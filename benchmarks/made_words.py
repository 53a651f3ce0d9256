"""Words for made law: by language the things it speaks of, sentences that speak of them, and titles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Language:
    """What sentences of a language are made of.

    Attributes:
        things: What laws speak of.
        says: Sentences with `{a}`, `{b}` and `{n}`, a number, in them.
        titles: Forms of titles.
    """

    things: Sequence[str]
    says: Sequence[str]
    titles: Sequence[str]

    def title(self, random: Random) -> str:
        """A title, with a capital at its beginning."""
        title = random.choice(self.titles).format(*random.sample(self.things, 2))
        return title[0].upper() + title[1:]

    def sentence(self, random: Random) -> str:
        """A sentence."""
        first, second = random.sample(self.things, 2)
        said = random.choice(self.says).format(a=first, b=second, n=random.randint(2, 400))
        return said[0].upper() + said[1:]

    def paragraph(self, random: Random, most: int = 3) -> str:
        """Some sentences."""
        return " ".join(self.sentence(random) for _ in range(random.randint(1, most)))


def _listed(words: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in words.split("|"))


ENGLISH = Language(
    _listed(
        "the registrar|the annual return|a licensed operator|the harbour fund|a certificate of origin|the review panel|"
        "an applicant|the water authority|the register of vessels|a notice of default|the audit report|a storage facility|"
        "the inspector|the reserve account|a transfer of rights|the public interest|a holder of a permit|the tariff"
    ),
    (
        "{a} shall give {b} a copy within {n} days.", "Where {a} has been suspended, {b} may be amended accordingly.",
        "Nothing in this provision affects {a} or the duties of {b}.", "{a} must keep records of {b} for at least {n} months.",
        "In determining the amount payable, {a} is to have regard to {b}.", "If {a} is replaced, {b} continues to apply as before.",
        "No person may alter {a} unless {b} has consented in writing.", "The reference to {a} includes {b}, however described.",
    ),
    _listed("duties of {0}|{0} and {1}|records of {0}|appointment of {0}|review of {0}|general provisions on {0}|transitional rules for {0}|fees|definitions"),
)  # fmt: skip

GERMAN = Language(
    _listed(
        "die zuständige Behörde|der Antragsteller|die Genehmigung|das Verzeichnis|der Betreiber|die Prüfstelle|der Jahresbericht|"
        "die Anlage zur Lagerung|das Verfahren|der Bescheid|die Gebühr|der Beauftragte|die Rücklage|das Register"
    ),
    (
        "{a} ist innerhalb von {n} Tagen vorzulegen.", "Soweit {a} nicht ausreicht, gilt {b} entsprechend.",
        "{a} bleibt unberührt, wenn {b} bestandskräftig geworden ist.", "Das Nähere regelt {a} im Einvernehmen mit den Ländern.",
        "Wird {a} geändert, ist {b} zu unterrichten.", "Auf Verlangen wird {a} nach {n} Monaten erneut geprüft.",
    ),
    _listed("Pflichten und {0}|Anwendungsbereich|Begriffsbestimmungen|{0}|{0} und {1}|Verfahren bei Änderungen|Übergangsvorschriften|Bußgeldvorschriften"),
)  # fmt: skip

FRENCH = Language(
    _listed(
        "l'autorité compétente|le demandeur|le registre|la commission|le rapport annuel|l'exploitant|le certificat|la redevance|"
        "le titulaire du permis|la décision de refus|le fonds de réserve|l'inspecteur"
    ),
    (
        "{a} transmet copie de l'acte dans un délai de {n} jours.", "Lorsque {a} fait défaut, {b} peut être modifié d'office.",
        "Les modalités d'application sont fixées par décret, après avis de {a}.", "Il est tenu compte de {a} pour le calcul du montant dû.",
        "En cas de retrait, {a} et {b} sont informés sans délai.", "Un arrêté précise les conditions dans lesquelles {a} est consulté.",
    ),
    _listed("Dispositions générales|Des obligations et de {0}|Du contrôle|De {0}|Des effets de la décision|Dispositions transitoires|De {0} et de {1}"),
)  # fmt: skip

ITALIAN = Language(
    _listed("l'autorità competente|il richiedente|il registro|la commissione|la relazione annuale|il gestore|il certificato|il canone|il titolare|l'ispettore"),
    (
        "{a} trasmette copia dell'atto entro {n} giorni.", "Qualora {a} non provveda, {b} dispone d'ufficio.",
        "Sono fatti salvi i diritti acquisiti da {a} prima di tale data.", "Con decreto sono stabilite le modalità con cui {a} informa {b}.",
        "Nel calcolo della somma dovuta si tiene conto di {a}.",
    ),
    _listed("Disposizioni generali|Degli obblighi|Del controllo|Effetti della decisione|Disposizioni transitorie|Nozione|Forma degli atti"),
)  # fmt: skip

SPANISH = Language(
    _listed("la autoridad competente|el solicitante|el registro|la comisión|el informe anual|el titular|el certificado|la tasa|el inspector|el fondo de reserva"),
    (
        "{a} remitirá copia en el plazo de {n} días.", "Cuando {a} no resuelva, {b} podrá actuar de oficio.",
        "Quedan a salvo los derechos adquiridos por {a} antes de esa fecha.", "Reglamentariamente se determinará la forma en que {a} informa a {b}.",
        "Para el cálculo de la cantidad debida se tendrá en cuenta {a}.",
    ),
    _listed("Disposiciones generales|De las obligaciones|Del control|Efectos de la resolución|Objeto|Ámbito de aplicación|Forma de los actos"),
)  # fmt: skip

PORTUGUESE = Language(
    _listed(
        "a autoridade competente|o requerente|o registo|a comissão|o relatório anual|o titular|o certificado|a taxa|o inspetor"
    ),
    (
        "{a} envia cópia no prazo de {n} dias.",
        "Quando {a} não decida, {b} pode agir oficiosamente.",
        "Ficam ressalvados os direitos adquiridos por {a} antes dessa data.",
        "Por portaria são fixadas as condições em que {a} informa {b}.",
    ),
    _listed(
        "Disposições gerais|Das obrigações|Do controlo|Efeitos da decisão|Objeto|Âmbito de aplicação|Forma dos atos"
    ),
)

DUTCH = Language(
    _listed(
        "het bevoegd gezag|de aanvrager|het register|de commissie|het jaarverslag|de vergunninghouder|het certificaat|de heffing|de toezichthouder"
    ),
    (
        "{a} zendt binnen {n} dagen een afschrift.",
        "Indien {a} niet beslist, kan {b} ambtshalve worden gewijzigd.",
        "Bij algemene maatregel van bestuur worden regels gesteld over {a}.",
        "Voor de berekening wordt rekening gehouden met {a} en {b}.",
    ),
    _listed(
        "Algemene bepalingen|Verplichtingen|Toezicht|Gevolgen van het besluit|Begripsbepalingen|Reikwijdte|Overgangsrecht"
    ),
)

POLISH = Language(
    _listed(
        "właściwy organ|wnioskodawca|rejestr|komisja|sprawozdanie roczne|posiadacz zezwolenia|świadectwo|opłata|inspektor"
    ),
    (
        "{a} przekazuje odpis w terminie {n} dni.",
        "Jeżeli {a} nie wyda decyzji, {b} działa z urzędu.",
        "Minister określi w drodze rozporządzenia, jak {a} informuje strony.",
        "Przy obliczaniu należności uwzględnia się {a} oraz {b}.",
    ),
    _listed(
        "Przepisy ogólne|Obowiązki|Nadzór|Skutki decyzji|Zakres stosowania|Przepisy przejściowe|Forma czynności"
    ),
)

TECHNICAL = Language(
    _listed(
        "the client|a connection|the message header|the request buffer|a cache entry|the session key|the control channel|a transfer frame|"
        "the parser|the error counter|the retry interval|a certificate|the mounting bracket|the pressure valve|a sensor reading"
    ),
    (
        "{a} discards the data when {b} has been closed.", "After {n} milliseconds, {a} falls back to the default.",
        "An implementation MUST NOT send {a} before {b} is known.", "Because {a} is shared, {b} should be protected against reuse.",
        "The value of {a} ranges from 0 to {n}.", "Figures from earlier versions of {a} do not apply to {b}.",
    ),
    _listed("Requirements for {0}|Overview of {0}|Handling of {0}|{0} and {1}|Encoding|Timeouts|Scope|Terms|Error recovery|Installation of {0}"),
)  # fmt: skip

FILING = Language(
    _listed("our segments|net revenue|the credit facility|foreign currencies|our customers|operating margin|pension obligations|the acquired business|deferred taxes"),
    (
        "{a} increased by {n} basis points compared with the prior year.", "We may be unable to protect {a} from changes in {b}.",
        "As of year end, {a} amounted to ${n} million.", "Management evaluates {a} together with {b}.",
        "The decrease reflects {a}, partly offset by {b}.",
    ),
    _listed("Overview|Liquidity and Capital Resources|Competition|Human Capital|Results of Operations|Risks Related to {0}|Critical Accounting Estimates|Segments"),
)  # fmt: skip

BULGARIAN = Language(
    _listed("регистърът|комисията|министърът|заявителят|годишният отчет|таксата|пристанището|инспекторът|наредбата|операторът"),
    (
        "{a} се вписва в срок от {n} дни.", "Когато {a} липсва, {b} се прилага съответно.", "Редът, по който {a} се води, се определя с наредба.",
        "Всяко лице може да поиска {a}, ако {b} е платена.", "Министърът утвърждава {a} след становище на комисията.",
    ),
    _listed("задължения и {0}|{0} и {1}|общи разпоредби|определения"),
)  # fmt: skip

RUSSIAN = Language(
    _listed("реестр|комиссия|заявитель|годовой отчёт|сбор|порт|инспектор|правила|оператор|разрешение"),
    (
        "{a} представляется в течение {n} дней.", "Если {a} отсутствует, применяется {b}.", "Порядок, в котором ведётся {a}, устанавливается правительством.",
        "Каждый вправе получить {a}, если это не запрещено законом.", "В случае изменения {a} об этом сообщается в орган, который ведёт {b}.",
    ),
    _listed("обязанности и {0}|{0} и {1}|общие положения|основные понятия"),
)  # fmt: skip

CHINESE = Language(
    _listed("登记机关|年度报告|申请人|港口经营者|许可证|收费标准|检查人员|主管部门|船舶名册|保证金"),
    ("{a}应当在{n}日内书面通知{b}。", "未经批准，不得变更{a}。", "{a}的具体办法由国务院规定。", "因{a}发生争议的，可以向{b}申请复核。", "{a}应当保存有关记录，并接受{b}的监督。"),
    _listed("{0}的职责|{0}与{1}|一般规定|附加规定"),
)  # fmt: skip

JAPANESE = Language(
    _listed("登録機関|年次報告書|申請者|港湾運営者|許可証|手数料|検査職員|主務大臣|船舶名簿|保証金"),
    ("{a}は、{n}日以内に{b}を提出しなければならない。", "{a}について必要な事項は、政令で定める。", "前項の規定は、{a}について準用する。", "{a}は、{b}の承認を受けて、これを変更することができる。"),
    _listed("{0}の義務|{0}及び{1}|通則|雑則"),
)  # fmt: skip

KOREAN = Language(
    _listed("등록기관|연차보고서|신청인|항만운영자|허가증|수수료|검사공무원|주무부장관|선박명부|보증금"),
    ("{a}은 {n}일 이내에 {b}에 제출하여야 한다.", "{a}에 관하여 필요한 사항은 대통령령으로 정한다.", "제1항의 규정은 {a}에 준용한다.", "{a}은 {b}의 승인을 받아 변경할 수 있다."),
    _listed("{0}의 의무|{0}과 {1}|통칙|보칙"),
)  # fmt: skip
