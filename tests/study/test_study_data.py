"""Data files, and downloads from a server that misbehaves."""

from __future__ import annotations

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from unsuprank.cli.app import run
from unsuprank.io import FileProblem
from unsuprank.study.data.collection import COLLECTION, KnownFile, fetch, problem
from unsuprank.study.data.data_sets import file_checksum, find_data_sets, load_data_set


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
    with pytest.raises(FileProblem, match="could not be downloaded"):
        fetch("colon", tmp_path / "to", base_url=server, pause=0)
    assert everything_in(tmp_path / "to") == []
    with pytest.raises(FileProblem, match="could not be downloaded"):
        fetch("colon", tmp_path / "to", base_url="http://127.0.0.1:1", pause=0)
    assert everything_in(tmp_path / "to") == []


def test_a_wrong_checksum_leaves_what_was_there(server, tmp_path):
    (tmp_path / "to").mkdir()
    (tmp_path / "to" / "colon.mat").write_bytes(b"mine")
    Server.content = Server.content[:-1] + bytes([Server.content[-1] ^ 1])
    with pytest.raises(FileProblem, match="SHA-256 does not match"):
        fetch("colon", tmp_path / "to", base_url=server)
    assert everything_in(tmp_path / "to") == ["colon.mat"]
    assert (tmp_path / "to" / "colon.mat").read_bytes() == b"mine"


def test_wrong_and_missing_names(server, tmp_path):
    with pytest.raises(ValueError, match=r"No data set is called 'kolon'.*colon"):
        fetch("kolon", tmp_path / "to", base_url=server)
    with pytest.raises(FileProblem, match="404"):
        fetch("Yale", tmp_path / "to", base_url=server)
    assert not (tmp_path / "to").exists() or everything_in(tmp_path / "to") == []


def test_without_a_known_checksum(server, tmp_path, monkeypatch):
    with pytest.raises(FileProblem, match="No checksum of lung is known"):
        fetch("lung", tmp_path / "to", base_url=server)
    monkeypatch.setitem(COLLECTION, "colon", KnownFile("colon", 62, 2000))
    assert fetch("colon", tmp_path / "to", base_url=server, verify=False).exists()
    monkeypatch.setitem(COLLECTION, "colon", KnownFile("colon", 62, 2001))
    with pytest.raises(FileProblem, match="shape"):
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
        assert np.array_equal(found.table.values, X), name
        assert not found.table.n_values.any()
        assert found.n_classes == 2


def test_files_that_are_no_data_sets(tmp_path):
    rows = "".join(f"{i},{i if i != 9 else 'oops'}\n" for i in range(30))
    (tmp_path / "stray.csv").write_text("u,v\n" + rows)
    with pytest.raises(FileProblem, match=r"stray.csv.*'v'"):
        load_data_set(tmp_path / "stray.csv")
    savemat(tmp_path / "half.mat", {"X": np.eye(9)})
    (tmp_path / "half.mat").write_bytes((tmp_path / "half.mat").read_bytes()[:150])
    with pytest.raises(FileProblem, match=r"half.mat is not a readable"):
        load_data_set(tmp_path / "half.mat")
    savemat(tmp_path / "short.mat", {"X": np.eye(9), "Y": np.ones(8)})
    with pytest.raises(FileProblem, match=r"'Y' holds 8 values.*9 rows"):
        load_data_set(tmp_path / "short.mat")
    savemat(tmp_path / "other.mat", {"Z": np.eye(9)})
    with pytest.raises(FileProblem, match="no table of numbers called 'X'"):
        load_data_set(tmp_path / "other.mat")
    with pytest.raises(FileProblem, match="no data directory"):
        find_data_sets(tmp_path / "nowhere")


def test_nominal_columns_and_missing_values_stay_what_they_are(tmp_path):
    (tmp_path / "mixed.csv").write_text("u,v,class\n1,red,a\n,blue,b\n3,red,a\n")
    found = load_data_set(tmp_path / "mixed.csv")
    assert found.table.n_values.tolist() == [0, 2]
    assert found.table.missing.tolist() == [True, False]
    assert found.y.tolist() == [0, 1, 0]


def test_commands(server, tmp_path, capsys):
    assert run(["data", "list"]) == 0
    assert "gisette" in capsys.readouterr().out
    to = tmp_path / "to"
    assert run(["data", "fetch", "colon", "--to", str(to), "--base-url", server]) == 0
    assert run(["data", "check", str(to)]) == 0
    assert "right" in capsys.readouterr().out


def test_exit_codes_are_those_of_all_commands(tmp_path, capsys):
    study = ["reproduce", "--data", str(tmp_path), "--out", str(tmp_path / "out")]
    (tmp_path / "colon.mat").write_bytes(b"x")
    assert run(["data", "check", str(tmp_path)]) == 3
    assert "1 of 1 files are wrong" in capsys.readouterr().err
    assert run(["data", "check", str(tmp_path / "nowhere")]) == 3
    assert run(["data", "fetch", "nothing", "--to", str(tmp_path)]) == 3
    assert run([*study, "--data-sets", "Yale"]) == 3
    assert "Yale is not in" in capsys.readouterr().err
    assert run([*study, "--only", "everything"]) == 2
    assert "No part is called 'everything'" in capsys.readouterr().err
    assert run([*study, "--methods", "genie4"]) == 2
    assert run(["reproduce", "--data", str(tmp_path)]) == 2
    assert not (tmp_path / "out").exists()


def test_an_interrupted_study_says_that_it_can_go_on(tmp_path, capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("unsuprank.study.reproduce.reproduce", interrupted)
    code = run(["reproduce", "--data", str(tmp_path), "--out", str(tmp_path), "--quiet"])
    assert code == 130
    assert "goes on from there" in capsys.readouterr().err


@pytest.mark.data
def test_known_checksums(data_dir):
    assert sum(f.checksum is not None for f in COLLECTION.values()) == 19
    for name, path in find_data_sets(data_dir).items():
        if path.suffix == ".mat":
            assert problem(COLLECTION[name], path) is None
            assert file_checksum(path) == COLLECTION[name].checksum
            assert load_data_set(path).table.shape == (
                COLLECTION[name].rows,
                COLLECTION[name].columns,
            )
