"""Rankings that older versions saved, which every later version must read.

The files are never written again. A new schema adds files of its own beside those that are here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from unsuprank.io import FileProblem, read_scores
from unsuprank.io.score_table import SCHEMA, write_rows, write_scores

GOLDEN = sorted((Path(__file__).parent / "golden").iterdir())
NAMES = ["height", "=SUM(A1)", "größe, weiß", "note"]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: p.name)
def test_saved_rankings_load(path):
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow")
    assert read_scores(path) == NAMES


def test_every_schema_has_golden_files():
    assert {path.stem for path in GOLDEN} == {f"schema_{n}" for n in range(SCHEMA + 1)}


@pytest.mark.parametrize("ending", ["csv", "tsv", "json"])
def test_what_is_written_now_is_what_the_golden_file_holds(ending, tmp_path):
    rows = [{"feature": n, "rank": r, "score": 1 / r} for r, n in enumerate(NAMES, 1)]
    write_scores(rows, tmp_path / f"s.{ending}")
    golden = next(p for p in GOLDEN if p.name == f"schema_{SCHEMA}.{ending}")
    assert (tmp_path / f"s.{ending}").read_text("utf-8") == golden.read_text("utf-8")


@pytest.mark.parametrize("ending", ["json", "parquet"])
def test_a_later_schema_is_not_misread(ending, tmp_path):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"s.{ending}"
    write_rows([{"feature": "a", "rank": 1}], path, schema=SCHEMA + 1)
    with pytest.raises(FileProblem, match="later version of unsuprank; update it"):
        read_scores(path)
