import errno
from pathlib import Path

import pytest

from neo4j_local import disk
from neo4j_local.errors import DiskFull, LocalDatabaseError


def test_a_file_has_its_mode_from_the_start_and_leaves_no_draft(tmp_path: Path) -> None:
    disk.write_whole(tmp_path / "secret", b"words", mode=0o600)
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    disk.write_whole(tmp_path / "file", b"a long old text")
    disk.write_whole(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"


def test_a_write_that_fails_leaves_the_old_file_and_no_draft(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()  # nothing can be renamed onto a folder
    with pytest.raises(LocalDatabaseError, match="file"):
        disk.write_whole(tmp_path / "file", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_or_quota_is_called_so(number: int, tmp_path: Path) -> None:
    with pytest.raises(DiskFull, match="no space left"):
        disk.raise_if_full(OSError(number, "full"), tmp_path)


def test_another_error_is_left_alone(tmp_path: Path) -> None:
    disk.raise_if_full(OSError(errno.EACCES, "not yours"), tmp_path)


def test_too_little_space_is_refused_with_both_numbers(tmp_path: Path) -> None:
    disk.require_space(tmp_path, 1)
    with pytest.raises(DiskFull, match=r"MB free; 1,000,000,000,000 MB are needed"):
        disk.require_space(tmp_path, 10**18)
