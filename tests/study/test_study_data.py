"""Data files, and downloads from a server that misbehaves."""

from __future__ import annotations

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from unsuprank.study.data import fetch as fetching
from unsuprank.study.data.collection import COLLECTION, KnownFile
from unsuprank.study.data.data_sets import file_checksum, find_data_sets, load_data_set
from unsuprank.study.data.fetch import FetchError, fetch

typer_testing = pytest.importorskip("typer.testing")


class Server(BaseHTTPRequestHandler):
    """Serves one file; ``cut`` ends each answer after that many bytes, ``dead`` says nothing."""

    content = b""
    cut: int | None = None
    dead = False
    ranges: list = []  # noqa: RUF012 - what was asked for, for the test to see

    def do_GET(self):
        if not self.path.endswith("/colon.mat"):
            self.send_error(404)
            return
        asked = self.headers.get("Range")
        Server.ranges.append(asked)
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        body = Server.content[start:]
        self.send_response(206 if asked else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not Server.dead:
            self.wfile.write(body if Server.cut is None else body[: Server.cut])

    def log_message(self, *_):
        pass


@pytest.fixture
def server(tmp_path, monkeypatch):
    savemat(
        tmp_path / "colon.mat", {"X": np.arange(62 * 2000.0).reshape(62, 2000), "Y": np.ones(62)}
    )
    Server.content = (tmp_path / "colon.mat").read_bytes()
    Server.cut, Server.dead, Server.ranges = None, False, []
    checksum = hashlib.sha256(Server.content).hexdigest()
    known = KnownFile("colon", 62, 2000, len(Server.content), checksum)
    monkeypatch.setitem(COLLECTION, "colon", known)
    running = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}/data"
    running.shutdown()
    running.server_close()
    thread.join()


def everything_in(directory: Path) -> list[str]:
    return sorted(p.name for p in directory.rglob("*"))


def test_fetch_and_found_again(server, tmp_path):
    path = fetch("colon", tmp_path / "to", base_url=server)
    assert path.read_bytes() == Server.content
    assert everything_in(tmp_path / "to") == ["colon.mat"]
    fetch("colon", tmp_path / "to", base_url=server)
    assert len(Server.ranges) == 1


def test_a_cut_connection_is_taken_up_where_it_stopped(server, tmp_path):
    Server.cut = len(Server.content) // 4 + 1
    path = fetch("colon", tmp_path / "to", base_url=server, pause=0)
    assert path.read_bytes() == Server.content
    assert Server.ranges == [None, *(f"bytes={k * Server.cut}-" for k in (1, 2, 3))]


def test_a_dead_connection_leaves_nothing(server, tmp_path):
    Server.dead = True
    with pytest.raises(FetchError, match="could not be downloaded"):
        fetch("colon", tmp_path / "to", base_url=server, pause=0)
    assert everything_in(tmp_path / "to") == []
    with pytest.raises(FetchError, match="could not be downloaded"):
        fetch("colon", tmp_path / "to", base_url="http://127.0.0.1:1", pause=0)
    assert everything_in(tmp_path / "to") == []


def test_a_wrong_checksum_leaves_what_was_there(server, tmp_path):
    (tmp_path / "to").mkdir()
    (tmp_path / "to" / "colon.mat").write_bytes(b"mine")
    Server.content = Server.content[:-1] + bytes([Server.content[-1] ^ 1])
    with pytest.raises(FetchError, match="SHA-256 does not match"):
        fetch("colon", tmp_path / "to", base_url=server)
    assert everything_in(tmp_path / "to") == ["colon.mat"]
    assert (tmp_path / "to" / "colon.mat").read_bytes() == b"mine"


def test_wrong_and_missing_names(server, tmp_path):
    with pytest.raises(ValueError, match=r"No data set is called 'kolon'.*colon"):
        fetch("kolon", tmp_path / "to", base_url=server)
    with pytest.raises(FetchError, match="404"):
        fetch("Yale", tmp_path / "to", base_url=server)
    assert not (tmp_path / "to").exists() or everything_in(tmp_path / "to") == []


def test_without_a_known_checksum(server, tmp_path, monkeypatch):
    with pytest.raises(FetchError, match="No checksum of lung is known"):
        fetch("lung", tmp_path / "to", base_url=server)
    monkeypatch.setitem(COLLECTION, "colon", KnownFile("colon", 62, 2000))
    assert fetch("colon", tmp_path / "to", base_url=server, verify=False).exists()
    monkeypatch.setitem(COLLECTION, "colon", KnownFile("colon", 62, 2001))
    with pytest.raises(FetchError, match="shape"):
        fetch("colon", tmp_path / "other", base_url=server, verify=False)
    assert everything_in(tmp_path / "other") == []


def test_formats(tmp_path):
    X = np.arange(12.0).reshape(6, 2)
    y = np.array([1, 1, 1, 2, 2, 2])
    savemat(tmp_path / "a.mat", {"X": X.astype(np.uint8), "Y": y[:, None]})
    np.savez(tmp_path / "b.npz", X=(X * 1000).astype(np.int16), y=y, scale=1000)
    (tmp_path / "c.csv").write_text(
        "u,class,v\n" + "\n".join(f"{a:g},{c},{b:g}" for (a, b), c in zip(X, y, strict=True))
    )
    (tmp_path / "d.arff").write_text(
        "@relation d\n@attribute u numeric\n@attribute v numeric\n@attribute class {1,2}\n@data\n"
        + "\n".join(f"{a:g},{b:g},{c}" for (a, b), c in zip(X, y, strict=True))
    )
    for name, path in find_data_sets(tmp_path).items():
        found = load_data_set(path)
        assert found.name == name
        assert np.array_equal(found.X, X), name
        assert found.X.dtype == np.float64
        assert found.n_classes == 2
    (tmp_path / "bad.csv").write_text("u,v\n1,red\n")
    with pytest.raises(ValueError, match=r"bad.csv.*'v' does not hold numbers"):
        load_data_set(tmp_path / "bad.csv")
    (tmp_path / "half.mat").write_bytes((tmp_path / "a.mat").read_bytes()[:150])
    with pytest.raises(ValueError, match=r"half.mat cannot be read"):
        load_data_set(tmp_path / "half.mat")
    with pytest.raises(FileNotFoundError, match="no data directory"):
        find_data_sets(tmp_path / "nowhere")


def test_commands(server, tmp_path):
    from unsuprank.study.commands import app

    run = typer_testing.CliRunner().invoke
    assert "gisette" in run(app, ["data", "list"]).output
    to = tmp_path / "to"
    result = run(app, ["data", "fetch", "colon", "--to", str(to), "--base-url", server])
    assert result.exit_code == 0, result.output
    checked = run(app, ["data", "check", str(to)])
    assert checked.exit_code == 0
    assert "right" in checked.output
    (to / "colon.mat").write_bytes(b"x")
    assert run(app, ["data", "check", str(to)]).exit_code == 1
    assert run(app, ["data", "fetch", "nothing", "--to", str(to)]).exit_code == 1
    wrong = run(app, ["reproduce", "--data", str(to), "--out", str(to), "--only", "everything"])
    assert wrong.exit_code == 1
    assert "No part is called 'everything'" in wrong.output


@pytest.mark.data
def test_known_checksums(data_dir):
    assert sum(f.checksum is not None for f in COLLECTION.values()) == 19
    for name, path in find_data_sets(data_dir).items():
        if path.suffix == ".mat":
            assert fetching.problem(COLLECTION[name], path) is None
            assert file_checksum(path) == COLLECTION[name].checksum
            assert load_data_set(path).X.shape == (COLLECTION[name].rows, COLLECTION[name].columns)
