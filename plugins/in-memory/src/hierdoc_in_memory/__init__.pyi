from collections.abc import Iterable
from typing import Any

from hierdoc.plugin import Provider, ProviderConfig

from .keyword import KeywordIndex as KeywordIndex

class InMemoryVectorConfig(ProviderConfig): ...
class InMemoryKeywordConfig(ProviderConfig): ...

def hierdoc_vector_backends() -> Iterable[Provider[Any, Any]]: ...
def hierdoc_keyword_backends() -> Iterable[Provider[Any, Any]]: ...

__all__ = ["KeywordIndex"]
