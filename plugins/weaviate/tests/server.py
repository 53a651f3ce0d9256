"""Weaviate for the tests: one node without modules, built with Go (see `tests/servers.py`)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

VERSION = "1.35.2"
TOOLS = ("go",)
PORTS = 6
READY = "/v1/.well-known/ready"

FLUSH = "PERSISTENCE_MEMTABLES_FLUSH_DIRTY_AFTER_SECONDS"
"""Seconds after which what was written leaves the memory for the disk; a test may set it."""


def prepare(folder: Path) -> None:
    """Build the server into the folder."""
    subprocess.run(
        ["go", "install", f"github.com/weaviate/weaviate/cmd/weaviate-server@v{VERSION}"],
        env=os.environ | {"GOBIN": str(folder), "CGO_ENABLED": "0"},
        check=True,
        capture_output=True,
        text=True,
    )


def command(prepared: Path, data: Path, ports: Sequence[int]) -> tuple[list[str], dict[str, str]]:
    """A node by itself, for anybody on this machine."""
    http, grpc, gossip, cluster, raft, raft_rpc = map(str, ports)
    environment = {
        "PERSISTENCE_DATA_PATH": str(data),
        "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "true",
        "DEFAULT_VECTORIZER_MODULE": "none",
        "CLUSTER_HOSTNAME": "node1",
        "CLUSTER_ADVERTISE_ADDR": "127.0.0.1",
        "CLUSTER_GOSSIP_BIND_PORT": gossip,
        "CLUSTER_DATA_BIND_PORT": cluster,
        "RAFT_PORT": raft,
        "RAFT_INTERNAL_RPC_PORT": raft_rpc,
        "RAFT_BOOTSTRAP_EXPECT": "1",
        "GRPC_PORT": grpc,
        "DISABLE_TELEMETRY": "true",
        "GO_PROFILING_DISABLE": "true",
        "DISK_USE_READONLY_PERCENTAGE": "100",
        "LOG_LEVEL": "warning",
        # What is deleted counts in BM25 from when it is on disk until it is merged there: tests that replace all documents again and
        # again within minutes would rank by nothing else.
        FLUSH: os.environ.get(FLUSH, "3600"),
    }
    program = str(prepared / "weaviate-server")
    return [program, "--host", "127.0.0.1", "--port", http, "--scheme", "http"], environment


def url(ports: Sequence[int]) -> str:
    """Where REST and gRPC answer."""
    return f"http://127.0.0.1:{ports[0]} http://127.0.0.1:{ports[1]}"
