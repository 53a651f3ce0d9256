"""Words that hold sentences together and say nothing alone: dropped from queries, never from documents.

One list for each language that hierdoc stems: articles, pronouns, prepositions, conjunctions, auxiliaries, question
words, and what is left of contractions (`don`, `t`). "us" is missing on purpose: it is a country as often as a pronoun.
"""

from __future__ import annotations

from collections.abc import Mapping

STOP_WORDS: Mapping[str, str] = {
    "da": """
        af alle at da de dem den denne der deres det dette dig din du efter eller en end er et for fra ham han hans har
        hende hendes her hun hvad hvem hver hvilke hvilken hvilket hvis hvor hvordan hvorfor hvornår i ikke ind jeg jer
        jo kan kunne man med meget men mig min mod når og også om op os over på sig sin skal skulle som så thi til ud
        under var ved vi vil ville vor være været
        """,
    "de": """
        aber als am an auch auf aus bei beim bin bis bist da dabei dadurch dafür damit dann daran darauf daraus darf das
        dass davon dazu dein dem den denn der deren des dessen die dies diese diesem diesen dieser dieses doch du durch
        ein eine einem einen einer eines er es etwa euch euer für gegen gibt habe haben hat hatte hatten ich ihm ihn
        ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes kann können könnte man mein mich
        mir mit muss müssen nach noch nun nur ob oder ohne sehr sein seine seinem seinen seiner sich sie sind so soll
        sollen sollte sowie über um und uns unser unter vom von vor wann war waren warum was welche welchem welchen
        welcher welches wem wen wenn wer werden weshalb wie wieso wieviel wir wird wo wobei woher wohin worden wurde
        wurden zu zum zur zwischen
        """,
    "en": """
        a about after again also am an and are aren as at be because been before being between both but by can cannot
        could couldn d did didn do does doesn doing don down during each for from further had hadn has hasn have haven
        having he her here hers him his how i if in into is isn it its itself just ll m may me might more most must my
        no nor not of off on once only or other our ours out over own re s same shall she should shouldn so some such t
        than that the their theirs them then there these they this those through to too under until up ve very was
        wasn we were weren what when where which while who whom whose why will with won would wouldn you your yours
        """,
    "es": """
        a al algo ante antes aquel aquella aquellas aquellos aquí así aun aunque cada como cómo con contra cual cuál
        cuales cuáles cuando cuándo cuánto de del desde donde dónde durante e el él ella ellas ellos en entre era eran
        es esa esas ese eso esos esta está están estas este esto estos fue fueron ha había han hasta hay la las le les
        lo los más me mi mis muy nada ni no nos o os para pero por porque puede pueden pues que qué quien quién quienes
        se sea sean según ser será si sí sido sin sobre son su sus también tan te tiene tienen todo tu tus u un una unas
        uno unos y ya yo
        """,
    "fi": """
        ei eivät ennen että eli en et häneen hänellä hänelle hänen hänestä hänet hän he heidän ilman itse ja jo joiden
        joihin joissa joita joka joko jolla jolle jonka jos joskus jossa josta jota jotka jotta kanssa keiden ken kenen
        ketkä koska kuin kuinka kuka kun kyllä me meidän mihin mikä miksi millä millainen milloin minkä minun minä missä
        mistä mitkä mitä miten mukaan mutta myös ne niiden niihin niin niissä niitä noin nyt näiden nämä näitä olen ole
        oli olivat olla olleet ollut on ovat se sekä sen siihen siinä sille siitä sinun sinä sitä tai te teidän tuo tuon
        tulee tämä tämän tätä tässä tästä vaan vai vaikka voi voidaan voivat
        """,
    "fr": """
        à afin ai ainsi alors après au aucun aucune auquel aussi autre aux auxquels avait avant avec avoir ayant c ce
        ceci cela celle celles celui ces cet cette ceux chaque chez ci comme comment d dans de depuis des donc dont du
        elle elles en encore entre es est et étaient était étant été être eu fait faut hors il ils j je jusqu l la là
        laquelle le lequel les lesquelles lesquels leur leurs lors lui m ma mais me même mes moi mon n ne ni nos notre
        nous on ont ou où par parce pas pendant peut peuvent plus pour pourquoi puis qu quand que quel quelle quelles
        quels qui quoi s sa sans se selon sera sert ses si soit son sont sous sur ta te tes toi ton tous tout toute
        toutes très tu un une vers vos votre vous y
        est-ce lorsqu puisqu quoiqu quelqu a-t-il a-t-elle a-t-on y-a-t-il doit-il doit-on dois-je peut-il peut-elle
        peut-on puis-je faut-il ai-je suis-je sont-ils sont-elles ont-ils fait-on
        """,
    "it": """
        a abbia abbiamo ad ai agli al alla alle allo anche avere aveva c che chi ci ciò coi col come con contro cui d da
        dagli dai dal dalla dalle dallo degli dei del dell della delle dello di dopo dov dove e è ed era erano essere fra
        gli ha hanno i il in io l la là le lei li lo loro lui ma me mentre mi mia mie miei mio ne negli nei nel nell nella
        nelle nello no noi non nostra nostro o od ogni oltre per perché più poi può qual quale quali quando quanto
        quella quelle quelli quello questa queste questi questo qui quindi se sei senza si sia siamo siano siete sono
        sta stata state stati stato su sua sue sugli sui sul sulla sulle sullo suo suoi tra tu tua tuo un una uno vi voi
        """,
    "nl": """
        aan al alle als bij bent ben dan dat de deze die dit door dus een eens en er geen haar had hadden hebben hebt
        heeft hem het hier hij hoe hun ik in is ja jij je jou jouw jullie kan kon kunnen maar me meer men met mij mijn
        moet moeten na naar niet nog nu of om omdat ondanks ons onze ook op over s sinds tegen ten ter terwijl tijdens
        toch toen tot tussen u uit uw van vanaf vanuit veel voor waar waarom wanneer waren was wat we wel welk welke werd
        werden wie wij wil worden wordt zal ze zelf zich zij zijn zo zoals zonder zou zullen
        """,
    "no": """
        alle at av både da de deg dem den denne der dere deres det dette din disse du eller en enn er et etter for fordi
        fra ha hadde han hans har henne hennes her hun hva hvem hver hvilke hvilken hvis hvor hvordan hvorfor i ikke
        ikkje inn jeg kan kunne man mange med meg men mens mer min mot må ned nei noe noen nå når og også om opp oss over
        på seg sin sitt skal skulle slik som så til um under ut uten var ved vi vil ville være vært vår
        """,
    "pt": """
        a à ainda ante antes ao aos após aquela aquele aquilo as às até cada com como contra da das de dela dele deles
        depois desde dessa desse desta deste do dos e é ela elas ele eles em entre era eram essa essas esse esses esta
        está estão estas este estes eu foi foram for há isso isto já la lhe lhes lo mais mas me mesmo meu minha muito na
        nas nem nessa nesse nesta neste no nos nós nossa nosso num numa o onde os ou para pela pelas pelo pelos per por
        porque pode podem qual quais quando quanto que quem são se seja sejam sem ser será seu seus si sido sob sobre sua
        suas também tem têm ter teu tu tua um uma umas uns você vos
        """,
    "ro": """
        a acea aceasta această aceea acel acela acele acelea acest acesta aceste acestea aceşti acești acestor acestui ai
        al ale alt alta am ar are asemenea asta astfel aş aș au avea avem ca că când care cât căreia cărora cărui către ce
        cea ceea cei cel cele cine cu cum cui da dacă dar de deci decât din dintre după e ea ei el ele era este eu fi fie
        fiecare fost fără iar ii îi îl îmi în încât într între îşi își la le li lor lui mai mea meu mi ne nici nişte niște
        noastră noi nostru nu o or ori orice pe pentru poate pot prin printre s sa să sau său se şi și sub sunt tot toate
        toţi toți tu un una unde unei unor unui va vă vom vor voi
        """,
    "ru": """
        а без бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его ее если есть еще же
        за здесь и из или им их к как какая какие каких какой ко когда кого который которая которое которые которых кто
        куда ли лишь между меня мне мной может мои мой моя мы на над надо нам нас наш не него нее нет ни них но ну о об
        однако он она они оно от перед по под после потому почему при про с сам свое свой своих себя со собой та так также
        такие такой там те тем то того тоже только том тот ту ты у уже чего чем что чтобы чье эта эти этих это этого этой
        этом этот эту я
        """,
    "sv": """
        all alla allt än är åt att av blev bli blir de dem den denna deras dess dessa det detta dig din du efter ej eller
        en er ett för från ha hade han hans har henne hennes här hon honom hos hur i icke in ingen inom inte jag ju kan
        kunde man med mellan men mig min mot mycket när någon något några ni nu och också om oss över på sedan sig sin
        sitt sådan så samt ska skall skulle som till under upp ut utan vad var vara varför varje varit vart vem vi vid
        vilka vilken vilket vår
        """,
}
"""Language (ISO 639-1) -> words, as they are written, apart by white space."""

HOMOGRAPHS = """
    ai ale all als alt am ante as ate aus ben bin bis care col com come comment con dell die dies dig do door
    dos dove du em end er era es et fait fi fie for fra fue fur ham han hans hat hay he hem hon hors hos hun il in
    ins ken la los man mange mas me mens men met min mod mot must na ned no not on or os over pa par para pas
    pendant per plus pode pot pour puis sa sans se sea sean sedan sei sen ser sin sob soll son sta state sub sue sui sunt sur tan
    te ten till ton tot under up van vara vers vid war wat wie will wo
    """
"""Words that join sentences in one language and mean something in another ("die", "son", "state", "war"): where an index
holds several languages, they stay in queries."""
