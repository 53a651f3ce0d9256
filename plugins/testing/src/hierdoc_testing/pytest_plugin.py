"""What pytest loads at its start: assertions of the kit tell their values like those of a test file."""

from __future__ import annotations

import pkgutil
import sys
from pathlib import Path

import pytest

# By name: the package itself is imported by now, of which older versions of pytest warn.
pytest.register_assert_rewrite(
    *(
        f"{__package__}.{module.name}"
        for module in pkgutil.iter_modules([str(Path(__file__).parent)])
        if f"{__package__}.{module.name}" not in sys.modules
    )
)
