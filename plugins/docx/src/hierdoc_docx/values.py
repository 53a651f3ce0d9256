"""Attributes of WordprocessingML, whatever namespace the file gives them: there is a transitional and a strict one."""

from __future__ import annotations

import re

from lxml import etree

_OFF = frozenset(("0", "false", "off", "none"))
_WHOLE = re.compile(r"-?[0-9]{1,9}")


def get(one: etree._Element | None, name: str = "val") -> str:
    """An attribute; "" where it, or the element, is not there."""
    if one is None:
        return ""
    for key, value in one.attrib.items():
        if str(key).rpartition("}")[2] == name:
            return str(value)
    return ""


def whole(one: etree._Element | None, default: int, name: str = "val") -> int:
    """A whole number in an attribute; the default where there is none."""
    text = get(one, name)
    return int(text) if _WHOLE.fullmatch(text) else default


def is_on(one: etree._Element | None) -> bool | None:
    """What a switch says; None where it is not there."""
    return None if one is None else get(one) not in _OFF


def child(one: etree._Element | None, *path: str) -> etree._Element | None:
    """What lies on a path of names below an element."""
    for name in path:
        if one is None:
            return None
        one = one.find(f"{{*}}{name}")
    return one


def name_of(one: etree._Element) -> str:
    """The name of an element without its namespace; "" of what is none."""
    return etree.QName(one).localname if isinstance(one.tag, str) else ""
