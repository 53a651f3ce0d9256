"""What was asked of a model behind an API, what that cost, and whether more may be asked."""

from __future__ import annotations

from dataclasses import replace

from hierdoc import HierdocError, Usage
from hierdoc_remote import TokenPrices


class CostLimitError(HierdocError):
    """What is configured has been spent, or would be by what was about to be asked."""


class Account:
    """Counts what one component asks for.

    Args:
        owner: Its provider's name, for errors.
        prices: What tokens cost; None where nobody said.
        max_cost: What may be spent; None for anything.

    Attributes:
        usage: What was asked for so far.
    """

    def __init__(
        self, owner: str, prices: TokenPrices | None, max_cost: float | None = None
    ) -> None:
        self._owner = owner
        self._prices = prices
        self._most = max_cost
        self.usage = Usage()

    def priced(self, usage: Usage) -> Usage:
        """The usage with its cost, where there are prices."""
        return usage if self._prices is None else replace(usage, cost=self._prices.cost(usage))

    def add(self, usage: Usage) -> None:
        """Count what was asked for."""
        self.usage += self.priced(usage)

    def require_budget(self, planned: float = 0.0) -> None:
        """Go on only where there is money left, and enough for what is planned.

        Raises:
            CostLimitError: There is not.
        """
        most, cost = self._most, self.usage.cost or 0.0
        if most is not None and (cost >= most or cost + planned > most):
            more = f", what comes next would cost {planned:,.4f}" if planned else ""
            raise CostLimitError(
                f"{self._owner}: {cost:,.4f} has been spent{more}, and `max_cost` is {most:,.4f}",
                hint="What was paid for is kept: the next ingest goes on from here.",
            )


def in_words(usage: Usage) -> str:
    """The usage on one line."""
    read = usage.uncached + usage.written + usage.cached
    requests = "1 request" if usage.requests == 1 else f"{usage.requests:,} requests"
    generated = f", {usage.output:,} generated" if usage.output else ""
    cost = "" if usage.cost is None else f", {usage.cost:.4f} by `prices`"
    return f"{requests}, {read:,} tokens read{generated}{cost}"
