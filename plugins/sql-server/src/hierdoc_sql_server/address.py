"""Connection strings as SQL Server's other clients take them: `Server=HOST,1433;Database=NAME;User ID=NAME;Password=...`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hierdoc import ConfigError

_PART = re.compile(
    r"""\s*([^=;]+?)\s*=\s*(\{(?:[^}]|\}\})*\}|"(?:[^"]|"")*"|'(?:[^']|'')*'|[^;]*?)\s*(?:;|$)"""
)

_NAMES = {
    "server": "server", "data source": "server", "addr": "server", "address": "server",
    "network address": "server",
    "database": "database", "initial catalog": "database",
    "user id": "user", "uid": "user", "user": "user",
    "password": "password", "pwd": "password",
    "encrypt": "encrypt",
    "trustservercertificate": "trust", "trust server certificate": "trust",
}  # fmt: skip

_WITHOUT_MEANING = {
    "driver", "connection timeout", "connect timeout", "timeout", "application name", "app",
    "multipleactiveresultsets", "multiple active result sets", "persist security info", "pooling",
}  # fmt: skip
"""What other clients are told, and what does not matter here or is a setting."""

_YES = ("yes", "true", "mandatory", "strict", "1")
_NO = ("no", "false", "optional", "0")

_HINT = "Write it like Server=HOST,1433;Database=NAME;User ID=NAME;Password={${PASSWORD}}."


@dataclass(frozen=True)
class Address:
    """Where a database is, and who asks.

    Attributes:
        host: Of the server.
        instance: A named instance, which the server's browser service finds; empty for none.
        port: TCP.
        database: Its name; empty for the user's default one.
        user: A login of SQL Server's own.
        password: Its password.
        encrypt: Whether all is sent through TLS.
    """

    host: str
    instance: str
    port: int | None
    database: str
    user: str
    password: str = field(repr=False)
    encrypt: bool = True


def parse(text: str) -> Address:
    """What a connection string says.

    Raises:
        ConfigError: It cannot be read, lacks something, or asks for what is not supported. No part of a value is repeated.
    """
    found: dict[str, str] = {}
    place, text = 0, text.strip()
    while place < len(text):
        part = _PART.match(text, place)
        if part is None:
            raise ConfigError("sql-server: the dsn cannot be read", hint=_HINT)
        place = part.end()
        name = " ".join(part[1].lower().split())
        if name in _NAMES:
            found[_NAMES[name]] = _unquoted(part[2])
        elif name not in _WITHOUT_MEANING:
            # A password with a raw semicolon ends early; its rest must not be shown.
            raise ConfigError(
                "sql-server: the dsn has a keyword that hierdoc does not know",
                hint="It knows Server, Database, User ID, Password and Encrypt. Put a password with ; or = in it in {braces}.",
            )
    missing = [name for name in ("server", "user", "password") if not found.get(name)]
    if missing:
        raise ConfigError(f"sql-server: the dsn names no {', '.join(missing)}", hint=_HINT)
    if _is_yes("TrustServerCertificate", found.get("trust", "no")):
        raise ConfigError(
            "sql-server: TrustServerCertificate is not supported: whoever is on the way could read the password",
            hint="Name the certificate's authority, or the certificate itself, in `ca_certs`; on this machine Encrypt=no will do.",
        )
    encrypt = _is_yes("Encrypt", found.get("encrypt", "yes"))
    host, _, port = found["server"].removeprefix("tcp:").partition(",")
    host, _, instance = host.strip().partition("\\")
    if (
        not re.fullmatch(r"[A-Za-z0-9_.:()-]+", host)
        or (port and not port.strip().isdigit())
        or (port and instance)
    ):
        raise ConfigError(
            "sql-server: the dsn's Server cannot be read",
            hint="Write it as HOST, HOST,PORT or HOST\\INSTANCE.",
        )
    host = "localhost" if host in (".", "(local)") else host
    number = int(port) if port else None if instance else 1433
    database, user, password = (found.get(name, "") for name in ("database", "user", "password"))
    return Address(host, instance, number, database, user, password, encrypt)


def _unquoted(value: str) -> str:
    for opening, closing in ("{}", '""', "''"):
        if len(value) > 1 and value[0] == opening and value[-1] == closing:
            return value[1:-1].replace(2 * closing, closing)
    return value


def _is_yes(name: str, value: str) -> bool:
    if value.lower() not in (*_YES, *_NO):
        raise ConfigError(f"sql-server: the dsn's {name} is neither yes nor no")
    return value.lower() in _YES
