"""Terms of accounting: reports print the lines from which a figure is worked out, and seldom its name."""

from __future__ import annotations

from hierdoc.search.terminology import Domain, TableKind, Term

_BALANCE, _CASH, _INCOME = "balance sheet", "statement of cash flows", "income statement"
_PLANT = "property, plant and equipment"

_TABLES = (
    TableKind(
        _BALANCE,
        (
            "balance sheet", "statement of financial position", "statement of financial condition", "statement of assets and liabilities",
            "Bilanz", "bilan",
        ),
        (
            "total assets", "total liabilities", "total current assets", "total current liabilities", "current assets", "current liabilities",
            "cash and cash equivalents", "accounts receivable", "trade receivables", "receivables", "inventories", "inventory", "prepaid expenses",
            "property, plant and equipment", "property and equipment", "goodwill", "intangible assets", "other assets", "accounts payable",
            "trade payables", "accrued liabilities", "accrued expenses", "deferred revenue", "long-term debt", "short-term debt",
            "other liabilities", "deferred income taxes", "common stock", "share capital", "treasury stock", "additional paid-in capital",
            "retained earnings", "accumulated other comprehensive", "total equity", "total stockholders equity", "total shareholders equity",
            "total liabilities and", "noncontrolling interests", "operating lease",
            "Anlagevermögen", "Umlaufvermögen", "Eigenkapital", "Rückstellungen", "Verbindlichkeiten", "Bilanzsumme", "Rechnungsabgrenzungsposten",
            "actif immobilisé", "actif circulant", "capitaux propres", "total actif", "total de l'actif", "total passif", "dettes",
        ),
        also="balance sheet",
    ),
    TableKind(
        _CASH,
        (
            "cash flow statement", "statement of cash flows", "cash flows statement", "cash flow table", "Kapitalflussrechnung",
            "tableau des flux de trésorerie",
        ),
        (
            "net income", "net earnings", "consolidated net income", "adjustments to reconcile", "depreciation and amortization", "depreciation",
            "stock-based compensation", "share-based compensation", "deferred income taxes", "changes in operating assets", "accounts receivable",
            "inventories", "accounts payable", "net cash provided by", "net cash used", "net cash from", "cash provided by", "cash used",
            "total cash provided", "cash flows from operating", "operating activities", "investing activities", "financing activities",
            "capital expenditures", "purchases of property", "additions to property", "capital spending", "acquisitions",
            "payments for property", "proceeds from", "purchase of investments", "repayment of", "payments of long-term debt", "dividends paid",
            "cash dividends", "payments of dividends", "repurchases of common stock", "share repurchases", "effect of exchange rate",
            "net increase", "net decrease", "increase in cash", "decrease in cash", "cash and cash equivalents at", "cash at end",
            "cash paid for", "Jahresergebnis", "Cashflow aus", "résultat net", "flux de trésorerie",
        ),
        also="statement of cash flows operating investing activities",
    ),
    TableKind(
        _INCOME,
        (
            "income statement", "statement of income", "statement of operations", "statement of earnings", "profit and loss",
            "profit and loss statement", "profit and loss account", "P&L", "P&L statement", "statement of profit or loss", "earnings statement",
            "Gewinn- und Verlustrechnung", "GuV", "compte de résultat",
        ),
        (
            "net sales", "sales", "revenue", "revenues", "net revenue", "total revenue", "total net revenue", "total net sales", "cost of sales",
            "cost of revenue", "cost of goods sold", "cost of products sold", "gross profit", "gross margin", "selling, general and administrative",
            "research and development", "operating income", "operating profit", "income from operations", "earnings from operations",
            "total operating expenses", "interest expense", "interest income", "other income", "income before", "earnings before",
            "provision for income taxes", "income taxes", "income tax expense", "net income", "net earnings", "net loss", "earnings per share",
            "net income per share", "basic", "diluted", "weighted average", "amortization", "restructuring",
            "Umsatzerlöse", "Materialaufwand", "Personalaufwand", "Abschreibungen", "Jahresüberschuss", "Betriebsergebnis",
            "chiffre d'affaires", "charges de personnel", "résultat d'exploitation", "résultat net",
        ),
        also="statement of income operations earnings",
    ),
)  # fmt: skip

ACCOUNTING = Domain(
    (
        Term(("capex", "cap-ex", "capital expenditure", "capital spending"), f"capital expenditures purchases of {_PLANT} {_CASH}", (_CASH,)),
        Term(("capital-intensive", "capital intensity"), f"capital expenditures purchases of {_PLANT} total assets {_BALANCE}", (_BALANCE, _CASH)),
        Term(("PP&E", "PPNE", "fixed assets", "property, plant and equipment"), _PLANT, (_BALANCE,)),
        Term(("PPE",), _PLANT, (_BALANCE,), alone=False),  # or what protects a worker
        Term(("fixed asset turnover", "asset turnover", "return on assets", "return on total assets"), f"net sales total assets {_PLANT} {_BALANCE}", (_BALANCE, _INCOME)),
        Term(("ROA",), f"net income total assets {_BALANCE}", (_BALANCE, _INCOME), alone=False),
        Term(
            ("working capital", "current ratio", "working capital ratio", "liquidity ratio"),
            f"total current assets total current liabilities {_BALANCE}",
            (_BALANCE,),
        ),
        Term(
            ("quick ratio", "acid test"),
            f"total current assets total current liabilities cash accounts receivable inventories {_BALANCE}",
            (_BALANCE,),
        ),
        Term(("inventory turnover", "days inventory outstanding"), f"inventories cost of sales {_BALANCE}", (_BALANCE, _INCOME)),
        Term(("DIO",), "inventories cost of sales", (_BALANCE, _INCOME), alone=False),
        Term(("days payable outstanding", "payables turnover"), f"accounts payable cost of sales {_BALANCE}", (_BALANCE, _INCOME)),
        Term(("DPO",), "accounts payable cost of sales", (_BALANCE, _INCOME), alone=False),
        Term(("days sales outstanding", "receivables turnover"), f"accounts receivable net sales {_BALANCE}", (_BALANCE, _INCOME)),
        Term(("DSO",), "accounts receivable net sales", (_BALANCE, _INCOME), alone=False),
        Term(("cash conversion cycle",), f"inventories accounts receivable accounts payable cost of sales {_BALANCE}", (_BALANCE, _INCOME)),
        Term(("CCC",), "inventories accounts receivable accounts payable", (_BALANCE, _INCOME), alone=False),
        Term(("COGS", "cost of goods sold"), "cost of sales cost of revenue", (_INCOME,)),
        Term(("SG&A",), "selling, general and administrative expenses", (_INCOME,)),
        Term(("R&D",), "research and development"),
        Term(("D&A",), f"depreciation and amortization {_CASH}", (_CASH,)),
        Term(
            ("EBITDA", "EBIT"),
            "operating income operating profit depreciation and amortization statement of income operations earnings",
            (_INCOME, _CASH),
        ),
        Term(
            ("FCF", "free cash flow", "cash from operations", "operating cash flow", "cash flow from operations"),
            f"net cash provided by operating activities {_CASH}",
            (_CASH,),
        ),
        Term(("gross margin", "gross profit margin", "gross profit"), "gross profit cost of sales net sales", (_INCOME,)),
        Term(("operating margin", "profit margin", "net margin", "net income margin", "net profit margin"), "operating income net sales", (_INCOME,)),
        Term(("EPS",), "earnings per share", (_INCOME,)),
        Term(("ROE", "return on equity"), f"net income total shareholders equity {_BALANCE}", (_BALANCE, _INCOME)),
        Term(("debt-to-equity", "leverage ratio", "debt ratio"), f"total debt long-term debt total equity {_BALANCE}", (_BALANCE,)),
        Term(("book value", "net asset value", "tangible book value"), f"total equity {_BALANCE}", (_BALANCE,)),
        Term(("interest coverage", "interest coverage ratio"), "operating income interest expense statement of income operations earnings", (_INCOME,)),
        Term(("payout ratio", "dividend payout ratio", "retention ratio"), f"dividends paid net income {_CASH}", (_CASH, _INCOME)),
        Term(("bottom line",), "net income", (_INCOME,), alone=False),
        Term(("top line", "turnover"), "net sales revenue", (_INCOME,), alone=False),
        Term(("stockholders' equity", "shareholders' equity", "shareholder equity"), "total equity", (_BALANCE,)),
        Term(("total assets", "total current assets", "total liabilities", "total current liabilities", "retained earnings"), "", (_BALANCE,)),
        Term(("accounts payable", "trade payables", "creditors"), "", (_BALANCE,), alone=False),
        Term(("accounts receivable", "trade receivables", "debtors"), "", (_BALANCE,), alone=False),
    ),
    _TABLES,
)  # fmt: skip
