"""A client of a Chroma server that does not wait forever: Chroma's own sets no time limit and cannot be told one."""

from __future__ import annotations

from typing import Any

import httpx
from chromadb.api.client import Client
from chromadb.config import Settings

_BUSY = (429, 502, 503, 504)


class BusyError(Exception):
    """The server says that it is busy; the same request may succeed later."""


class PatientClient(Client):
    """Chroma's client, with a time limit from its first request on.

    Args:
        timeout: Seconds that the server may take for one request.
        tenant: The server's tenant.
        database: The server's database.
        settings: Where the server is.
    """

    def __init__(self, timeout: float, tenant: str, database: str, settings: Settings) -> None:
        self._timeout = timeout
        super().__init__(tenant=tenant, database=database, settings=settings)

    def get_user_identity(self) -> Any:
        """Who the server says this is: what is asked first, when the session is there and nothing was sent."""
        session = self._server._session  # type: ignore[attr-defined]
        session.timeout = httpx.Timeout(self._timeout)
        session.event_hooks = {"response": [_require_idle]}
        return self._server.get_user_identity()


def is_passing(error: BaseException | None) -> bool:
    """Whether the same request may succeed later; Chroma wraps what happened in errors of its own."""
    while error is not None:
        if isinstance(error, (BusyError, httpx.TransportError)):
            return True
        error = error.__cause__ or error.__context__
    return False


def _require_idle(response: httpx.Response) -> None:
    if response.status_code in _BUSY:
        response.read()
        raise BusyError(f"the server answers {response.status_code}: {response.text[:200]}")
