"""The plugin `sql-server`: what is asked of the server, and what is made of its answers.

All are shape tests: they run against a stand-in that speaks TDS and takes the plugin's Transact-SQL, not against SQL Server itself.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import socket
import sqlite3
import subprocess
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from hierdoc import ConfigError, IndexLockedError, IndexMismatchError, QueryError, StoreError
from hierdoc.filters import Contains, Equals, In, Or
from hierdoc.plugin import IndexSpec
from hierdoc_sql_server import SqlServerConfig, _check
from hierdoc_sql_server.address import Address, parse
from hierdoc_sql_server.backend import SqlServerBackend
from hierdoc_testing import SPEC, direction, make_record

Scenario = Callable[[SqlServerBackend], Awaitable[Any]]


def backend(server: Any, **fields: Any) -> SqlServerBackend:
    return SqlServerBackend(SqlServerConfig(**{"dsn": server.dsn, **fields}))


def run(store: SqlServerBackend, scenario: Scenario, spec: IndexSpec = SPEC, **options: Any) -> Any:
    async def whole() -> Any:
        try:
            await store.prepare(spec, **options)
            return await scenario(store)
        finally:
            await store.aclose()

    return asyncio.run(whole())


async def nothing(store: SqlServerBackend) -> None:
    """A scenario in which the backend is only opened."""


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Makes pauses short, and tells how long they would have been."""
    made: list[float] = []
    monkeypatch.setattr("hierdoc_sql_server.server.time.sleep", made.append)
    return made


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"dsn": "x", "collection": "a.b"},
        {"dsn": "x", "collection": "a]b"},
        {"dsn": "x", "collection": "sys"},
        {"dsn": "x", "collection": "DB_owner"},
        {"dsn": "x", "connections": 0},
        {"dsn": "Password=open-sesame", "schema": "laws"},
    ],
)
def test_a_wrong_configuration_is_refused_without_its_secrets(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        SqlServerConfig(**fields)
    assert "sesame" not in str(caught.value)


class TestConnectionStrings:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("Server=db;User ID=me;Password=pw", Address("db", "", 1433, "", "me", "pw")),
            (
                "Driver={ODBC Driver 18 for SQL Server};Server=tcp:x.database.windows.net,1433;Database=laws;Uid=me;Pwd={a;b=}}c};Encrypt=yes;"
                "TrustServerCertificate=no;Connection Timeout=30;",
                Address("x.database.windows.net", "", 1433, "laws", "me", "a;b=}c"),
            ),
            (
                ' data source = .\\EXPRESS ; Initial Catalog=laws;User=me;Password="a;b""c";Encrypt=False',
                Address("localhost", "EXPRESS", None, "laws", "me", 'a;b"c', False),
            ),
            (
                "Server=db,14330;User ID=me;Password='p''w'",
                Address("db", "", 14330, "", "me", "p'w"),
            ),
        ],
    )
    def test_they_are_read_as_other_clients_do(self, text: str, expected: Address) -> None:
        assert parse(text) == expected

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "server, user, password"),
            ("postgresql://me:open-sesame@db/laws", "cannot be read"),
            ("Server=db;User ID=me;Password=open;sesame=1", "does not know"),
            ("Server=db;User ID=me;Password=open;sesame", "cannot be read"),
            ("Server=db;Authentication=ActiveDirectoryDefault", "does not know"),
            (
                "Server=db;User ID=me;Password=open-sesame;TrustServerCertificate=true",
                "TrustServerCertificate",
            ),
            ("Server=db;User ID=me;Password=open-sesame;Encrypt=perhaps", "Encrypt"),
            ("Server=db,x;User ID=me;Password=open-sesame", "Server"),
            ("Server=db\\a,1433;User ID=me;Password=open-sesame", "Server"),
            ("Server=a b;User ID=me;Password=open-sesame", "Server"),
        ],
    )
    def test_what_cannot_be_kept_to_is_refused_without_repeating_it(
        self, text: str, said: str
    ) -> None:
        with pytest.raises(ConfigError, match=said) as caught:
            parse(text)
        assert "sesame" not in f"{caught.value} {caught.value.hint}"

    def test_the_password_is_in_no_representation(self) -> None:
        assert "pw" not in repr(parse("Server=db;User ID=me;Password=pw"))


class TestShapeOfEncryption:
    def test_the_authorities_that_are_named_vouch_for_the_server(
        self, server: Any, tmp_path: Path
    ) -> None:
        server.certificate = certificate(tmp_path, "localhost")
        dsn = server.reached(Server=f"localhost,{server.port}", Encrypt="yes")
        store = backend(server, dsn=dsn, ca_certs=str(server.certificate[1]))

        async def scenario(store: SqlServerBackend) -> Any:
            await store.upsert([make_record("a", "long " * 20_000)])
            return await store.count()

        assert run(store, scenario) == 1

    def test_authorities_that_cannot_be_read_are_a_clear_error(
        self, server: Any, tmp_path: Path
    ) -> None:
        (tmp_path / "empty.pem").write_text("")
        for name in ("empty.pem", "missing.pem"):
            store = backend(
                server, dsn=server.reached(Encrypt="yes"), ca_certs=str(tmp_path / name)
            )
            with pytest.raises(StoreError, match=f"{name} cannot be read"):
                run(store, nothing)

    @pytest.mark.parametrize("name", ["localhost", "elsewhere"])
    def test_an_unknown_server_and_one_of_another_name_are_refused(
        self, server: Any, tmp_path: Path, name: str
    ) -> None:
        server.certificate = certificate(tmp_path, name)
        ca_certs = None if name == "localhost" else str(server.certificate[1])
        dsn = server.reached(Server=f"localhost,{server.port}", Encrypt="yes")
        with pytest.raises(StoreError, match="no encrypted connection") as caught:
            run(backend(server, dsn=dsn, ca_certs=ca_certs), nothing)
        assert "ca_certs" in str(caught.value.hint)
        assert server.logins == 0

    @pytest.mark.parametrize("wanted", ["yes", "no"])
    def test_it_is_never_given_up_or_taken_up_in_silence(
        self, server: Any, tmp_path: Path, wanted: str
    ) -> None:
        server.certificate = certificate(tmp_path, "localhost") if wanted == "no" else None
        with pytest.raises(StoreError, match="encrypt") as caught:
            run(backend(server, dsn=server.reached(Encrypt=wanted)), nothing)
        assert "Encrypt" in str(caught.value.hint)
        assert server.logins == 0


class TestShapeOfTheCheck:
    @pytest.mark.parametrize(
        ("version", "edition", "said"),
        [
            ("17.0.1000.7", 3, r"SQL Server 2025 \(17\.0\.1000\.7\), database laws"),
            ("12.0.2000.8", 5, "Azure SQL Database, database laws"),
            ("18.0.1.1", 3, r"SQL Server  ?\(18\.0\.1\.1\)"),
        ],
    )
    def test_it_names_the_version(self, server: Any, version: str, edition: int, said: str) -> None:
        server.version, server.edition = version, edition
        found = asyncio.run(_check(SqlServerConfig(dsn=server.dsn)))
        assert re.match(said, found)

    def test_a_server_without_vectors_is_refused_with_its_version(self, server: Any) -> None:
        server.version, server.vectors = "16.0.4085.2", False
        for attempt in (
            lambda: asyncio.run(_check(SqlServerConfig(dsn=server.dsn))),
            lambda: run(backend(server), nothing),
        ):
            with pytest.raises(StoreError, match=r"SQL Server 2022 .* has no vectors") as caught:
                attempt()
            assert "2025" in str(caught.value.hint)

    def test_a_database_of_an_old_level_is_refused(self, server: Any) -> None:
        server.level = 120
        with pytest.raises(StoreError, match="compatibility level 120") as caught:
            run(backend(server), nothing)
        assert "ALTER DATABASE [laws]" in str(caught.value.hint)

    def test_snapshots_are_allowed_where_they_are_not(self, server: Any) -> None:
        server.snapshots = False
        run(backend(server), lambda store: store.count())
        assert server.snapshots

    def test_who_may_not_allow_snapshots_is_told(self, server: Any) -> None:
        server.snapshots = server.owner = False
        with pytest.raises(StoreError, match="snapshot isolation") as caught:
            run(backend(server), nothing)
        assert "ALLOW_SNAPSHOT_ISOLATION ON" in str(caught.value.hint)


class TestShapeOfStatements:
    @pytest.mark.parametrize(
        "odd",
        ["'; DROP TABLE x; --", "@P1'--", "%s", "{chunks}", "]", '"', "\\", "a\tb\nc", "𝔸\0\ud800"],
    )
    def test_no_value_becomes_part_of_a_statement(self, server: Any, odd: str) -> None:
        async def scenario(store: SqlServerBackend) -> None:
            odd_one = make_record(odd, f"word {odd}", source=odd, title=odd)
            await store.upsert([odd_one, make_record("plain", vector=direction(0, 1))])
            found = await store.find(Equals("title", odd), 9)
            assert [one.chunk.source for one in found] == [odd]
            assert [one.chunk_id for one in await store.search(direction(1), 1)] == [odd]
            assert [one.id for one in await store.get([odd])] == [odd]
            await store.delete_documents([odd])
            assert await store.count() == 1

        before = {one for one, _ in _learned(server, backend(server), nothing)}
        run(backend(server), scenario)
        statements = {one for one, _ in server.statements} - before
        assert not [one for one in statements if len(odd) > 2 and odd in one]

    def test_lists_of_any_length_are_one_parameter(self, server: Any) -> None:
        async def scenario(store: SqlServerBackend) -> None:
            await store.upsert([make_record(f"{number:04d}") for number in range(30)])
            ids = [f"{number:04d}" for number in range(6000)]
            assert len(await store.get(ids)) == 30
            many = In("source", [str(number) for number in range(25_000)])
            assert await store.find(Or(many, Contains("headings", "x")), 5) == []
            await store.delete_documents([str(number) for number in range(6000)])

        run(backend(server), scenario)
        assert max(len(parameters) for _, parameters in server.statements) < 5

    def test_collections_are_schemas_and_other_tables_in_them_stay(self, server: Any) -> None:
        run(backend(server, collection="laws_de"), lambda store: store.upsert([make_record("a")]))
        run(backend(server, collection="laws_de"), nothing, reset=True)
        names = {name for (name,) in server.execute("SELECT name FROM sqlite_master")}
        assert "laws_de.hierdoc_chunks" in names
        assert all("[laws_de]" in one for one, _ in server.asked("DROP TABLE"))

    def test_vectors_that_are_too_long_are_refused_before_anything_is_made(
        self, server: Any
    ) -> None:
        with pytest.raises(StoreError, match="1999 dimensions") as caught:
            run(backend(server), nothing, IndexSpec("long", 1999))
        assert "1998" in str(caught.value.hint)
        assert server.logins == 0

    def test_a_filter_that_is_too_large_for_the_server_is_the_questions_fault(
        self, server: Any
    ) -> None:
        async def scenario(store: SqlServerBackend) -> None:
            server.failures = [("TOP", 8623, "The query processor ran out of internal resources")]
            with pytest.raises(QueryError, match="8623"):
                await store.find(Equals("kind", "x"), 5)

        run(backend(server), scenario)


def _learned(server: Any, store: SqlServerBackend, scenario: Scenario) -> list[Any]:
    run(store, scenario)
    return list(server.statements)


class TestShapeOfTransactions:
    def test_a_failure_in_the_middle_leaves_what_was_before(self, server: Any) -> None:
        async def scenario(store: SqlServerBackend) -> None:
            await store.upsert([make_record("old")])
            for place in ("hierdoc_payloads", "hierdoc_tags", "COMMIT"):
                server.failures = [(rf"INSERT INTO .*{place}|{place} T", 8152, "no room")]
                with pytest.raises(StoreError, match="8152"):
                    await store.replace_documents([make_record("new"), make_record("newer")])
                assert [one.id for one in await store.get(["old", "new", "newer"])] == ["old"]

        run(backend(server), scenario)

    def test_nothing_of_a_deleted_document_stays_in_any_table(self, server: Any) -> None:
        async def scenario(store: SqlServerBackend) -> None:
            await store.upsert([make_record("a", source="a.md")])
            await store.delete_documents(["a.md"])

        run(backend(server), scenario)
        for table in ("chunks", "payloads", "tags"):
            assert server.execute(f'SELECT * FROM "hierdoc.hierdoc_{table}"') == []

    def test_who_waits_too_long_for_another_writer_is_told_and_readers_do_not_wait(
        self, server: Any
    ) -> None:
        async def scenario(store: SqlServerBackend) -> None:
            other = sqlite3.connect(server.file, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(IndexLockedError):
                await store.upsert([make_record("a")])
            assert await store.count() == 0
            other.close()

        run(backend(server, timeout=0.3), scenario)

    def test_an_index_that_another_process_made_anew_is_not_written_to(self, server: Any) -> None:
        async def scenario(store: SqlServerBackend) -> None:
            other = backend(server)
            await other.prepare(IndexSpec("another", SPEC.dimensions), reset=True)
            await other.aclose()
            with pytest.raises(IndexMismatchError, match="another"):
                await store.upsert([make_record("a")])

        run(backend(server), scenario)

    def test_tables_that_are_gone_are_an_index_to_build_anew(self, server: Any) -> None:
        async def scenario(store: SqlServerBackend) -> None:
            server.execute('DROP TABLE "hierdoc.hierdoc_tags"')
            with pytest.raises(IndexMismatchError) as caught:
                await store.find(Equals("kind", "x"), 5)
            assert "--force" in str(caught.value.hint)

        run(backend(server), scenario)


class TestShapeOfRoutes:
    def test_a_gateway_that_sends_us_on_is_followed_encrypted(
        self, server: Any, tmp_path: Path
    ) -> None:
        server.certificate = certificate(tmp_path, "localhost")
        server.routes = [("localhost", server.port)]
        dsn = server.reached(Server=f"localhost,{server.port}", Encrypt="yes")
        run(backend(server, dsn=dsn, ca_certs=str(server.certificate[1])), nothing)
        assert server.logins > 0

    def test_the_name_of_the_server_that_it_leads_to_must_be_in_its_certificate(
        self, server: Any, tmp_path: Path
    ) -> None:
        server.certificate = certificate(tmp_path, "localhost")
        server.routes = [("127.0.0.1", server.port)]
        dsn = server.reached(Server=f"localhost,{server.port}", Encrypt="yes")
        with pytest.raises(StoreError, match="no encrypted connection"):
            run(backend(server, dsn=dsn, ca_certs=str(server.certificate[1])), nothing)
        assert server.logins == 0

    def test_gateways_that_send_us_in_a_circle_are_an_error(
        self, server: Any, pauses: list[float]
    ) -> None:
        server.routes = [("127.0.0.1", server.port)] * 99
        with pytest.raises(StoreError, match="from server to server"):
            run(backend(server), nothing)


class TestShapeOfFailures:
    def test_a_lost_connection_is_replaced(self, server: Any, pauses: list[float]) -> None:
        async def scenario(store: SqlServerBackend) -> None:
            for number in range(3):
                server.drop()
                await store.upsert([make_record(str(number))])
                await asyncio.gather(*(store.count() for _ in range(4)))
                server.drop()
                assert await store.count() == number + 1

        run(backend(server), scenario)

    @pytest.mark.parametrize("number", [40501, 40613, 1205])
    def test_a_busy_server_is_asked_again(
        self, server: Any, pauses: list[float], number: int
    ) -> None:
        async def scenario(store: SqlServerBackend) -> None:
            said = "The service is currently busy. Retry the request after 10 seconds."
            server.failures = [("INSERT INTO", number, said)] * 2
            await store.upsert([make_record("a")])
            assert await store.count() == 1

        run(backend(server), scenario)
        assert pauses.count(10.0) == 2

    def test_a_server_that_stays_busy_is_an_error(self, server: Any, pauses: list[float]) -> None:
        async def scenario(store: SqlServerBackend) -> None:
            server.failures = [("INSERT INTO", 40501, "The service is currently busy.")] * 2
            with pytest.raises(StoreError, match="40501: The service is currently busy") as caught:
                await store.upsert([make_record("a")])
            assert "retries" in str(caught.value.hint)
            assert await store.count() == 0

        run(backend(server, retries=1), scenario)

    @pytest.mark.parametrize(
        ("changed", "said", "hint"),
        [
            ({"Password": "open-sesame"}, "18456: Login failed for user 'hierdoc'", "Password"),
            ({"Database": "elsewhere"}, "4060: Cannot open database", "Database"),
        ],
    )
    def test_a_refused_login_is_an_error_that_hides_the_password(
        self, server: Any, changed: dict[str, str], said: str, hint: str
    ) -> None:
        with pytest.raises(StoreError, match=said) as caught:
            run(backend(server, dsn=server.reached(**changed)), nothing)
        assert hint in str(caught.value.hint)
        assert "sesame" not in repr(caught.value) + str(caught.value.__cause__)

    def test_nobody_there_is_an_error_with_a_way_out(self, server: Any) -> None:
        store = backend(server, dsn=server.reached(Server="127.0.0.1,9"), retries=0)
        with pytest.raises(StoreError, match=r"SQL Server at 127\.0\.0\.1, laws") as caught:
            run(store, nothing)
        assert "server runs" in str(caught.value.hint)

    def test_what_is_no_sql_server_is_an_error(self, server: Any) -> None:

        def answer(said: bytes) -> None:
            line, _ = listener.accept()
            with line:
                line.recv(1000)
                line.sendall(said)

        for said in (
            b"HTTP/1.1 400 Bad Request\r\n\r\n",
            b"\x04\1\0\x0e\0\0\0\0\1\xff\xff\0\1\xff",
        ):
            with socket.create_server(("127.0.0.1", 0)) as listener:
                thread = threading.Thread(target=answer, args=(said,))
                thread.start()
                dsn = server.reached(Server=f"127.0.0.1,{listener.getsockname()[1]}")
                with pytest.raises(StoreError, match="no SQL Server") as caught:
                    run(backend(server, dsn=dsn, retries=0, timeout=2), nothing)
                assert caught.value.hint
                thread.join()

    def test_no_more_connections_are_open_than_allowed(self, server: Any) -> None:
        async def scenario(store: SqlServerBackend) -> None:
            for _ in range(2):
                await store.upsert([make_record("a")])
                await asyncio.gather(*(store.count() for _ in range(9)))
                assert server.has_at_most(2)

        run(backend(server, connections=2), scenario)


def test_shape_of_the_whole_way(server: Any, check_pipeline: Any) -> None:
    check_pipeline(
        {"vector": {"provider": "sql-server", "dsn": server.dsn}, "keyword": "in-memory"}
    )


def certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """A key, and a certificate that it signs itself, for a server of this name."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    key, made = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-keyout", str(key), "-out", str(made), "-subj", "/CN=test", "-addext", f"subjectAltName=DNS:{name}"],
        check=True, capture_output=True,
    )  # fmt: skip
    return key, made
