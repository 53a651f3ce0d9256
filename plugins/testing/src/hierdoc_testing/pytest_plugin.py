"""What pytest loads at its start: assertions of the kit tell their values like those of a test file."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("hierdoc_testing")
