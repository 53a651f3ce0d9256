"""Terms of law: lawyers name clauses by words that the clauses do not have."""

from __future__ import annotations

from hierdoc.search.terminology import Domain, TableKind, Term

LAW = Domain(
    (
        Term(("non-compete", "noncompete", "non-competition", "covenant not to compete"), "not compete competing business engage directly or indirectly"),
        Term(("non-solicit", "non-solicitation", "no-solicit", "no-hire"), "not solicit hire employ induce employees customers"),
        Term(("non-disparagement",), "disparage disparaging derogatory"),
        Term(("NDA", "non-disclosure"), "confidential information disclose receiving party"),
        Term(("governing law", "choice of law", "applicable law"), "governed by construed in accordance with the laws of"),
        Term(("forum", "venue", "place of jurisdiction", "Gerichtsstand"), "exclusive jurisdiction courts", alone=False),
        Term(("termination for convenience", "terminate for convenience", "at-will termination"), "terminate without cause at any time upon written notice"),
        Term(("anti-assignment", "assignability"), "assign transfer without prior written consent"),
        Term(("change of control",), "merger consolidation sale of substantially all assets"),
        Term(("cap on liability", "liability cap", "limitation of liability"), "liable in no event exceed aggregate liability"),
        Term(("uncapped liability", "unlimited liability"), "liable gross negligence willful misconduct indemnification"),
        Term(("liquidated damages", "penalty clause", "contractual penalty"), "liquidated damages penalty sum payable"),
        Term(("ROFR", "right of first refusal"), "first refusal offer"),
        Term(("ROFO", "right of first offer"), "first offer negotiate"),
        Term(("MFN", "most favored nation", "most favoured nation"), "no less favorable terms lowest price other customer"),
        Term(("audit rights", "right to audit"), "audit inspect examine books and records"),
        Term(("force majeure", "act of God", "höhere Gewalt"), "beyond reasonable control fire flood strike"),
        Term(("work for hire", "work made for hire"), "work made for hire assigns right title interest"),
        Term(("covenant not to sue",), "not contest challenge validity"),
        Term(("severability",), "invalid unenforceable remaining provisions"),
        Term(("entire agreement", "merger clause", "integration clause"), "entire agreement supersedes prior"),
        Term(("renewal term", "auto-renewal", "automatic renewal"), "renew automatically successive periods unless notice"),
        Term(("source code escrow",), "source code deposit escrow agent release"),
        Term(("data breach",), "personal data breach notification"),
        Term(("statute of limitations", "time-bar", "time bar"), "limitation period barred action commenced within years"),
    ),
    (
        TableKind(
            "schedule of fees",
            ("schedule of fees", "fee schedule", "table of fees", "fee table", "price list", "schedule of charges", "tariff", "Gebührenverzeichnis", "barème"),
            columns=("fee", "fees", "charge", "price", "tariff", "amount payable", "Gebühr", "Entgelt", "Preis", "tarif", "prix"),
            also="schedule fees",
        ),
    ),
)  # fmt: skip
