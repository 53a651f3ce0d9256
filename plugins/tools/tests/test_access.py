"""Who may call a server."""

from __future__ import annotations

import pytest

from hierdoc_tools.access import AccessError, Token, is_loopback, token_for

SECRET = "0123456789abcdef"


@pytest.mark.parametrize(
    ("host", "is_here"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.0.1", False),
        ("example.org", False),
    ],
)
def test_the_loopback_is_told_from_other_hosts(host: str, is_here: bool) -> None:
    assert is_loopback(host) is is_here


@pytest.mark.parametrize(
    ("header", "is_borne"),
    [
        (f"Bearer {SECRET}", True),
        (f"bearer  {SECRET}", True),
        (f"Bearer {SECRET}x", False),
        (f"Basic {SECRET}", False),
        (SECRET, False),
        ("Bearer ü", False),
        ("", False),
    ],
)
def test_a_token_is_borne_whole_or_not_at_all(header: str, is_borne: bool) -> None:
    assert Token(SECRET).is_borne(header.encode()) is is_borne


def test_without_a_secret_everyone_may_call() -> None:
    assert Token().is_borne(b"")


def test_a_token_does_not_show_its_secret() -> None:
    assert SECRET not in repr(Token(SECRET))


def test_beyond_this_machine_a_token_is_needed() -> None:
    with pytest.raises(AccessError, match="put a token in VARIABLE"):
        token_for("0.0.0.0", "", "VARIABLE")
    assert token_for("0.0.0.0", SECRET, "VARIABLE") == Token(SECRET)


def test_a_short_token_is_refused_everywhere() -> None:
    with pytest.raises(AccessError, match="16 at least") as refused:
        token_for("127.0.0.1", "short", "VARIABLE")
    assert "short" not in str(refused.value)
