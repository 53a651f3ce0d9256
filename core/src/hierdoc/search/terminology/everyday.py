"""What people say, and what laws, contracts and specifications write instead, by language.

A line holds the everyday words for a thing, words or phrases apart by commas, and after the colon the words that texts have for it. Write
them as a dictionary has them: forms are told apart by their stems. What titles of laws use is no everyday word, even if people say it too:
a query with the law's own words finds them better alone.
"""

from __future__ import annotations

from collections.abc import Mapping

EVERYDAY: Mapping[str, str] = {
    "de": """
        chef, boss: arbeitgeber dienstberechtigter
        mitarbeiter, angestellter, kollege, belegschaft: arbeitnehmer beschäftigte
        azubi, lehrling: auszubildende berufsausbildung
        firma: betrieb unternehmer arbeitgeber
        job: arbeitsverhältnis dienstverhältnis arbeitsplatz
        verdienen, verdienst: vergütung arbeitsentgelt bezüge
        entlassen, feuern, gefeuert, rauswerfen, rauswurf, rausschmiss: kündigung
        auf der stelle, von heute auf morgen: fristlos unverzüglich
        feierabend, freie zeit: ruhezeit
        pause: ruhepause
        überstunde: mehrarbeit arbeitszeit
        nachts, wochenende: nachtarbeit sonntag feiertag
        urlaub, ferien: erholungsurlaub
        krankgeschrieben, krankschreibung: krankheit arbeitsunfähigkeit
        streik, streiken: arbeitskampf
        bewerben, bewerbung: einstellung
        schwanger: schwangerschaft
        mobbing, schikane: benachteiligung belästigung
        homeoffice: telearbeit

        kaution: mietsicherheit sicherheitsleistung
        nebenkosten: betriebskosten
        hausbesitzer, hauseigentümer, hauswirt: vermieter eigentümer
        untervermieten, untermieter, untermiete: gebrauch dritten überlassen gebrauchsüberlassung
        ausziehen, auszug: rückgabe mietsache räumung
        schimmel, heizung, lärm: mangel mietsache immissionen
        teurer: erhöhung
        nachbar: nachbargrundstück grundstück
        haus, garten: grundstück gebäude
        zaun, hecke: einfriedung grenze
        ast: zweige grenze
        umbauen, anbauen: errichtung bauliche anlage

        ding: sache
        kaputt, defekt: mangel beschädigung
        reparieren, reparatur: nacherfüllung instandsetzung mangel
        umtauschen, zurückgeben, zurückschicken: rückgabe widerruf rücktritt
        rückgängig, stornieren, absagen: widerruf widerrufsrecht rücktritt
        geld zurück: erstattung rückzahlung minderung
        online, internet, onlinekauf: fernabsatz elektronisch
        vertippt, verrechnet, verschrieben, missverständnis: irrtum anfechtung
        belogen, reingelegt, getäuscht, betrogen: täuschung arglistig
        bedroht, gezwungen: drohung widerrechtlich
        eintreiben, einfordern: anspruch forderung
        pleite, bankrott: insolvenz zahlungsunfähigkeit
        ausleihen, geliehen, borgen: leihe darlehen
        geradestehen, aufkommen: haftung schadensersatz
        kleingedrucktes, agb: allgemeine geschäftsbedingungen
        zu spät: verzug säumnis
        bank: kreditinstitut zahlungsdienstleister
        bankkarte, kreditkarte: zahlungsinstrument
        handwerker: werkvertrag unternehmer
        urlaubsreise: pauschalreise reisevertrag
        mündlich, per mail, unterschreiben, unterschrift: schriftform textform
        schmerzensgeld: immaterieller schaden entschädigung
        hund, katze, haustier: tierhalter tier
        gefunden: finder fund

        teenager: minderjähriger
        wie alt, welchem alter, mindestalter: lebensjahr vollendet volljährigkeit
        erwachsen: volljährigkeit
        heiraten, hochzeit, verheiratet: ehe eheschließung ehegatte
        ehemann, ehefrau, ehepaar: ehegatte
        geschieden: ehe scheidung scheitern
        alimente: unterhalt
        getrennt: getrenntleben
        sorgerecht: elterliche sorge
        besuchsrecht: umgang
        papa, mama: vater mutter
        oma, opa: großeltern
        prügeln, verprügeln, schlagen, ohrfeige: körperverletzung misshandlung gewalt
        letzter wille: testament letztwillige verfügung
        gestorben, tot, stirbt, verstorben: tod verstorben erbfall erblasser
        enterben, enterbt: pflichtteil
        behindert: schwerbehinderte menschen mit behinderungen

        gefängnis, knast: freiheitsstrafe
        droht: freiheitsstrafe geldstrafe bestraft
        knöllchen, strafzettel, bußgeld: geldbuße ordnungswidrigkeit
        klauen, geklaut, stehlen, gestohlen, dieb: diebstahl wegnimmt
        einbrechen, einbrecher, einbruch: einbricht eindringt diebstahl
        ausrauben, überfall: raub
        umbringen, ermorden, mörder: tötung totschlag
        vergewaltigen, begrapschen: sexuelle übergriff nötigung
        zwingen: nötigung
        abzocken, schwindeln, schwindel: betrug täuschung vermögen
        beschimpfen: beleidigung
        lügen, gerücht: unwahre tatsache verleumdung aussage
        gefälscht: unechte urkunde verfälscht
        falschgeld: geldfälschung
        schmiergeld, schmieren: vorteil bestechung vorteilsgewährung
        anzünden, feuer legen: brandstiftung brand
        kaputtmachen, demolieren: sachbeschädigung zerstört
        betrunken, besoffen, alkohol: getränke berauschende mittel trunkenheit
        drogen, rauschgift, kiffen: betäubungsmittel berauschende mittel
        auto, wagen, autofahren, motorrad: fahrzeug kraftfahrzeug
        führerschein: fahrerlaubnis
        unglück, unfall: unglücksfall
        abhauen, wegfahren, fahrerflucht: entfernen unfallort
        schwarzfahren: erschleichen leistungen beförderung
        wehren, verteidigen: notwehr
        mitmachen, komplize: beihilfe mittäter
        absichtlich: vorsatz vorsätzlich
        aus versehen, unvorsichtig: fahrlässig
        verrückt, geisteskrank, psychisch krank: seelische störung schuldunfähig
        abtreibung, abtreiben: schwangerschaftsabbruch
        entführen, geisel: geiselnahme menschenraub entziehung
        einsperren, eingesperrt: freiheitsberaubung
        hacken, hacker, gehackt: ausspähen daten
        abhören, belauschen, ausspionieren: vertraulichkeit wortes
        ausplaudern, weitererzählen: geheimhaltung verschwiegenheit offenbart
        quälen: misshandlung
        nazi, hakenkreuz: verfassungswidrige organisationen kennzeichen
        spion: landesverrat agententätigkeit
        müll: abfälle

        verklagen, vor gericht ziehen: klage gericht zuständigkeit
        beschweren: beschwerde
        gegen den bescheid, widersprechen: einspruch widerspruch rechtsbehelf
        anzeige erstatten: strafantrag anzeige
        verhaften, festnehmen: festnahme freiheitsentziehung
        hausdurchsuchung: durchsuchung wohnung
        anwalt: rechtsanwalt verteidiger
        einverstanden, erlauben: einwilligung zustimmung
        abschaffen, aufhören: aufhebung beendigung
        informieren, bescheid sagen, bescheid geben: unterrichtung mitteilung
        ansehen, anschauen, einsehen: einsicht
        bezahlen, bezahlt: kosten trägt
        treffen: sitzung einberufung versammlung
        abstimmen: wahlberechtigt wahl
        kandidieren, aufstellen lassen: wählbar wahlvorschlag
        abwählen, stürzen, absetzen: misstrauen abberufung
        kanzler, regierungschef: bundeskanzler
        staatsoberhaupt: bundespräsident
        abgeordneter, parlament: bundestag
        zensur, pressefreiheit, meinung: presse
        demo, demonstrieren: versammlung versammeln
        kirche, glaube: religion religionsgesellschaft bekenntnis
        armee, bundeswehr, militär, soldat: streitkräfte truppen wehrdienst
        panzer: truppen fahrzeuge
        acker, wiese, weide: grundstück landwirtschaftlich
        wegnehmen, weggenommen: beschlagnahme einziehung anforderung
        ruiniert, verwüstet: schäden beschädigung zerstörung
        übernachten, schlafen lassen: unterbringung unterkunft
        flüchtling: asyl asylrecht verfolgte
        staatsbürgerschaft, pass: staatsangehörigkeit
        flagge, fahne: bundesflagge
        datenschützer: datenschutzbeauftragte bundesbeauftragte
        kamera, filmen: videoüberwachung
        datenpanne, datenleck: verletzung schutzes personenbezogener daten
        löschen: löschung
        gespeichert, persönliche angaben: personenbezogene daten auskunft

        finanzamt: finanzbehörde
        absetzen, abziehen: abzug aufwendungen werbungskosten sonderausgaben
        hinterziehen, schwarzgeld: steuerhinterziehung verkürzt
        spenden, spende: zuwendungen
        rentner: altersversorgung ruhegehalt leibrenten
        minus: verlustabzug verluste
        arztkosten, krankheitskosten: außergewöhnliche belastungen aufwendungen
        manager: vorstand vorstandsmitglieder geschäftsführung
        konkurrenz: wettbewerb wettbewerbsverbot
        arzt, doktor: behandelnder behandlung
        krankenhaus, klinik: krankenhaus krankenhausbehandlung stationär
        arztrechnung, arztbesuch: ärztliche leistungen aufwendungen rechnung
        medikament, tablette: arzneimittel
        pille, verhütung, verhüten: empfängnisverhütung empfängnisregelung
        brille, hörgerät, rollstuhl: hilfsmittel
        zahnspange: kieferorthopädische
        gebiss, zahnkrone, zahnfüllung: zahnersatz zahnärztliche
        massage, krankengymnastik: heilmittel
        impfen: schutzimpfung
        kinderwunsch, reagenzglas: künstliche befruchtung
        baby, kinderkriegen, entbindung: geburt schwangerschaft
        entzug, alkoholiker, alkoholkranker, drogensüchtiger: suchtbehandlung entwöhnung
        im sterben, todkrank: palliativversorgung hospiz
        sarg, leiche, beerdigung: bestattung überführung
        dazuzahlen, zuzahlen, zuzahlung: eigenbehalt eigenanteil selbstbehalt
        taxi: fahrten beförderung
        operation: eingriff behandlung
        patient, krankenakte: patientenakte
        nachname: name familienname
        adoptieren, adoption: annahme kind
        kurs, schulung: unterricht lehrgang weiterbildung
        lastwagen, lkw: kraftfahrzeug güterkraftverkehr
        autobahn, landstraße: straße verkehrswege
        radfahrer, rad fahren: fahrräder
        fußgänger, spazieren: betreten
        abholzen: rodung
        """,
    "en": """
        fired, fire, sacked, sack, laid off: dismissed dismissal termination
        boss: employer manager
        worker, staff: employee personnel
        wage, pay raise: compensation remuneration
        job: employment office position
        sick, ill: incapacity disability

        jail, prison, locked up: imprisonment imprisoned custody
        crime: offense offence felony
        steal, stolen, stealing, thief: theft larceny unauthorized
        kill, killed, murder: homicide death
        lie, lying: false perjury misrepresentation
        sue, sued, lawsuit: action suit proceedings remedy litigation
        lawyer: counsel attorney
        complain: complaint
        cop, police: law enforcement officer
        house search: search seizure warrant
        gun, weapon: arms firearms
        torture: cruel unusual punishment
        drunk, booze, alcohol: intoxicating liquors intoxicated
        gambling, betting: lottery wagering

        banned, ban, forbidden: prohibited prohibition
        take back, undo, cancel, call off: withdraw revoke
        permission: consent authorisation
        must i, have to: required obligation shall

        throw out, kick out: removal expulsion impeachment
        run for office: eligible qualification candidate
        lawmaker, politician: member legislature representative senator
        army, soldier: militia troops armed forces
        church: religion religious
        slave: slavery servitude
        skin colour, skin color, black: race color
        cash: currency legal tender
        forgive: pardon reprieve clemency

        kid, teenager, underage: child minor age
        baby, toddler: infant child
        second-hand, secondhand: used
        cot: crib
        pram, buggy: stroller
        call back, called back: recall
        how old, old enough: age years attained
        marry, wedding: marriage
        heir, inherit: estate succession
        landlord, tenant, rent: lease lessor lessee
        broken, faulty: defect defective
        hurt, harm, injured: injury damage
        pay for damage, make good: compensation liability indemnify

        get out of, end the contract, quit: terminate termination
        go bust, broke, bankrupt: insolvency bankruptcy
        wound up, wind up, close down, shut down: liquidation dissolution winding
        bought, take over, taken over: acquisition merger sale
        rival, competitor: competing competitive competition
        back out: terminate termination withdraw
        die, dies, dead: death deceased
        shop: premises location business
        renovate: refurbishment renovation upgrade
        every year, each year, yearly: annual annually
        somebody else, someone else: third party
        how many years: term duration period
        pay late, late payment: overdue interest default
        how long does it last: term duration period
        sell to someone else, hand over to: assign assignment transfer
        blame: liability liable indemnification
        keep secret: confidential confidentiality
        who owns: ownership title intellectual property
        firm: undertaking enterprise corporation entity
        supplier, vendor: provider processor contractor

        personal details, my details, information about me: personal data
        leak, leaked, hacked, hack: breach disclosure unauthorised
        erased, wiped: erasure deletion
        wrong: inaccurate rectification correction
        take with me, move my data: portability transmit
        freeze, frozen: restriction suspend
        robot, algorithm: automated decision-making
        abroad, overseas, outside: third country territorial international
        watchdog: supervisory authority
        paperwork: record records
        legal ground, legal reason: lawfulness lawful basis
        spy, spying: surveillance monitoring
        ads, advertising: marketing

        log in, login, sign in, logging in: authentication authenticated
        log out, logging out: termination session logout
        sign up: enrollment registration
        password: secret credential
        text message: sms out-of-band
        fingerprint, face: biometric
        phishing, fake: impersonation spoofing
        lost, lose: loss replacement recovery
        run out, runs out: expire expiration
        close account: revocation termination
        bot, flooding: automation rate limiting
        malware, virus: malicious
        bug, hole, weakness: vulnerability
        hacker, intruder: attacker adversary
        secretly, listen in: eavesdropping confidentiality
        scramble, scrambled: encryption hash
        at the same time, at once: concurrent simultaneous
        out of date, old version: deprecated obsolete outdated
        throw away, get rid of: discard remove prune expire
        cheaper, cheap: reduce reduction cost
        faster, speed up, slow: performance latency timeout
        too big, huge: size limit large
        cannot change, never changes: immutable read-only
        browser: user agent client
        page, web page: resource document
        web address: uri url
        moved: redirect location
        missing, does not exist: not found absent
        overloaded, down: unavailable
        prove: proof evidence verification attestation
        """,
    "fr": """
        patron, chef: employeur
        employé: salarié préposé
        virer, licencier, renvoyer: révocation rupture licenciement
        grève: cessation du travail
        embauche, embaucher: engagement recrutement contrat de travail

        proprio, logeur: bailleur propriétaire
        locataire: preneur
        louer: bail loyer
        appartement, maison: logement habitation
        dépôt de garantie: sûreté garantie
        voisin: fonds
        arbre, branche, haie: plantations arbres branches
        clôture, grillage: limite séparative mitoyen
        constructeur, fissure: ouvrage
        squatter, squatteur: possession prescription acquisitive
        bruit, nuisance: trouble anormal de voisinage

        acheter, achat: acheteur vente acquisition
        vendre: vente vendeur
        défaut, panne, abîmé: vices cachés garantie
        arnaque, tromper, mentir, menti: dol manoeuvres
        menace, menacé: violence contrainte
        devoir de l'argent: obligation débiteur créancier
        réclamer: créance action
        après combien d'années, prescrit: prescription prescrivent
        prouver: preuve
        porter garant: caution cautionnement
        faillite, ruiné, endetté: insolvabilité passif
        tort, dégât, casser, cassé: dommage responsable réparation
        dédommager, indemniser: réparation dommages-intérêts
        chien, chat: animal
        signer: signature consentement
        rompre: nullité résolution résiliation

        gosse, gamin, fils, fille: enfant mineur
        bébé: enfant né
        adolescent: mineur
        adulte: majeur majorité
        quel âge, âge minimum: ans révolus accomplis
        se marier, marier, épouser: mariage
        mari, femme: époux épouse
        infidèle, infidélité: fautes violation devoirs fidélité
        déjà marié: dissolution premier mariage
        niveau de vie, pension: prestation compensatoire alimentaire
        pacser, pacs: pacte civil de solidarité
        frapper, battre, gifler, battue: violences
        en urgence, être protégé: protection ordonnance
        garde: résidence autorité parentale
        grands-parents, grand-mère, grand-père, papi, mamie: ascendants
        décédé, mort, défunt: décès succession
        hériter, héritage: succession héritier
        refuser l'héritage: renonciation succession option
        cadeau: donation libéralité
        déshériter: réserve héréditaire

        rouler: conducteur véhicule circulation
        voiture, auto, camion: véhicule
        ville, village: agglomération
        boire, ivre: alcoolique ivresse
        drogue, cannabis: stupéfiants
        ceinture, s'attacher: ceinture de sécurité
        feu rouge: signal lumineux feux
        se garer, trottoir, parking: stationnement arrêt
        moto, scooter, vélo: motocyclette cyclomoteur cycle
        débutant, jeune conducteur: délai probatoire
        fuite, s'enfuir: délit de fuite
        pv, contravention: amende

        prison: emprisonnement réclusion
        punir: emprisonnement amende
        voleur, voler: soustraction
        tuer, meurtre, assassin: homicide
        flic, gendarme: agents autorité officiers de police
        procès: juridiction juge
        plainte, attaquer en justice: action demande
        gracier: grâce
        filmer: surveillance enregistrement

        chef de l'état: président de la république
        élire, élu: élection suffrage
        se présenter, candidat: éligible candidature
        parlementaire: assemblée nationale parlement
        dissoudre: dissolution
        renverser, démission: censure
        ministre: gouvernement membres
        muter: inamovible
        drapeau: emblème
        changer la constitution, modifier la constitution: révision
        à ma place: procuration mandataire
        isoloir, urne: scrutin vote
        papiers: état civil actes pièces justificatives
        fisc, percepteur: administration fiscale service des impôts
        bitcoin, crypto, cryptomonnaie: actifs numériques
        donner de l'argent, donné de l'argent: don manuel donation
        agrandir, véranda, extension: constructions nouvelles changements de consistance
        peinture, statue: œuvre d'art objet
        airbnb, leboncoin: plateforme opérateur
        touriste, vacancier: voyageur
        château, manoir: monument historique immeuble
        médecin, soigner: intervention thérapeutique consentement
        mère porteuse: gestation pour le compte d'autrui
        guerre, armée, soldat: forces armées
        permission: consentement autorisation
        interdit, défendu: interdiction
        corrompre, pot-de-vin: dons promesses
        affiche: affichage propagande
        combien d'argent: somme plafond dépenses
        combien de temps: durée délai
        """,
}
"""Language (ISO 639-1) -> lines of everyday words and, behind a colon, the words of texts."""
