"""The example keeps what every converter and every plugin promises."""

import pytest

from hierdoc_example import OrgConverter
from hierdoc_testing import ConverterTests, PluginTests, PluginUnderTest, Sample

ORG = (
    "#+TITLE: Harbour Act\n\nPreamble.\n\n* Berths\n\nStraße, 法律.\n\n** Fees\n\nThe last word.\n"
)


class TestOrg(ConverterTests):
    @pytest.fixture
    def open_converter(self):
        return OrgConverter

    @pytest.fixture
    def samples(self):
        words = ["Preamble", "Straße", "法律", "last word"]
        return [Sample("docs/act.org", ORG.encode(), words, headings=["Berths", "Fees"])]


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self):
        return PluginUnderTest("hierdoc_example", {"converter": {"provider": "org"}})
