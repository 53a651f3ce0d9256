"""Definitions of real documents, listed by hand: for `bench_definitions.py`. Nothing but the names of terms is taken from them.

`READ` are sections that were read from end to end: all that they define is listed, so that whatever else is found there is wrong.
`STANDING` are definitions that were met in random sections: what is not found of them is missing.
"""

from __future__ import annotations

from collections.abc import Mapping

LAWS = "legal/gesetze"
CODES = "legal/fr"
CONTRACTS = "legal/contracts"
EIPS = "technical/eips"

Terms = Mapping[str, str]
"""A document, and for sections read whole `#` and the id -> terms, separated by semicolons."""

READ: Mapping[str, Terms] = {
    "German laws": {
        f"{LAWS}/arbzg.md#sec_2": "Arbeitszeit; Arbeitnehmer; Nachtzeit; Nachtarbeit; Nachtarbeitnehmer",
        f"{LAWS}/bwaldg.md#sec_2": "Wald; Kurzumtriebsplantagen; agroforstliche Nutzung",
        f"{LAWS}/bwaldg.md#sec_3": "Staatswald; Körperschaftswald; Privatwald; Gemeinschaftsforsten",
        f"{LAWS}/betrvg.md#sec_5": "Arbeitnehmer; Leitender Angestellter",
        f"{LAWS}/ao_1977.md#sec_12": "Betriebstätte; Betriebstätten",
        f"{LAWS}/ao_1977.md#sec_18": "Lagefinanzamt; Betriebsfinanzamt",
        f"{LAWS}/bgb.md#sec_13": "Verbraucher",
        f"{LAWS}/bgb.md#sec_100": "Nutzungen",
        f"{LAWS}/bgb.md#sec_312c": "Fernabsatzverträge; Fernkommunikationsmittel",
        f"{LAWS}/bgb.md#sec_433": "",
        f"{LAWS}/bgb.md#sec_489": "Sollzinssatz",
        f"{LAWS}/bgb.md#sec_675f": "Zahlungsdienstnutzer; Zahlungsvorgang; Zahlungsauftrag",
        f"{LAWS}/stgb.md#sec_263a": "",
        f"{LAWS}/aktg.md#sec_15": "Verbundene Unternehmen",
        f"{LAWS}/aktg.md#sec_16": "Mehrheitsbeteiligung",
        "legal/de/bdsg_2018.md#sec_26": "Kollektivvereinbarung; Beschäftigte",
    },
    "French codes": {
        f"{CODES}/code-de-la-route.md#art_r311-1-1": "Système de conduite automatisé; Contrôle dynamique; Reprise en main; Demande de reprise en main; "
        "Période de transition; Domaine de conception fonctionnelle; Manœuvre à risque minimal; Manœuvre d'urgence; "
        "Dispositif d'enregistrement des données d'état de délégation de conduite",
        f"{CODES}/code-de-la-route.md#art_r433-17": "véhicules de protection; véhicules de guidage",
        f"{CODES}/cgi-annexe-3.md#art_38-quinquies": "valeur d'origine; prix d'achat",
        f"{CODES}/code-civil.md#art_544": "propriété",
        f"{CODES}/code-civil.md#art_545": "",
        f"{CODES}/code-civil.md#art_1100-1": "actes juridiques",
        f"{CODES}/code-civil.md#art_1105": "",
        f"{CODES}/code-civil.md#art_1582": "vente",
    },
    "contracts": {
        f"{CONTRACTS}/mutual-nda.md": "MNDA; Disclosing Party; Receiving Party; Confidential Information; Cover Page",
    },
}

STANDING: Mapping[str, Terms] = {
    "German laws": {
        f"{LAWS}/bwaldg.md": "Umwandlung",
        f"{LAWS}/bgb.md": "Wärmelieferung; Nachlasspfleger; Staffelmiete; Gesamthypothek; Reiseleistungen; Kleinbetragsinstrument; Lieferant; "
        "Inventar; Inventarerrichtung; Angemessen; Unternehmer; Sachen; Betriebskosten; Geburtsname; Hypothek; Personensorge; "
        "Zurückbehaltungsrecht; Funktionalität; mittelbarer Besitz; Ersitzung; Standardgeschäfte; Reiseveranstalter",
        f"{LAWS}/bbaug.md": "Landwirtschaft; Kostenspaltung; Städtebauförderungsmittel; Gesamtmaßnahme; Sozialplan; Enteignungsbehörde",
        "legal/de/bdsg_2018.md": "Übertragungskontrolle; Trennbarkeit; Datenträgerkontrolle; personenbezogene Daten",
        f"{LAWS}/ao_1977.md": "Prüfungsbericht; Bedingung; Mindestgebot; Steuerbescheid; Abteilungen",
        f"{LAWS}/estg.md": "Kalamitätsnutzungen; Sanierungsertrag; Erwerber; Sondernutzungen; Eigenkapitalvergleich; Begünstigungszeitraum; "
        "Anbieter; Hinzurechnungsbetrag; Kapitalertragsteuer",
        f"{LAWS}/aktg.md": "Gründungsbericht; Eingliederungsprüfer; Führungslosigkeit",
        f"{LAWS}/brphvanl.md": "Hochwasserrisiko; Starkregen",
        f"{LAWS}/betrvg.md": "Bordversammlung; Schiffe; Seebetrieb",
        f"{LAWS}/stgb.md": "Subventionsgeber; Vorsätzlich; Mittäter; Sperre; Trainer; Angehöriger; Amtsträger; Rechtswidrig",
        f"{LAWS}/bbhv.md": "Aussteuerung; Richtwert; Beihilfebescheid",
        f"{LAWS}/bfd-wahlv.md": "Wahlunterlagen",
        f"{LAWS}/bwahlgv.md": "Hersteller",
        "legal/de/gg.md": "Deutscher; Gemeinschaftsteuern",
    },
    "French codes": {
        f"{CODES}/code-de-la-route.md": "Véhicules de catégorie M; Autocar; Voiture particulière; poids à vide d'un véhicule; examinateur; "
        "résidence normale; charge indivisible; rappels de sécurité; agglomération; aire piétonne; piste cyclable; véhicule",
        f"{CODES}/cgi-annexe-3.md": "dépenses; établissement; petite brasserie indépendante; montant annuel; travaux de réhabilitation des logements; "
        "opérations de recherche scientifique ou technique; déficit; date de l'évaluation; montant des recettes; "
        "personnel des organismes publics ou privés; personnes à charge; subvention indirecte; activités bancaires ou financières; "
        "locaux; œuvres d'art; volailles; groupe; livraison; titres cotés; petite pêche côtière; animaux de boucherie et de charcuterie; "
        "valeur ajoutée; surface habitable à prendre en compte; produits cidricoles alimentaires",
        f"{CODES}/code-electoral.md": "candidat",
        f"{CODES}/code-civil.md": "transaction; cautionnement; contrat; en France; majorité et minorité; prêt à usage; dépôt; mandat ou procuration; "
        "donation entre vifs; legs universel; possession; créance nantie",
    },
    "contracts": {
        f"{CONTRACTS}/series-seed-preferred-stock-investment-agreement.md": "Agreement; Company; Purchase Price; Restated Charter; Purchaser; "
        "Series Seed Preferred Stock; Additional Closing; Closing; Common Stock; Preferred Stock; Key Holder; Securities Act; "
        "Company Intellectual Property; Next Financing; Holder; Shares; Proposed Sale; New Securities; Voting Shares; Board Designee; Initial Closing",
        f"{CONTRACTS}/cuad/MERCATAINC_03_09_2000-EX-10.21-SPONSORSHIP AGREEMENT.txt": "Agreement; FNW; Sponsor; Kingdome; NFL; Concept Ads; Products Ads; "
        "Term; Sponsorship Fee",
        f"{CONTRACTS}/cuad/CARDAX,INC_08_19_2014-EX-10.1-COLLABORATION AGREEMENT.txt": "Territory; Materials; Administrative Cost; Affiliate; Net Sales; Indemnified Party",
        f"{CONTRACTS}/cuad/BIOFRONTERAAG_04_29_2019-EX-4.17-SUPPLY AGREEMENT.txt": "Confidential Information; Failure to Supply; Product(s); CUTANEA",
        f"{CONTRACTS}/cuad/ELFBEAUTY,INC_07_02_2020-EX-10.1-COOPERATION AGREEMENT.txt": "Marathon Partners; Press Release; Parties; Replacement",
        f"{CONTRACTS}/cuad/ALLIANCEBANCORPINCOFPENNSYLVANIA_10_18_2006-EX-1.2-AGENCY AGREEMENT.txt": "FDIC; Bank Merger Application; MHC Application; Offerings",
    },
    "technical": {
        "technical/asvs/0x90-Appendix-A_Glossary.md": "Allowlist; Anti-forgery token; Authentication; Black box testing; CWE; Component; CSP; XSS; "
        "Cryptographic module; CSPRNG; DTLS; Design Verification; HSM; HQL; HSTS; Inactivity Timeout; IdP; LFI; Malware; MAC; MFA; RP; "
        "SQL Injection; Security Architecture; TOCTOU; TLS",
        "technical/nist-800-63b/sec5_authenticators.md": "HMAC; PBKDF2; FMR",
        "technical/nist-800-63b/sec8_security.md": "CSRF",
        f"{EIPS}/eip-1011.md": "epoch; finality; checkpoint; validator; validator set; dynasty; slash",
        f"{EIPS}/eip-6963.md": "Decentralized Application",
        f"{EIPS}/eip-3675.md": "POS_FORKCHOICE_UPDATED; TERMINAL_BLOCK_NUMBER; TERMINAL_BLOCK_HASH",
        f"{EIPS}/eip-8051.md": "NTT",
        f"{EIPS}/eip-8205.md": "FORK_BLOCK",
        "technical/peps/pep-0480.rst": "Target files; top-level role; Online key",
        "technical/peps/pep-3146.rst": "GIL",
        "technical/rfc/rfc7230.txt": "user agent; sender; recipient; inbound; ABNF",
    },
    "US law": {
        "legal/alabama-constitution.md": "Special tax; County; BOARD; AMORTIZED PREMIUM; TRUST CAPITAL; TRUSTEE; STATE; TRUST FUND; TRUST INCOME; Northern District; "
        "lands; Dedication; Alabama Trust Fund; Motor Fuel Tax; Property Tax; elected Mobile County official; aggregate insignificant fiscal impact; "
        "commission; state use tax; state sales tax; election precincts; member; RELATED SECURITIES; Judge; Retire; Masters",
    },
}
