"""A plugin to start from: plain files with `$`-placeholders, filled in by `hierdoc plugins new`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from string import Template

from hierdoc.plugin.checking import PROTOCOLS
from hierdoc.plugin.provider import ComponentKind

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
"""What a provider may be called."""


def render(name: str, kind: ComponentKind) -> Mapping[str, str]:
    """The files of a new plugin: path within the distribution's folder -> text.

    Args:
        name: Of the provider: lower-case words joined by hyphens.
        kind: What it provides.

    Raises:
        ValueError: The name is another one.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name for a provider: lower-case words joined by hyphens")
    protocol = PROTOCOLS[kind].__name__
    *words, suffix = re.findall("[A-Z][a-z]*", protocol)
    backend = suffix == "Backend"
    identifier = name.replace("-", "_")
    package = f"hierdoc_{identifier}"
    title = "".join(word.capitalize() for word in name.split("-"))
    values = {
        "name": name,
        "kind": kind.value,
        "hook": kind.hook,
        "identifier": identifier,
        "package": package,
        "distribution": f"hierdoc-{name}",
        "title": title,
        "module": suffix.lower(),
        "suffix": suffix,
        "tests": f"{protocol}Tests",
        "fixture": "open_backend" if backend else "_".join(["open", *words, suffix]).lower(),
        "opened": f"lambda collection: {title}{suffix}()" if backend else f"{title}{suffix}",
        "imports": "ALL_FILTERS, " if backend else "",
        "claims": "\n    capabilities = ALL_FILTERS\n" if backend else "",
    }
    sources = {
        "pyproject.toml": "pyproject.toml.txt",
        "README.md": "README.md.txt",
        f"src/{package}/__init__.py": "init.py.txt",
        f"src/{package}/{suffix.lower()}.py": f"kinds/{kind.value}.py.txt",
        "tests/test_conformance.py": "test_conformance.py.txt",
    }
    folder = files("hierdoc.cli.templates")
    filled = {
        path: Template(folder.joinpath(source).read_text("utf-8")).substitute(values)
        for path, source in sources.items()
    }
    return {**filled, f"src/{package}/py.typed": ""}
