"""The words that made-up questions are put in, and questions that hardly any corpus answers: data only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

LANGUAGES = ("en", "de")
"""Languages with templates; documents in another one get questions without words of ours."""

CITATION: Mapping[str, Sequence[str]] = {
    "en": (
        "What does {0} say?",
        "what is required under {0}",
        "Please show me the wording of {0}.",
        "Who is affected by {0} and how?",
        "Are there exceptions in {0}?",
    ),
    "de": (
        "Was steht in {0}?",
        "was regelt {0}",
        "Bitte zeige mir den Wortlaut von {0}.",
        "Für wen gilt {0}?",
        "Gibt es Ausnahmen in {0}?",
    ),
}
"""Around a citation."""

SCOPED: Mapping[str, Sequence[str]] = {
    "en": ("{0} of {1}", "{1}, {0}", "what does {0} in {1} say?"),
    "de": ("{0} in {1}", "{1}, {0}", "was steht in {0} von {1}?"),
}
"""Around a citation and what it stands in."""

PHRASE: Mapping[str, Sequence[str]] = {
    "en": ('"{0}"', 'Where does it say "{0}"?', 'which passage contains "{0}"'),
    "de": ("„{0}“", "Wo steht „{0}“?", 'welche Stelle enthält "{0}"'),
}
"""Around a quoted phrase."""

HEADING: Mapping[str, Sequence[str]] = {
    "en": ("{0}", "{0}?", "tell me about {0}"),
    "de": ("{0}", "{0}?", "etwas über {0}"),
}
"""Around a heading that is unique."""

DEFINITION: Mapping[str, Sequence[str]] = {
    "en": (
        "What does {0} mean?",
        "definition of {0}",
        "How is the term {0} defined?",
        "what is meant by {0}",
    ),
    "de": (
        "Was bedeutet {0}?",
        "Definition von {0}",
        "Wie ist der Begriff {0} definiert?",
        "was versteht man unter {0}",
    ),
}
"""Around a defined term."""

DEFINITION_SCOPED: Mapping[str, Sequence[str]] = {
    "en": ("What does {0} mean in {1}?", "definition of {0}, {1}"),
    "de": ("Was bedeutet {0} in {1}?", "Definition von {0}, {1}"),
}
"""Around a defined term and where it is defined."""

OFF_CORPUS: Mapping[str, Sequence[str]] = {
    "en": (
        "How long should *sourdough* *ferment* before baking?",
        "Which *footballer* scored the most *goals* in a single season?",
        "How do I prune a *rosebush* in late winter?",
        "What *tempo* is a *waltz* usually played at?",
        "Why do *penguins* huddle together in *blizzards*?",
        "How can I stop my *puppy* from chewing *slippers*?",
        "What is the best *lens* for photographing *hummingbirds*?",
        "Which *volcano* erupted near *Pompeii*?",
        "How many *strings* does a *mandolin* have?",
        "What makes *sauerkraut* taste sour?",
        "Which *chess* opening suits a *beginner* best?",
        "How do *glaciers* carve *fjords*?",
        "What should I pack for a *trek* through *Patagonia*?",
        "Why does *popcorn* pop?",
        "How is *porcelain* glazed?",
        "Which *planets* have *rings* besides Saturn?",
        "How do I knit a *mitten* without *needles*?",
        "What did *Beethoven* compose last?",
        "How are *saffron* threads harvested?",
        "When do *cicadas* emerge from underground?",
        "How tall can a *giraffe* grow?",
        "What is the difference between *espresso* and *ristretto*?",
        "How do *surfers* read the *swell*?",
        "Which *yoga* poses ease a stiff *neck*?",
        "How does a *sundial* show the *noon*?",
        "What do *hedgehogs* eat in *autumn*?",
        "How do I tune a *ukulele* by ear?",
        "Which *dinosaurs* had *feathers*?",
        "How do I remove *candle* wax from a *carpet*?",
        "Why is *flamingo* plumage *pink*?",
    ),
    "de": (
        "Wie lange muss ein *Sauerteig* gehen, bevor er in den *Ofen* kommt?",
        "Welcher *Stürmer* schoss die meisten *Tore* in einer Saison?",
        "Wie schneidet man *Rosenstöcke* im *Spätwinter*?",
        "In welchem *Tempo* spielt man einen *Walzer*?",
        "Warum drängen sich *Pinguine* im *Schneesturm* zusammen?",
        "Wie gewöhne ich meinem *Welpen* das *Bellen* ab?",
        "Welches *Objektiv* eignet sich für *Kolibris*?",
        "Welcher *Vulkan* verschüttete *Pompeji*?",
        "Wie viele *Saiten* hat eine *Mandoline*?",
        "Warum schmeckt *Sauerkraut* *säuerlich*?",
        "Welche *Schacheröffnung* passt zu *Anfängern*?",
        "Wie formen *Gletscher* einen *Fjord*?",
        "Was packe ich für eine *Wandertour* durch *Patagonien* ein?",
        "Warum springt *Popcorn* im *Topf*?",
        "Wie wird *Porzellan* *glasiert*?",
        "Welche *Planeten* außer dem *Saturn* haben Ringe?",
        "Wie strickt man *Fäustlinge* ohne *Nadeln*?",
        "Was komponierte *Beethoven* zuletzt?",
        "Wie wird *Safran* von Hand *gepflückt*?",
        "Wann schlüpfen *Zikaden* aus dem *Erdreich*?",
        "Wie groß wird eine *Giraffe*?",
        "Was unterscheidet *Espresso* von *Ristretto*?",
        "Woran erkennen *Wellenreiter* die *Dünung*?",
        "Welche *Dehnübungen* helfen bei steifem *Nacken*?",
        "Wie zeigt eine *Sonnenuhr* den *Mittag* an?",
        "Was fressen *Igel* im *Herbst*?",
        "Wie stimmt man eine *Ukulele* nach *Gehör*?",
        "Welche *Dinosaurier* trugen *Federn*?",
        "Wie entferne ich *Kerzenwachs* vom *Teppich*?",
        "Warum sind *Flamingos* *rosafarben*?",
    ),
}
"""Questions of everyday life; none of the words in asterisks may stand in the corpus."""
