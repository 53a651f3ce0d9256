"""Asks HoloDeck's own models and classes; runs in an environment with `holodeck-ai` and prints JSON.

Reads a list of tools from standard input. Prints for each the reason why HoloDeck refuses it, or null, and how it writes down a result.
"""

import json
import sys
from types import SimpleNamespace

from holodeck.lib.hybrid_search import SearchResult
from holodeck.models.tool import HierarchicalDocumentToolConfig, VectorstoreTool
from holodeck.tools.vectorstore_tool import VectorStoreTool
from pydantic import ValidationError

MODELS = {"hierarchical_document": HierarchicalDocumentToolConfig, "vectorstore": VectorstoreTool}


def refused(tool):
    try:
        MODELS[tool["type"]](**tool)
    except ValidationError as error:
        return str(error)


def main():
    asked = json.load(sys.stdin)
    result = asked["result"]
    definitions = [SimpleNamespace(**one) for one in result.pop("definitions_context")]
    results = [SimpleNamespace(**one) for one in asked["results"]]
    answer = {
        "refused": [refused(tool) for tool in asked["tools"]],
        "defaults": {
            kind: json.loads(
                model(name="n", description="d", source="s").model_dump_json(exclude={"type"})
            )
            for kind, model in MODELS.items()
        },
        "result": SearchResult(**result, definitions_context=definitions).format(),
        "results": VectorStoreTool._format_results(results, "query"),
    }
    print(json.dumps(answer))


main()
