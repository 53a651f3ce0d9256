"""The converter keeps what every converter promises, alone and behind `auto`."""

from __future__ import annotations

import asyncio

import pytest

from hierdoc import Source
from hierdoc.defaults.converters import AutoConverter
from hierdoc_html.converter import HtmlConverter
from hierdoc_testing import ConverterTests, OpenComponent


class TestHtml(ConverterTests):
    @pytest.fixture
    def open_converter(self) -> OpenComponent:
        return HtmlConverter


class TestAuto(ConverterTests):
    @pytest.fixture
    def open_converter(self) -> OpenComponent:
        return AutoConverter


@pytest.mark.parametrize("name", ["a.html", "a.XHTML"])
def test_auto_takes_this_converter(name: str) -> None:
    auto = AutoConverter()
    source = Source(name, b"<h1>Harbour</h1><p>Berths</p>")
    assert source.suffix in auto.suffixes
    assert asyncio.run(auto.convert(source)) == asyncio.run(HtmlConverter().convert(source))
