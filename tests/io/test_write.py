"""Whatever is written appears whole or not at all."""

from __future__ import annotations

import os
import threading

import pytest
import systems

from unsuprank.io import atomic_path, atomic_write


def test_text_and_bytes(tmp_path):
    atomic_write(tmp_path / "t.txt", "größer\n")
    assert (tmp_path / "t.txt").read_bytes() == "größer\n".encode()
    atomic_write(str(tmp_path / "t.txt"), b"\x00")
    assert (tmp_path / "t.txt").read_bytes() == b"\x00"
    assert os.listdir(tmp_path) == ["t.txt"]


def fail_half_way(path):
    with atomic_path(path) as temporary:
        assert temporary.suffix == path.suffix
        temporary.write_text("half a")
        raise ZeroDivisionError


def test_a_failure_leaves_the_old_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError):
        fail_half_way(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["t.csv"]


@systems.posix
def test_permissions(tmp_path):
    path = tmp_path / "t"
    path.touch()
    usual = path.stat().st_mode
    atomic_write(tmp_path / "new", "")
    assert (tmp_path / "new").stat().st_mode == usual
    path.chmod(0o640)
    atomic_write(path, "x")
    assert path.stat().st_mode & 0o777 == 0o640


@systems.posix
def test_links_go_on_pointing(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    atomic_write(tmp_path / "link", "x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "x"


@systems.posix
def test_a_pipe_is_written_to(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_text()))
    reader.start()
    atomic_write(tmp_path / "pipe", "x")
    reader.join()
    assert read == ["x"]


def test_errors_name_the_file_and_not_the_temporary_one(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no/t\.csv"):
        atomic_write(tmp_path / "no" / "t.csv", "x")
    with pytest.raises(IsADirectoryError):
        atomic_write(tmp_path, "x")
