"""Compounds and their parts: `Kündigungsfrist` is made of `Kündigung` and `Frist`, `huurovereenkomst` of `huur` and `overeenkomst`.

A word is taken apart where all of it is made of words that are known here, with or without a linking sound between them. Of
several ways the one with the fewest parts counts. A word that is known itself stays whole.

To teach hierdoc a language, add what its compounds are made of to `CONSTITUENTS`, and its links to `_LINKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

_SHORTEST, _LONGEST = 7, 60
"""Letters of a word that is looked at."""

_SHORTEST_PART = 3


class Splitter:
    """Takes the compounds of a language apart.

    Args:
        language: One of `CONSTITUENTS`.
        fold: Brings a word to the form in which words are given.
        stem: Stems a folded word.
    """

    def __init__(
        self, language: str, fold: Callable[[str], str], stem: Callable[[str], str]
    ) -> None:
        self._heads: dict[str, str] = {}
        self._modifiers: dict[str, str] = {}
        for word in map(fold, CONSTITUENTS[language].split()):
            stemmed = stem(word)
            for form in (word, *_changed(word, _ENDINGS[language])):
                if stem(form) == stemmed:
                    self._heads[form] = stemmed
            for form in (word, *_changed(word, _LINKS[language])):
                self._modifiers.setdefault(form, stemmed)
        self._longest_part = max(map(len, (*self._heads, *self._modifiers)))

    def parts(self, word: str) -> tuple[str, ...]:
        """The stems of a compound's parts, in order; none where a word is no compound.

        Args:
            word: Folded. Takes time in proportion to its length.
        """
        if not _SHORTEST <= len(word) <= _LONGEST or word in self._heads:
            return ()
        ways: list[tuple[str, ...] | None] = [None] * len(word)
        ways[0] = ()
        for end in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
            ways[end] = self._fewest(ways, word, end, self._modifiers)
        return self._fewest(ways, word, len(word), self._heads) or ()

    def _fewest(
        self,
        ways: list[tuple[str, ...] | None],
        word: str,
        end: int,
        known: Mapping[str, str],
    ) -> tuple[str, ...] | None:
        """What the word up to `end` is made of, in the fewest parts, the last one as long as can be; None where it is of nothing known."""
        best = None
        for start in range(max(0, end - self._longest_part), end - _SHORTEST_PART + 1):
            before = ways[start]
            if before is not None and (best is None or len(before) + 1 < len(best)):
                last = known.get(word[start:end])
                if last is not None:
                    best = (*before, last)
        return best


def _changed(word: str, endings: str) -> Iterator[str]:
    """The word with each of these endings, which stand apart by white space: `en` is added, `s>zen` put in the place of an `s`."""
    for ending in endings.split():
        dropped, _, added = ending.rpartition(">")
        if word.endswith(dropped) and len(word) - len(dropped) >= _SHORTEST_PART:
            yield word[: len(word) - len(dropped)] + added


_LINKS: Mapping[str, str] = {
    "de": "s es n en er e e>",
    "nl": "s e en n er",
}
"""How the first part of a compound differs from the word: `Arbeitszeit`, `Kinderbett`, `Schulweg`."""

_ENDINGS: Mapping[str, str] = {
    "de": "s es n en er ern e em se sen ses nen in innen",
    "nl": "s e en n er eren te ten s>zen f>ven k>kken l>llen m>mmen n>nnen p>ppen t>tten",
}
"""How forms of a word differ from it; what changes its stem is left out."""

CONSTITUENTS: Mapping[str, str] = {
    "de": """
        gestattung donau änderung gestattung
        abend abfall abgabe abgas abkommen ablauf abnahme abnehmer abrechnung abrede abruf absatz abschlag abschluss
        abschnitt abschrift absicht absprache abstand abstimmung abteilung abwasser abwehr abweichung abzug acker adel
        adoption adresse agentur akkreditierung akte aktie aktion aktionär alarm alkohol allgemein alltag alt alter amt
        analyse anbieter anfall anfang anfechtung anforderung anfrage angabe angebot angehörige angehörigkeit
        angelegenheit angriff angst anhang anhörung anker anklage anlage anlass anleger anleihe anleitung anmeldung
        annahme anordnung anpassung anrechnung anrede anruf ansatz anschluss anschrift anschuldigung ansicht ansprache
        anspruch anstalt anstellung anteil antrag antwort anwalt anwaltschaft anwendung anwesenheit anwärter anzahl
        anzeige apotheke apparat arbeit arbeiter arbeitgeber arbeitnehmer archiv arm armee art arzneimittel arzt asyl
        atom aufbau aufbewahrung aufenthalt aufgabe aufhebung aufklärung auflage auflösung aufnahme aufrechnung aufruf
        aufschub aufsicht auftrag auftraggeber auftragnehmer aufwand aufwendung aufzeichnung aufzug auge ausbau
        ausbilder ausbildung ausdruck auseinandersetzung ausfall ausfuhr ausführung ausgabe ausgang ausgleich auskunft
        ausland auslieferung auslosung ausländer ausnahme ausrüstung aussage ausschluss ausschreibung ausschuss
        ausstattung ausstellung austausch austritt auswahl ausweis ausweisung auszahlung auszug auto automat außen bad
        bade bahn bahnhof bakterie ball band bank bankrott bargeld basis bau bauer baum beamte beauftragte bebauung
        bedarf bedienung bedingung bedrohung bedürfnis bedürftig beendigung befehl befragung befreiung befugnis
        beförderung begehren beginn beglaubigung begleitung begrenzung begriff begründung behandlung behinderung behörde
        beihilfe beirat beistand beitrag beitritt bekanntgabe bekanntmachung belastung beleg belehrung beleidigung
        beleuchtung bemessung benachrichtigung benutzer benutzung berater beratung berechnung berechtigt berechtigte
        berechtigung bereich bereitschaft berg bergbau bericht berichtigung beruf berufung besatzung beschaffung
        bescheid bescheinigung beschlagnahme beschluss beschreibung beschränkung beschuldigte beschwerde beschädigung
        beschäftigte beschäftigung beseitigung besetzung besitz besitzer besoldung besorgung bestand bestandteil
        bestechung bestellung bestimmung bestrafung bestätigung besuch beteiligte beteiligung betrachtung betrag
        betreiber betreuer betreuung betrieb betrug beurkundung beurlaubung beurteilung bevollmächtigte bevölkerung
        bewahrung beweis bewerb bewerber bewerbung bewertung bewilligung bewirtschaftung bewährung bezahlung bezeichnung
        bezirk bezug bibliothek bier bilanz bild bildschirm bildung bindung biologie blatt blau blei blick blut boden
        boot botschaft brand brauch brauerei breit brenn brief bruch brust brücke buch buchhaltung buchung budget bund
        bundesrat bundesrepublik bundestag buße börse bühne bürge bürger bürgermeister bürgschaft büro chance chef
        chemie computer dach dame dampf darlehen darstellung datei daten datum dauer decke deckung definition deich
        demokratie denkmal deponie dezember diagnose dialog dichte dieb diebstahl dienst dienstleistung diesel ding
        diplom direktor disziplin dokument dokumentation dolmetscher doppel dorf draht dreh dritte drittel drogen
        drohung druck durchführung durchschnitt durchsuchung dünger ebene ehe ehegatte ehre eid eidesstatt eigentum
        eigentümer eignung eilverfahren einbau einbürgerung einfuhr einführung eingabe eingang eingriff einheit einigung
        einkauf einkommen einkunft einlage einleitung einnahme einreise einrichtung einsatz einschreibung einschränkung
        einsicht einspruch einstellung einstufung eintrag eintragung eintritt einwand einwendung einwilligung einwohner
        einzahlung einzel einziehung eis eisen eisenbahn elektrizität elektro elektronik element eltern empfang
        empfehlung empfänger energie enkel enteignung entfernung entgelt entlassung entlastung entscheidung
        entschädigung entsendung entsorgung entwicklung entwurf entziehung entzug erbe erben erblasser erbschaft erde
        erdöl ereignis erfahrung erfassung erfinder erfindung erfolg erforderlichkeit erfüllung ergebnis ergänzung
        erhaltung erhebung erholung erhöhung erinnerung erkenntnis erklärung erlass erlaubnis erlös ermessen ermittlung
        ermächtigung ermäßigung ernennung ernte ernährung erpressung errichtung ersatz erscheinung erstattung ersuchen
        erteilung ertrag erwachsene erwerb erwerber erzeuger erzeugnis erzeugung erzieher erziehung eröffnung ess essen
        etat euro europa export fabrik fach fahr fahren fahrer fahrrad fahrt fahrzeug faktor fall familie farbe fass
        fassung fehler feier feiertag feind feld fenster ferien fern fernsehen fest festsetzung feststellung feuer
        feuerwehr figur film filter finanz finanzen finanzierung firma fisch fischerei flasche fleisch flieg flieger
        flucht flug flugzeug fluss flut fläche flüchtling folge forderung form formular forscher forschung forst
        fortbildung fortführung foto fracht frage fraktion frau frei freiheit freistellung freizeit freizügigkeit fremd
        freund frieden friedhof frist frucht frühling fund funktion futter fuß fähig fähigkeit fälligkeit fälschung
        förderung führ führer führung fürsorge garage garantie garten gas gast gaststätte gebiet gebot gebrauch geburt
        gebäude gebühr gedächtnis gefahr gefangene gefährdung gefängnis gegenstand geh gehalt geheimnis gehör geist gelb
        geld gelegenheit geltung gemeinde gemeinschaft gemüse genehmigung general generation genosse genossenschaft
        genuss gericht gerät gesamt geschichte geschlecht geschwindigkeit geschwister geschädigte geschäft gesellschaft
        gesellschafter gesetz gesetzgebung gesicht gespräch gestaltung gestein gesuch gesund gesundheit getreide getränk
        gewahrsam gewalt gewebe gewehr gewerbe gewerkschaft gewicht gewinn gewissen gewohnheit gewähr gewährleistung
        gewährung gewässer gift gipfel glas glaube gleichstellung glied gliederung gläubiger glück gold grab graben grad
        gremium grenze groß grund grundbuch grundlage grundrecht grundsatz grundschuld grundstück gruppe größe grün gut
        gutachten gutachter gutschrift gültigkeit güter haar hafen haft haftung hagel halb halle halt halter haltung
        hand handel handlung handwerk handwerker haupt haus haushalt haut hebamme heft heil heim heimat heirat heiz
        heizung helfer hemmung herausgabe herkunft hersteller herstellung herz hilfe himmel hinterbliebene hinterlegung
        hinweis hitze hoch hof holz honorar hotel hund hygiene hypothek händler häng höchst höhe hörer idee immission
        immobilie impfung import index industrie informatik information infrastruktur ingenieur inhaber inhalt inland
        innen insel insolvenz inspektion institut instrument integration interesse internet invalidität inventar
        investition investor irrtum jagd jahr jahrgang jahrhundert jubiläum jugend jugendliche jung junge jurist justiz
        kabel kabinett kalender kalkulation kalt kammer kampf kanal kandidat kanzler kapazität kapital kapitel karte
        kartell kasse katalog katastrophe kauf kaufmann keller kenntnis kennzeichen kennzeichnung kern kette kind kinder
        kirche klage klasse klausel kleb kleid kleidung klein klima klinik kläger knappschaft knochen koch kohle kollege
        kommission kommune kompetenz konferenz konkurrenz konkurs konsum kontakt konto kontrolle konzept konzern
        konzession kopf korruption kosten kraft kraftfahrt kraftfahrzeug krank kranke kranken krankheit kredit kreis
        krieg krise kuh kultur kunde kunden kunst kurs kurve kurz käufer können körper körperschaft küche kündigung
        künstler küste labor lade laden ladung lage lager lagerung land landschaft landtag landwirt landwirtschaft lang
        last lauf laufbahn leben lebenslauf leder leergut lehr lehre lehrer lehrgang leib leiche leicht leih leistung
        leiter leitung les lesen leute licht liebe lieferant lieferung liegenschaft linie liste lizenz lohn los luft
        lust länge lärm löschung lösung lüftung macht mahlzeit mahnung makler mandant mandat mangel mann mannschaft
        marke markt maschine masse material matrose mauer maß maßnahme medien medikament medizin meer mehr mehrheit
        meile meister melder meldung menge mensch menschen merkmal mess messe messung metall meter methode methodik miet
        miete mieter milch militär minder minderheit minderung minister ministerium minute misch missbrauch mission
        mitarbeiter mitbestimmung miteigentum miteigentümer mitglied mitgliedschaft mitteilung mittel mitwirkung modell
        monat moor moral mord motor mund museum musik muster mutter mutterschaft männer mäßig möbel müll münze nachbar
        nachfolge nachfolger nachfrage nachlass nachprüfung nachricht nacht nachteil nachweis name namen nass nation
        natur nebel nest netz neu niederlassung niederschrift nominierung norm notar notiz november null nummer nutz
        nutzen nutzer nutzung oberfläche objekt obst offenbarung offenlegung offizier ohr omnibus opfer option ordnung
        organ organisation original ort oster paar pacht packung paket panzer papier park parkett parlament partei
        partner partnerschaft pass passagier patent patient pause pension person personal personenstand pfand pferd
        pflanze pfleg pflege pflegschaft pflicht pflichtig pflichtige pflichtteil pfändung phase plan planung platz
        politik politiker polizei portal porto position post posten praktikum praxis preis presse prinzip privat probe
        problem produkt produktion professor prognose programm projekt prospekt protokoll prozent prozess prämie
        präsident prüf prüfer prüfung pumpe punkt pächter qualifikation qualifizierung qualität quartal quelle quittung
        quote rabatt rad rahmen rand rang rat rate rathaus raub rauch raum reaktion reaktor rebe rechenschaft rechnung
        rechnungslegung recht rechte rechtsprechung rede redner reederei reform regel regelung regen regierung regime
        region register registrierung rehabilitation reich reife reihe reinigung reise reisende reit rendite rente
        rentner reparatur republik reserve rest restaurant rettung revision rhein richter richtlinie richtung ring
        risiko roh rohr rohstoff rolle rot ruf ruhe rundfunk räumung rück rückgabe rückgang rückgriff rücklage rücknahme
        rückstand rückstellung rücktritt rüstung saatgut sache sachen sachverhalt sachverständige saft saison salz
        sammlung sand sanierung sanktion satz satzung schaden schaft schall schatz scheck scheidung schein schenkung
        schicht schieb schiedsrichter schieß schiff schifffahrt schild schlacht schlaf schlag schlichtung schließung
        schluss schlüssel schmerz schmutz schnee schnitt schreib schrift schritt schuld schulden schuldner schule
        schulung schuss schutz schwanger schwangere schwangerschaft schwarz schwein schweiz schwelle schwer
        schwerbehindert schwerbehinderte schwester schwimm schädigung schätzung schöffe schüler see seele segel seh
        seite sekretär sekunde selbst semester senat sende sender sendung serie service sicherheit sicherung sicht
        siedlung sieg siegel signal signatur silber sitte sitz sitzung soldat solidarität sommer sonder sonn sonne
        sonntag sorge sorgfalt sorte sortiment sozial spalte spannung spar speicher speicherung speise sperre spezial
        spiegel spiel spieler spirituosen spital sport sprache sprech sprecher staat stadt stahl stall stamm stand
        standard standort start station statistik statut staub steh steiger steigerung stein stell stelle stellen
        stellung stellungnahme stellvertreter stempel sterbe steuer steuerung stich stiftung stil stimme stipendium
        stoff straf strafe strahl strahlung strand straße strecke streik streit strom struktur student studie studium
        stufe stunde stundung sturm städte stätte störung stück substanz subvention such suche sucht summe system säule
        süß tabak tabelle tag tage tagung takt tal tank tarif tasche tat tatsache tausch taxi technik technologie teil
        teile teilhabe teilnahme teilnehmer teilung telefon telekommunikation temperatur termin test testament text
        theater thema theorie therapie tief tier tipp tisch titel tochter tod ton tor tot tote tour tourist tradition
        training transport treffen treib trenn trennung treue treuhand trieb trink trocken tropfen truppe träger turm
        turn typ täter tätigkeit täuschung tür ufer uhr umfang umgang umgebung umlage umsatz umsetzung umstand
        umwandlung umwelt umzug unfall unfähig universität unterbrechung unterbringung untergang unterhalt unterhaltung
        unterkunft unterlage unterlagen unterlassung unternehmen unternehmer unterricht unterrichtung unterschied
        unterschrift unterstützung untersuchung urheber urkunde urlaub ursache ursprung urteil vater vaterschaft
        veranlagung veranlassung veranstalter veranstaltung verantwortung verarbeitung verband verbindlichkeit
        verbindung verbot verbrauch verbraucher verbrechen verbreitung verdacht verdienst verein vereinbarung
        vereinigung verfahren verfall verfasser verfassung verfolgung verfügung vergabe vergehen vergleich vergütung
        verhalten verhandlung verhinderung verhältnis verhütung verjährung verkauf verkehr verkäufer verkündung verlag
        verleihung verletzung verlobung verlust verlängerung vermieter vermietung vermittler vermittlung vermächtnis
        vermögen vernehmung vernichtung verordnung verpackung verpflegung verpflichtung verpächter verrat versammlung
        versand verschmelzung verschulden versetzung versicherer versicherte versicherung versorgung versprechen
        versteigerung verstoß verstärkung versuch verteidiger verteidigung verteilung vertrag vertrauen vertreter
        vertretung vertrieb verwahrung verwalter verwaltung verwandte verwandtschaft verweigerung verwendung verwertung
        verwirkung verzeichnis verzicht verzug verzögerung veräußerung veröffentlichung video vieh viel viertel vogel
        volk voll vollmacht vollstreckung vollzug volumen voraussetzung vorbehalt vorbereitung vorbescheid vorbildung
        vordruck vorfall vorgang vorgesetzte vorhaben vorkauf vorkehrung vorlage vorlesung vormund vormundschaft vorrang
        vorrat vorrichtung vorsatz vorschlag vorschrift vorschuss vorsitz vorsitzende vorsorge vorstand vorstellung
        vorteil vortrag vorzug völker waffe waffen wagen wahl wahrnehmung wahrung wald wand wander wanderung wappen ware
        waren warm warnung wart wartung wasch wasser web wechsel weck weg wege wehr wein weise weisung weiterbildung
        weiß welle welt werb werbung werf werk werkstatt wert wesen wettbewerb wette wetter widerruf widerspruch
        widerstand widrig wiederaufnahme wille wind winter wirk wirkung wirt wirtschaft wissen wissenschaft witwe woche
        wochen wohl wohn wohnen wohnsitz wohnung wort wucher wunsch wähler währung wärme würde würdig zahl zahlung zahn
        zeichen zeichn zeichner zeichnung zeit zeiten zeitschrift zeitung zelle zelt zentrale zentrum zertifikat zession
        zeuge zeugen zeugnis zieh ziel ziffer zimmer zins zinsen zivil zoll zone zubehör zucht zucker zufall zug zugang
        zugehörigkeit zulage zulassung zunahme zurückbehaltung zusage zusammenarbeit zusammenschluss zusatz zuschlag
        zuschuss zustand zustellung zustimmung zuständigkeit zuteilung zutritt zuverlässigkeit zuwendung zuwiderhandlung
        zwang zweck zweifel zweig zwilling zähler züchter öffentlichkeit öffnung öl übergabe übergang überlassung
        überleitung übermittlung übernahme überprüfung überschuss übersetzung übersicht übertragung überwachung
        überweisung überzahlung übung
        """,
    "nl": """
        bijslag opzeg aanbesteding aanbieding aanbod aandacht aandeel aandeelhouder aangifte aanhouding aanklacht aankoop aanleg
        aanmelding aanname aanpak aanpassing aanschaf aanslag aansluiting aanspraak aansprakelijkheid aanstelling aantal
        aanvaarding aanvang aanvraag aanvrager aanvulling aanwijzing aanzegging aard accijns acte actie adel
        administratie adoptie adres advies adviseur advocaat afdeling afdracht afgifte afhandeling afkoop afloop afname
        afnemer afschrift afschrijving afspraak afstand afstemming afval afweging afwijking afwijzing agenda agent
        akkoord akte alarm alcohol algemeen alimentatie ambt ambtenaar analyse anker antwoord apotheek apparaat appel
        arbeid arbeider archief arm armoede arrest arrondissement arts asiel asielzoeker atoom auteur auto automaat baan
        baas baat bad bagage bak bal balans band bank basis bedrag bedrijf bedrog beeld been beer begeleiding begin
        begrip begroting behandeling beheer beheerder behoefte behoud bejaarde bejaarden beklag bekwaamheid belang
        belanghebbende belasting belastingplichtige belegging beleid belemmering benadeling benoeming beoordeling
        bepaling beperking beraad berekening bericht beroep bescherming beschikbaarheid beschikking beschrijving beslag
        beslissing besluit besparing bestand bestelling bestemming bestrijding bestuur bestuurder betaling betekening
        betekenis betrokkene betrouwbaarheid beurs bevel bevoegdheid bevolking bevordering bewaring beweging bewijs
        bewoner bezit bezitter bezoek bezwaar bibliotheek bier bijdrage bijlage bijstand bijzonder blad blauw blik bloed
        bloem bodem boek boeken boer boerderij boete bom bond boom boord boot bord borg borgtocht bos bouw bouwer brand
        breuk brief brievenbus broeder brood brug bruid bruto buik burgemeester burger buurt cel centrum certificaat
        chef cheque cliënt code collectie college comité commissaris commissie compensatie computer concern concurrentie
        conferentie conflict consument contact contract controle correctie coöperatie crediteur crisis cultuur curator
        cursus dader dag dagvaarding dak dal dam dans data datum debat debiteur deel deelname deelnemer deelneming dek
        dekking delfstof delict democratie depot deskundige deur deurwaarder diefstal dienst dienstverlening dier dijk
        diploma directeur directie discipline document doel domein donor dood dorp dossier douane draad drank droom drug
        druk duur dwang dwangsom echt echtgenoot echtscheiding economie eed eenheid effect effecten eigenaar eigendom
        eiland eind eis eiser elektriciteit element ellende energie enquête erf erfenis erfgenaam erflater erkenning
        ernst ervaring etage europa examen exploitatie export fabriek factuur faillissement familie fase feest feit
        feiten fiets figuur film financiering firma fiscus fles fonds formulier fraude functie gas gast gebied geboorte
        gebouw gebrek gebruik gebruiker gebruikers gedeelte gedrag geheim geheimhouding gehoor geld gelijkheid geluid
        gemeenschap gemeente genees geneesmiddel generatie gerecht geschiedenis geschil geslacht gesprek getuige
        getuigen getuigenis gevaar geval gevangene gevangenis gevel geweld gewest gewicht gezag gezin gezondheid gift
        glas god goed goederen gordel graad graan graf grens groei groen groente groep grond grootouder grootte gunning
        haar haard hand handel handelaar handeling handhaving handtekening haven heer heffing hek helft herstel
        herziening hof hond hoofd hoog hoogte hotel houder houding hout huis huishouden huisvesting hulp huur huurder
        huwelijk hypotheek idee identiteit import inbreng inbreuk indeling indiener indiening industrie informatie
        ingang inhoud inkomen inkomsten inkoop inlichting inlichtingen inning inrichting inschrijving inspanning
        inspecteur inspectie instelling instemming instituut instructie interesse intrekking invloed invoer invordering
        inwoner inzage inzet jaar jacht jeugd jongere jongeren journalist kaart kabel kabinet kade kader kamer kanaal
        kandidaat kans kanton kantoor kapitaal kas kasteel kennis kennisgeving kerk kern ketting keuken keuring keus
        keuze kind kinder kinderen klacht klager klant klas kleding kleur klimaat klok kloof knop koers koffie koning
        koop kop koper koppel korps korting kosten kracht krant krediet kring kudde kunst kust kwaliteit kwartaal laag
        laan laboratorium lading lamp land landbouw last lawaai leeftijd leer leerling leger leges lengte lening leraar
        les leven leverancier levering lichaam licht lid lidmaatschap lijf lijn lijst list loon loop looptijd lucht
        luchthaven luchtvaart maaltijd maand maat maatregel maatschap maatschappij machine macht man mandaat mantel
        markt materiaal materieel medewerker medewerking meld melding meldpunt melk mens mensen merk mes meter methode
        middel middelen mijn milieu militair minder minderheid minimum minister ministerie misbruik misdaad misdrijf
        model moeder moment mond monument moord motor munt museum muziek naam nacht nadeel naheffing nalatenschap natuur
        navordering net netwerk nevel nietigheid nieuws norm nota notaris notitie nummer object oever offerte officier
        olie omgang omgeving omstandigheid omvang omzet onderdeel onderhoud ondernemer onderneming onderpand onderscheid
        ondersteuning ondertekening onderwerp onderwijs onderzoek ongeval onroerend ontbinding onteigening ontheffing
        ontslag ontvanger ontvangst ontwerp ontwikkeling oog oor oordeel oorlog oorzaak oost opbrengst opdracht
        opdrachtgever opdrachtnemer openbaarheid openbaarmaking opgave opheffing opleiding oplichting oplossing opname
        opschorting opslag opsporing opstal opvang opvoeding opzegging opzet orde ordening orgaan organisatie ouder
        ouderdom ouders ouderschap overdracht overeenkomst overgang overheid overlast overleg overleving overlijden
        overname overtreder overtreding overzicht paard pacht pachter pakket paleis pand papier park parkeer parkeren
        parket parlement partij partner paspoort patiënt pensioen periode perron pers personeel persoon plaats plaatsing
        plan planning plant platteland plein plicht ploeg polis politie politiek pomp poort portefeuille post praktijk
        premie prestatie prijs procedure proces product productie proef proeftijd programma project protocol provincie
        punt raad raam rand rapport recht rechtbank rechten rechter rechtsbijstand rechtspersoon rechtspraak reclame
        reden reeks regel regeling regen regering regie regio register registratie reis reiziger rekening rente
        reparatie reserve restaurant revisie richting richtlijn rij rijbewijs rijk rijst ring risico rivier rol rook
        ruim ruimte rust saldo samenleving samenwerking sanctie schade schadevergoeding schat schatting scheepvaart
        scheiding schema schenking scherm schikking schip school schors schorsing schrift schrijver schuld schuldeiser
        schulden schuldenaar seconde secretaris sector sein selectie signaal slaap slacht slachtoffer slag slot sluis
        sluiting smaak sociaal soldaat solidariteit soort spaar speel spel spelen speler spoed spoor sport spraak
        spreker sprong staat stad stage stal stam stand standplaats start station statuten statuut steden steen stelling
        stelsel stem stemming ster steun stichting stijl stof stoffen stoom storing straat straf strand streek strijd
        stroom student studie stuk subsidie systeem taak taal tafel tak tand tarief team techniek teelt tegemoetkoming
        teken tekening tekort tekst telefoon televisie termijn terras terrein theater thema therapie thuis tijd tijden
        titel toegang toelage toelating toelichting toepassing toerisme toeslag toestand toestel toestemming toets
        toetsing toewijzing toezicht toezichthouder toon toren traject transport trein trekker troon trouw tuin type
        uitbreiding uitgang uitgave uitgever uitkering uitleg uitlevering uitreiking uitrusting uitspraak uitstel
        uitstoot uitvaart uitvoer uitvoering uitzending uitzondering uur vaar vaart vaartuig vader vak vakantie vakbond
        vastgoed vaststelling veiligheid veiling veld venster verantwoordelijkheid verantwoording verband verbetering
        verbintenis verblijf verbod verbruik verbruiker verdachte verdediging verdeling verdrag vereffenaar vereffening
        vereiste verenging vereniging vergadering vergoeding vergunning verhaal verhoging verhoor verhouding verhuur
        verhuurder verjaring verkeer verkiezing verklaring verkoop verkoper verkoping verlenging verlening verlies
        verlof vermelding vermindering vermogen vernieling verordening verpakking verpleeg verpleging verplichting
        verrekening verschil verslag verstek verstrekker verstrekking vertegenwoordiger vertegenwoordiging vertraging
        vertrek vertrouwen vervaldag vervanging vervoer vervoerder vervolging vervreemding verwarming verweer verwerker
        verwerking verwijdering verzekeraar verzekerde verzekering verzet verzoek verzoeker verzorging verzuim vestiging
        veto vezel viering vis visserij vlag vlees vlieg vliegtuig vliegveld vloer vlucht vluchteling voeding voedsel
        voertuig voet volk volmacht volume vonnis voogd voogdij voorbereiding voordeel voorkeur voorraad voorrang
        voorschot voorschrift voorstel voorwaarde voorziening voorzieningen voorzitter vordering vorm vorming vraag
        vracht vrede vreemd vreemdeling vrij vrijheid vrijstelling vrouw vrouwen vrucht vuil vuur waarborg waarde
        waarneming waarschuwing wacht wagen wand wapen wapens waren warmte was water waterschap week weg wegen weide
        weigering wereld werk werkgever werking werkloosheid werknemer wet wetboek wetenschap wetgever wetgeving wetten
        wezen wiel wijk wijn wijziging wil wind winkel winst winter wissel woning woon woord zaak zaken zand zee
        zeevaart zegel zekerheid zelf zelfstandige zetel ziek zieken ziekenhuis ziekte zitting zoek zomer zondag zone
        zorg zuivering zuster zwanger zwangerschap zwem
        """,
}
"""Language (ISO 639-1) -> words of which its compounds are made, in their base form, apart by white space."""
