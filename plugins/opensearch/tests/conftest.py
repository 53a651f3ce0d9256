"""A stand-in for an OpenSearch node on the loopback: it takes what OpenSearch documents, and nothing else.

It checks method, path, query parameters, content type and body of every request, and answers as documented: with items and their
errors for bulk requests, 404 for unknown indices, 400 for what a mapping does not allow. What was written is found after a
refresh, not before. Scores are BM25 as Lucene computes it and (1 + cosine) / 2.
"""

from __future__ import annotations

import base64
import gzip
import json
import math
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

MAX_RESULT_WINDOW = 10_000
MAX_CLAUSES = 1024
LONGEST_TERM = 32_766

KNN = "org.opensearch.knn.plugin.KNNPlugin"
HYBRID = "org.opensearch.neuralsearch.plugin.NeuralSearch"


class RefusalError(Exception):
    """An answer with a status of failure."""

    def __init__(self, status: int, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.body = {
            "error": {
                "root_cause": [{"type": kind, "reason": reason}],
                "type": kind,
                "reason": reason,
            },
            "status": status,
        }


def require(condition: object, reason: str, kind: str = "illegal_argument_exception") -> None:
    if not condition:
        raise RefusalError(400, kind, reason)


def only(body: Any, allowed: str, what: str) -> dict[str, Any]:
    """The body, if it is an object with no other keys than these."""
    require(isinstance(body, dict), f"{what} must be an object", "parsing_exception")
    unknown = set(body) - set(allowed.split())
    require(not unknown, f"unknown key in {what}: {sorted(unknown)}", "parsing_exception")
    return dict(body)


@dataclass
class StoredIndex:
    """An index: what was written, and what of that searches see."""

    settings: dict[str, Any]
    mappings: dict[str, Any]
    aliases: dict[str, Any]
    written: dict[str, dict[str, Any]] = field(default_factory=dict)
    visible: dict[str, dict[str, Any]] = field(default_factory=dict)
    postings: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    average: float = 1.0

    def refresh(self) -> None:
        self.visible = dict(self.written)
        self.postings = {}
        keywords = [
            name for name, one in self.mappings["properties"].items() if one["type"] == "keyword"
        ]
        for key, document in self.visible.items():
            entries = {("words", term) for term in document["#terms"]}
            entries |= {(name, value) for name in keywords for value in values(document, name)}
            for entry in entries:
                self.postings.setdefault(entry, []).append(key)
        lengths = sum(document["#length"] for document in self.visible.values())
        self.average = max(lengths / max(len(self.visible), 1), 1e-9)

    def check(self, source: Mapping[str, Any]) -> dict[str, Any]:
        """The document, indexed, if the mapping allows it."""
        properties = self.mappings["properties"]
        unknown = set(source) - set(properties)
        reason = f"mapping set to strict, dynamic introduction of {sorted(unknown)} is not allowed"
        require(not unknown, reason, "strict_dynamic_mapping_exception")
        for name, value in source.items():
            self._check_field(name, properties[name], value)
        terms = Counter(source.get("words", "").split())
        places: dict[str, list[int]] = {}
        for position, term in enumerate(source.get("text", "").split()):
            places.setdefault(term, []).append(position)
        length = sum(terms.values())
        return {**source, "#terms": terms, "#length": length, "#places": places}

    def _check_field(self, name: str, mapping: Mapping[str, Any], value: Any) -> None:
        values = value if isinstance(value, list) else [value]
        kind = mapping["type"]
        if kind in ("keyword", "text"):
            for one in values:
                require(
                    isinstance(one, str),
                    f"failed to parse field [{name}]",
                    "mapper_parsing_exception",
                )
                if kind == "keyword" and mapping.get("index", True):
                    immense = len(one.encode()) > LONGEST_TERM
                    require(
                        not immense,
                        f'Document contains at least one immense term in field="{name}"',
                    )
        elif kind == "long":
            require(
                isinstance(value, int),
                f"failed to parse field [{name}]",
                "mapper_parsing_exception",
            )
        else:
            require(
                len(values) == mapping["dimension"],
                "Vector dimension mismatch",
                "mapper_parsing_exception",
            )
            require(np.any(values), "zero vector is not supported when space type is [cosinesimil]")


class Searcher:
    """Evaluates queries over an index as it was refreshed last."""

    def __init__(self, index: StoredIndex) -> None:
        self.index = index
        self.documents = index.visible
        similarity = index.settings["index"]["similarity"]["hierdoc"]
        self.k1, self.b = similarity["k1"], similarity["b"]

    def scores(self, query: Any) -> dict[str, float]:
        """The score of every document that matches, by key."""
        require(
            isinstance(query, dict) and len(query) == 1, "a query has one name", "parsing_exception"
        )
        ((name, body),) = query.items()
        evaluate: Callable[[Any], dict[str, float]] | None = getattr(self, f"_{name}", None)
        if evaluate is None:
            raise RefusalError(400, "parsing_exception", f"unknown query [{name}]")
        return evaluate(body)

    def _match_all(self, body: Any) -> dict[str, float]:
        only(body, "", "match_all")
        return dict.fromkeys(self.documents, 1.0)

    def _match_none(self, body: Any) -> dict[str, float]:
        only(body, "", "match_none")
        return {}

    def _term(self, body: Any) -> dict[str, float]:
        ((name, options),) = body.items()
        only(options, "value boost", "term")
        if name == "words":
            return self._bm25(options["value"], options.get("boost", 1))
        return self._terms({name: [options["value"]]})

    def _terms(self, body: Any) -> dict[str, float]:
        ((name, wanted),) = body.items()
        require(self._type(name) == "keyword" and len(wanted) <= 65_536, f"terms on [{name}]")
        postings = self.index.postings
        return {key: 1.0 for value in wanted for key in postings.get((name, value), [])}

    def _bool(self, body: Any) -> dict[str, float]:
        parts = only(body, "must filter should must_not minimum_should_match", "bool")
        should = [self.scores(part) for part in parts.get("should", [])]
        require(len(should) <= MAX_CLAUSES, "maxClauseCount is set to 1024", "too_many_clauses")
        must = [self.scores(part) for part in parts.get("must", [])]
        chosen = set(self.documents)
        for part in [*must, *map(self.scores, parts.get("filter", []))]:
            chosen.intersection_update(part)
        if parts.get("minimum_should_match", 0 if must or "filter" in parts else 1) and should:
            chosen.intersection_update(set().union(*should))
        for part in parts.get("must_not", []):
            chosen.difference_update(self.scores(part))
        parts_of_score = (*must, *should)
        return {key: sum(one.get(key, 0.0) for one in parts_of_score) for key in chosen}

    def _dis_max(self, body: Any) -> dict[str, float]:
        best: dict[str, float] = {}
        for query in only(body, "queries", "dis_max")["queries"]:
            for key, score in self.scores(query).items():
                best[key] = max(score, best.get(key, 0.0))
        return best

    def _match_phrase(self, body: Any) -> dict[str, float]:
        ((name, options),) = body.items()
        only(options, "query analyzer", "match_phrase")
        require(self._type(name) == "text" and options["analyzer"] == "whitespace", "match_phrase")
        positions = self.index.mappings["properties"][name].get("index_options") != "freqs"
        require(positions, f"field:[{name}] was indexed without position data")
        first, *others = options["query"].split()
        found = {}
        for key, document in self.documents.items():
            terms = document["#places"]
            places = [
                start
                for start in terms.get(first, [])
                if all(start + n in terms.get(term, []) for n, term in enumerate(others, 1))
            ]
            if places:
                found[key] = len(places) / (len(places) + self.k1)
        return found

    def _knn(self, body: Any) -> dict[str, float]:
        ((name, options),) = body.items()
        only(options, "vector k filter", "knn")
        mapping = self.index.mappings["properties"][name]
        require(self.index.settings["index"].get("knn") is True, "index.knn must be true")
        require(
            len(options["vector"]) == mapping["dimension"], "Query vector has invalid dimension"
        )
        require(0 < options["k"] <= MAX_RESULT_WINDOW, "[k] must be within 1 and 10000")
        query = np.array(options["vector"], np.float64)
        require(query.any(), "zero vector is not supported when space type is [cosinesimil]")
        allowed = self.scores(options["filter"]) if "filter" in options else self.documents
        ids = [key for key in allowed if name in self.documents[key]]
        if not ids:
            return {}
        rows = np.array([self.documents[key][name] for key in ids])
        cosines = rows @ query / np.linalg.norm(rows, axis=1) / np.linalg.norm(query)
        scored = dict(zip(ids, ((1 + cosines) / 2).astype(np.float32).tolist(), strict=True))
        return dict(sorted(scored.items(), key=lambda one: -one[1])[: options["k"]])

    def _bm25(self, term: str, boost: float) -> dict[str, float]:
        holders = self.index.postings.get(("words", term), [])
        idf = math.log(1 + (len(self.documents) - len(holders) + 0.5) / (len(holders) + 0.5))
        found = {}
        for key in holders:
            document = self.documents[key]
            times = document["#terms"][term]
            norm = self.k1 * (1 - self.b + self.b * document["#length"] / self.index.average)
            found[key] = boost * idf * times / (times + norm)
        return found

    def _type(self, name: str) -> str:
        return str(self.index.mappings["properties"].get(name, {}).get("type"))


def values(document: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = document.get(name, [])
    return value if isinstance(value, list) else [value]


def fused(rankings: Sequence[Mapping[str, float]], pipeline: Any, size: int) -> dict[str, float]:
    """The scores of a hybrid query after its search pipeline."""
    only(pipeline, "phase_results_processors", "search_pipeline")
    (processor,) = pipeline["phase_results_processors"]
    ((name, options),) = processor.items()
    weights = options["combination"]["parameters"]["weights"]
    require(len(weights) == len(rankings), "number of weights must match number of queries")
    require(
        abs(sum(weights) - 1) < 1e-6 and min(weights) >= 0, "sum of weights must be equal to 1.0"
    )
    scores: dict[str, float] = {}
    for weight, ranking in zip(weights, rankings, strict=True):
        best = sorted(ranking.items(), key=lambda one: -one[1])[:size]
        if name == "score-ranker-processor":
            only(options, "combination", name)
            only(options["combination"], "technique rank_constant parameters", "combination")
            constant = options["combination"]["rank_constant"]
            parts = {key: 1 / (constant + rank) for rank, (key, _) in enumerate(best, 1)}
        else:
            require(name == "normalization-processor", f"unknown processor {name}")
            require(options["normalization"] == {"technique": "min_max"}, "normalization")
            require(options["combination"]["technique"] == "arithmetic_mean", "combination")
            low, high = (best[-1][1], best[0][1]) if best else (0.0, 1.0)
            parts = {
                key: 1.0 if high == low else max((s - low) / (high - low), 0.001) for key, s in best
            }
        for key, part in parts.items():
            scores[key] = scores.get(key, 0.0) + weight * part
    return scores


class Node:
    """The node: its indices, how it is to fail, and what it was asked.

    Attributes:
        url: Where it listens.
        requests: Method, path and body of every request.
        version: What it says of itself.
        plugins: The classes of its plugins; without them it knows neither vectors nor hybrid queries.
        authorization: The header that it asks for; None for none.
        failures: What to answer to the next requests whose `METHOD path` matches: pattern, status, body.
        rejected: Reasons why bulk items are not written, by a word of the item; taken as often as they are listed.
    """

    def __init__(self) -> None:
        self.indices: dict[str, StoredIndex] = {}
        self.requests: list[tuple[str, str, str]] = []
        self.version = {"distribution": "opensearch", "number": "3.2.0"}
        self.plugins = [KNN, HYBRID]
        self.authorization: str | None = None
        self.failures: list[tuple[str, int, str]] = []
        self.rejected: list[tuple[str, int, str]] = []
        self.lock = threading.Lock()
        self.url = ""

    def asked(self, pattern: str) -> list[Any]:
        """The JSON bodies of the requests whose `METHOD path` matches."""
        found = [one for one in self.requests if re.fullmatch(pattern, f"{one[0]} {one[1]}")]
        return [json.loads(body) if body.strip() else None for _, _, body in found]

    def basic(self, user: str, password: str) -> None:
        """Ask for this user."""
        encoded = base64.b64encode(f"{user}:{password}".encode()).decode()
        self.authorization = f"Basic {encoded}"

    def answer(
        self, method: str, target: str, headers: Mapping[str, str], data: bytes
    ) -> tuple[int, str]:
        """Status and body for a request."""
        parts = urlsplit(target)
        text = (
            gzip.decompress(data).decode()
            if headers.get("content-encoding") == "gzip"
            else data.decode()
        )
        self.requests.append((method, parts.path, text))
        for number, (pattern, status, body) in enumerate(self.failures):
            if re.fullmatch(pattern, f"{method} {parts.path}"):
                del self.failures[number]
                return status, body
        try:
            if self.authorization and headers.get("authorization") != self.authorization:
                raise RefusalError(401, "security_exception", "no permissions")
            parameters = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
            return 200, json.dumps(self._route(method, parts.path, parameters, headers, text))
        except RefusalError as refusal:
            return refusal.status, json.dumps(refusal.body)

    def _route(
        self,
        method: str,
        path: str,
        parameters: dict[str, str],
        headers: Mapping[str, str],
        text: str,
    ) -> Any:
        name, _, action = path.strip("/").partition("/")
        known = {
            "_mget": {"_source_includes"},
            "_delete_by_query": {"conflicts", "refresh"},
            "plugins": {"filter_path"},
        }.get(action, set())
        unknown = set(parameters) - known
        require(not unknown, f"request [{path}] contains unrecognized parameter: {sorted(unknown)}")
        if action == "_bulk":
            require(method == "POST", "method")
            require(
                headers.get("content-type") == "application/x-ndjson",
                "content type of a bulk request",
            )
            return self._bulk(self._find(name), name, text)
        if text:
            require(headers.get("content-type", "").startswith("application/json"), "content type")
        body = json.loads(text) if text else None
        call = (
            f"{method} {'*' if name and name[0] != '_' else name}{'/' + action if action else ''}"
        )
        handlers: dict[str, Callable[[], Any]] = {
            "GET ": lambda: {"version": self.version},
            "GET _nodes/plugins": lambda: {
                "nodes": {"node": {"plugins": [{"classname": one} for one in self.plugins]}}
            },
            "GET *": lambda: self._get(name),
            "PUT *": lambda: self._create(name, body),
            "DELETE *": lambda: self._delete(name),
            "POST _aliases": lambda: self._aliases(body),
            "POST */_refresh": lambda: self._refresh(name),
            "POST */_search": lambda: self._search(self._find(name), body),
            "POST */_mget": lambda: self._mget(self._find(name), parameters, body),
            "POST */_termvectors": lambda: self._termvectors(self._find(name), body),
            "POST */_count": lambda: self._count(self._find(name), body),
            "POST */_delete_by_query": lambda: self._delete_by_query(
                self._find(name), parameters, body
            ),
        }
        if call not in handlers:
            raise RefusalError(
                405, "illegal_argument_exception", f"no handler for [{path}] and [{method}]"
            )
        return handlers[call]()

    def _find(self, name: str) -> StoredIndex:
        found = [one for held, one in self.indices.items() if name in (held, *one.aliases)]
        if not found:
            raise RefusalError(404, "index_not_found_exception", f"no such index [{name}]")
        require(len(found) == 1, f"alias [{name}] has more than one index associated with it")
        return found[0]

    def _get(self, name: str) -> Any:
        self._find(name)
        return {
            held: {"aliases": one.aliases, "mappings": one.mappings, "settings": one.settings}
            for held, one in self.indices.items()
            if name in (held, *one.aliases)
        }

    def _create(self, name: str, body: Any) -> Any:
        require(
            re.fullmatch(r"[a-z0-9][a-z0-9_.-]*", name),
            f"Invalid index name [{name}]",
            "invalid_index_name_exception",
        )
        if name in self.indices:
            raise RefusalError(
                400, "resource_already_exists_exception", f"index [{name}] already exists"
            )
        only(body, "settings mappings aliases", "create index")
        only(body["settings"], "index", "settings")
        only(
            body["settings"]["index"], "number_of_shards number_of_replicas similarity knn", "index"
        )
        only(body["mappings"], "dynamic _meta _source properties", "mappings")
        for mapping in body["mappings"]["properties"].values():
            allowed = {"knn_vector": "type dimension method", "keyword": "type index doc_values"}
            only(
                mapping,
                allowed.get(mapping["type"], "type analyzer similarity index_options"),
                "field",
            )
            if mapping["type"] == "knn_vector":
                require(KNN in self.plugins, "No handler for type [knn_vector] declared")
                only(mapping["method"], "name engine space_type parameters", "method")
        self.indices[name] = StoredIndex(
            body["settings"], body["mappings"], body.get("aliases", {})
        )
        return {"acknowledged": True, "shards_acknowledged": True, "index": name}

    def _delete(self, name: str) -> Any:
        if name not in self.indices:
            raise RefusalError(404, "index_not_found_exception", f"no such index [{name}]")
        del self.indices[name]
        return {"acknowledged": True}

    def _aliases(self, body: Any) -> Any:
        for action in only(body, "actions", "aliases")["actions"]:
            ((kind, options),) = action.items()
            if kind == "add":
                self.indices[options["index"]].aliases[options["alias"]] = {}
            else:
                require(kind == "remove_index", f"unknown action {kind}")
                self._delete(options["index"])
        return {"acknowledged": True}

    def _refresh(self, name: str) -> Any:
        self._find(name).refresh()
        return {"_shards": {"total": 2, "successful": 1, "failed": 0}}

    def _bulk(self, index: StoredIndex, name: str, text: str) -> Any:
        require(text.endswith("\n"), "The bulk request must be terminated by a newline [\\n]")
        lines = text.split("\n")[:-1]
        require(len(lines) % 2 == 0, "Malformed action/metadata line")
        items = []
        for action, source in zip(lines[::2], lines[1::2], strict=True):
            meta = only(only(json.loads(action), "index", "action")["index"], "_id", "index")
            require(
                0 < len(meta["_id"].encode()) <= 512,
                "id is too long, must be no longer than 512 bytes",
            )
            items.append(
                {
                    "index": {
                        "_index": name,
                        "_id": meta["_id"],
                        **self._item(index, meta["_id"], source),
                    }
                }
            )
        return {"took": 1, "errors": any("error" in one["index"] for one in items), "items": items}

    def _item(self, index: StoredIndex, key: str, source: str) -> dict[str, Any]:
        for number, (word, status, kind) in enumerate(self.rejected):
            if word in source:
                del self.rejected[number]
                return {"status": status, "error": {"type": kind, "reason": "rejected by the test"}}
        created = key not in index.written
        try:
            index.written[key] = index.check(json.loads(source))
        except RefusalError as refusal:
            return {"status": refusal.status, "error": refusal.body["error"]}
        except UnicodeEncodeError:
            return {
                "status": 400,
                "error": {"type": "mapper_parsing_exception", "reason": "not Unicode"},
            }
        return {
            "_version": 1,
            "result": "created" if created else "updated",
            "status": 201 if created else 200,
        }

    def _mget(self, index: StoredIndex, parameters: Mapping[str, str], body: Any) -> Any:
        fields = parameters["_source_includes"].split(",")
        documents: list[dict[str, Any]] = []
        for key in only(body, "ids", "mget")["ids"]:
            if key in index.written:
                source = {
                    name: index.written[key][name] for name in fields if name in index.written[key]
                }
                documents.append({"_id": key, "found": True, "_source": source})
            else:
                documents.append({"_id": key, "found": False})
        return {"docs": documents}

    def _termvectors(self, index: StoredIndex, body: Any) -> Any:
        only(body, "doc fields term_statistics positions offsets filter", "termvectors")
        most = only(body["filter"], "max_num_terms min_doc_freq", "filter")["max_num_terms"]
        terms = dict.fromkeys(body["doc"]["words"].split())
        known = [term for term in terms if ("words", term) in index.postings]
        best = sorted(known, key=lambda term: len(index.postings["words", term]))[:most]
        return {"found": True, "term_vectors": {"words": {"terms": {one: {} for one in best}}}}

    def _count(self, index: StoredIndex, body: Any) -> Any:
        return {
            "count": len(Searcher(index).scores(only(body, "query", "count")["query"])),
            "_shards": SHARDS,
        }

    def _delete_by_query(self, index: StoredIndex, parameters: Mapping[str, str], body: Any) -> Any:
        found = Searcher(index).scores(only(body, "query", "delete by query")["query"])
        for key in found:
            index.written.pop(key, None)
        if parameters.get("refresh") == "true":
            index.refresh()
        return {"deleted": len(found), "version_conflicts": 0, "failures": [], "timed_out": False}

    def _search(self, index: StoredIndex, body: Any) -> Any:
        allowed = "query size _source sort track_scores track_total_hits search_after aggs search_pipeline"
        only(body, allowed, "search")
        size = body.get("size", 10)
        require(
            size <= MAX_RESULT_WINDOW,
            "Result window is too large",
            "query_phase_execution_exception",
        )
        searcher = Searcher(index)
        answer: dict[str, Any] = {"took": 1, "timed_out": False, "_shards": SHARDS}
        if "aggs" in body:
            answer["aggregations"] = {
                k: aggregate(searcher, one) for k, one in body["aggs"].items()
            }
        query = body.get("query", {"match_all": {}})
        if "hybrid" in query:
            require(HYBRID in self.plugins, "unknown query [hybrid]", "parsing_exception")
            ranks = (
                "score-ranker-processor" in body["search_pipeline"]["phase_results_processors"][0]
            )
            old = int(self.version["number"][0]) < 3
            require(not (ranks and old), "supported parameters are [rank_constant]")
            require("sort" not in body, "the stand-in sorts no hybrid queries")
            legs = [
                searcher.scores(one)
                for one in only(query["hybrid"], "queries", "hybrid")["queries"]
            ]
            scores = fused(legs, body["search_pipeline"], size)
        else:
            scores = searcher.scores(query) if size else {}
        hits = [{"_id": key, "_score": score} for key, score in scores.items()]
        hits = ordered(hits, searcher, body)
        for hit in hits:
            included = only(body["_source"], "includes", "_source")["includes"]
            document = searcher.documents[hit["_id"]]
            require(not {"words", "text"} & set(included), "the field is excluded from _source")
            hit["_source"] = {name: document[name] for name in included if name in document}
        return {**answer, "hits": {"hits": hits}}


SHARDS = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}


def ordered(
    hits: list[dict[str, Any]], searcher: Searcher, body: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The page of hits: by score and, among equals, in an order that nobody promised, or as `sort` says."""
    if "sort" not in body:
        return sorted(hits, key=lambda hit: (-hit["_score"], hit["_id"][::-1]))[
            : body.get("size", 10)
        ]
    clauses = [next(iter(one.items())) for one in body["sort"]]
    if ("_score", "desc") not in clauses:
        for hit in hits:
            hit["_score"] = None
    for hit in hits:
        document = searcher.documents[hit["_id"]]
        hit["sort"] = [hit["_score"] if name == "_score" else document[name] for name, _ in clauses]

    def key(place: Sequence[Any]) -> list[Any]:
        return [
            -one if direction == "desc" else one.encode() if isinstance(one, str) else one
            for one, (_, direction) in zip(place, clauses, strict=True)
        ]

    hits = sorted(hits, key=lambda hit: key(hit["sort"]))
    if "search_after" in body:
        hits = [hit for hit in hits if key(hit["sort"]) > key(body["search_after"])]
    return hits[: body["size"]]


def aggregate(searcher: Searcher, aggregation: Any) -> Any:
    """The buckets of a `terms` or `composite` aggregation."""
    only(aggregation, "terms composite aggs", "aggregation")
    if "terms" in aggregation:
        options = only(aggregation["terms"], "field size", "terms")
        names = [
            name for one in searcher.documents.values() for name in values(one, options["field"])
        ]
        return {
            "buckets": [{"key": key, "doc_count": names.count(key)} for key in sorted(set(names))][
                : options["size"]
            ]
        }
    options = only(aggregation["composite"], "size sources after", "composite")
    (source,) = options["sources"]
    ((label, kind),) = source.items()
    require(options["size"] <= 65_535, "too many buckets", "too_many_buckets_exception")
    held: dict[str, list[dict[str, Any]]] = {}
    for one in searcher.documents.values():
        held.setdefault(one[kind["terms"]["field"]], []).append(one)
    start = options.get("after", {}).get(label, "")
    keys = sorted(key for key in held if key > start)[: options["size"]]
    buckets = [{"key": {label: key}, "doc_count": len(held[key])} for key in keys]
    for bucket in buckets:
        for name, inner in aggregation.get("aggs", {}).items():
            included = inner["top_hits"]["_source"]["includes"]
            first = held[bucket["key"][label]][0]
            bucket[name] = {"hits": {"hits": [{"_source": {one: first[one] for one in included}}]}}
    return {"buckets": buckets, **({"after_key": buckets[-1]["key"]} if buckets else {})}


@pytest.fixture
def node() -> Iterator[Node]:
    """A node of its own for each test, stopped at its end."""
    served = Node()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = (
            True  # else each answer waits 40 ms for the client's acknowledgement
        )

        def handle_one_request(self) -> None:
            try:
                super().handle_one_request()
            except ConnectionError:
                self.close_connection = True

        def serve(self) -> None:
            data = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            with served.lock:
                status, body = served.answer(self.command, self.path, headers, data)
            encoded = body.encode()
            self.send_response(status)
            self.send_header("content-type", "application/json; charset=UTF-8")
            self.send_header("content-length", str(len(encoded)))
            self.end_headers()
            self.wfile.write(encoded)

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = serve  # noqa: N815 - the library's names

        def log_message(self, format: str, *arguments: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), name="node")
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_port}"
    yield served
    server.shutdown()
    server.server_close()
    thread.join()
