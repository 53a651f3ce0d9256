"""One line is all that HoloDeck needs to call hierdoc as a Python function."""

from hierdoc_mcp.functions import search as search
