from __future__ import annotations

import pytest

from kg_neo4j.errors import GdsMissing
from kg_neo4j.organise.projection import check_version


@pytest.mark.parametrize("version", ["2.13.0", "2.13.9", "2.26.0", "2.13.0-alpha01", "3.0.0"])
def test_a_version_that_can_be_used_passes(version: str) -> None:
    check_version(version)


@pytest.mark.parametrize("version", ["2.12.4", "2.9.13", "1.8.6", "unknown"])
def test_a_version_that_is_too_old_is_refused(version: str) -> None:
    with pytest.raises(GdsMissing, match=f"GDS {version}, which is too old") as caught:
        check_version(version)
    assert "2.13 or newer" in (caught.value.hint or "")
