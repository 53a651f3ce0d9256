"""hierdoc: retrieval over structured documents.

Names are imported on first use, so that `import hierdoc` and `hierdoc --help` cost next to nothing; `__init__.pyi` lists them.
Authors of plugins find theirs in `hierdoc.plugin`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
