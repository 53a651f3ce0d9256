"""What every vector backend keeps, kept by the statements for SQL Server.

The server is a stand-in: these are shape tests, which were not run against SQL Server. With `HIERDOC_TEST_SQL_SERVER_DSN` they are run
against it as well.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from hierdoc_sql_server import SqlServerConfig
from hierdoc_sql_server.backend import SqlServerBackend
from hierdoc_testing import OpenBackend, Stores, VectorBackendTests

DSN = os.environ.get("HIERDOC_TEST_SQL_SERVER_DSN")


@pytest.mark.nightly
class TestShape(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, server: Any) -> OpenBackend:
        dsn = server.dsn
        return lambda name: SqlServerBackend(SqlServerConfig(collection=name, dsn=dsn))

    @pytest.mark.xfail(
        reason="the stand-in works in this process, on the interpreter that it measures", run=False
    )
    def test_the_event_loop_is_never_blocked(self, stores: Stores) -> None:
        super().test_the_event_loop_is_never_blocked(stores)


@pytest.mark.nightly
class TestService(VectorBackendTests):
    @pytest.fixture
    def open_backend(self) -> OpenBackend:
        if DSN is None:
            pytest.skip("HIERDOC_TEST_SQL_SERVER_DSN is not set")
        dsn = DSN
        return lambda name: SqlServerBackend(SqlServerConfig(collection=name, dsn=dsn))
