"""The messages of Weaviate's gRPC interface, which are those of Weaviate's Python client, and its methods."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

# The client changes the program's warning filters, and its libraries warn of each other.
with warnings.catch_warnings(record=True):
    from weaviate.proto.v1 import (
        base_pb2,
        base_search_pb2,
        batch_delete_pb2,
        batch_pb2,
        health_weaviate_pb2,
        search_get_pb2,
    )

__all__ = [
    "METHODS",
    "base_pb2",
    "base_search_pb2",
    "batch_delete_pb2",
    "batch_pb2",
    "health_weaviate_pb2",
    "search_get_pb2",
]

METHODS: Mapping[str, tuple[str, Any]] = {
    "Search": ("/weaviate.v1.Weaviate/Search", search_get_pb2.SearchReply),
    "BatchObjects": ("/weaviate.v1.Weaviate/BatchObjects", batch_pb2.BatchObjectsReply),
    "BatchDelete": ("/weaviate.v1.Weaviate/BatchDelete", batch_delete_pb2.BatchDeleteReply),
    "Check": (
        "/grpc.health.v1.Health/Check",
        health_weaviate_pb2.WeaviateHealthCheckResponse,
    ),
}
"""Where each method is asked for, and the message that it answers with."""
