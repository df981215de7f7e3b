"""Workbooks, and formats of other programs that are not read."""

from __future__ import annotations

import zipfile
from xml.sax.saxutils import escape

import numpy as np
import pytest

from unsuprank.io import FileProblem, ReadOptions, read_file
from unsuprank.io.foreign_formats import FOREIGN

_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
#: The second style shows numbers as dates.
_STYLES = (
    f'<styleSheet xmlns="{_SHEET}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/>'
    "</cellXfs></styleSheet>"
)


def cell(value):
    """A cell as the format writes it; a pair of a number and "date" is a date."""
    if value is None:
        return "<c/>"
    if isinstance(value, tuple):
        return f'<c s="1"><v>{value[0]}</v></c>'
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f"<c><v>{value!r}</v></c>"


def write_workbook(path, sheets):
    """Write a workbook with as little as the format allows."""
    names = list(sheets)
    listed = "".join(
        f'<sheet name="{n}" sheetId="{i}" r:id="r{i}"/>' for i, n in enumerate(names, 1)
    )
    relations = "".join(
        f'<Relationship Id="r{i}" Type="{_RELATION}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i in range(1, len(names) + 1)
    )
    root = f'<Relationship Id="a" Type="{_RELATION}/officeDocument" Target="xl/workbook.xml"/>'
    with zipfile.ZipFile(path, "w") as stored:
        stored.writestr("_rels/.rels", f'<Relationships xmlns="{_PACKAGE}">{root}</Relationships>')
        stored.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{_SHEET}" xmlns:r="{_RELATION}"><sheets>{listed}</sheets>'
            "</workbook>",
        )
        stored.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{_PACKAGE}">{relations}</Relationships>',
        )
        stored.writestr("xl/styles.xml", _STYLES)
        for i, name in enumerate(names, 1):
            rows = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in sheets[name])
            stored.writestr(
                f"xl/worksheets/sheet{i}.xml",
                f'<worksheet xmlns="{_SHEET}"><sheetData>{rows}</sheetData></worksheet>',
            )


ROWS = [
    ["name", "hits", "salary", "league", "since", "left"],
    ["ann", 81.0, "$160,000", "A", (43831, "date"), True],
    ["bob", 130.5, "$99,500", "N", (43832, "date"), False],
    ["cy", None, "$1,500", "A", (43862, "date"), True],
]


@pytest.fixture
def workbook(tmp_path):
    pytest.importorskip("python_calamine")
    path = tmp_path / "hitters.xlsx"
    write_workbook(path, {"empty": [], "players": ROWS, "other": [["a"], [1.0], [2.0]]})
    return path


def test_a_sheet_is_a_table(workbook):
    data = read_file(workbook)
    assert data.names == ROWS[0]
    table = data.without(["name"]).table()
    np.testing.assert_array_equal(table.values[:, 0], [81, 130.5, np.nan])
    np.testing.assert_array_equal(table.values[:, 1], [160000, 99500, 1500])
    np.testing.assert_array_equal(table.values[:, 3], [0, 1, 31])
    assert list(table.n_values) == [0, 0, 2, 0, 2]
    assert "read sheet 'players'; choose with --key: 'empty', 'other'" in data.notes
    assert read_file(workbook, ReadOptions(key="other")).names == ["a"]
    with pytest.raises(FileProblem, match="has no sheet 'x'; it has empty, players, other"):
        read_file(workbook, ReadOptions(key="x"))


def test_a_workbook_is_known_by_its_content(workbook):
    plain = workbook.with_suffix("")
    workbook.rename(plain)
    assert read_file(plain).names == ROWS[0]


def test_workbooks_that_cannot_be_read(tmp_path):
    pytest.importorskip("python_calamine")
    write_workbook(tmp_path / "t.xlsx", {"one": []})
    with pytest.raises(FileProblem, match=r"t\.xlsx is empty"):
        read_file(tmp_path / "t.xlsx")
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(FileProblem, match="not a readable workbook"):
        read_file(tmp_path / "t.xlsx")


@pytest.mark.parametrize("ending", FOREIGN)
def test_other_programs_have_their_way_told(tmp_path, ending):
    path = tmp_path / f"t{ending}"
    path.write_bytes(b"$FL2@(#) something")
    with pytest.raises(FileProblem, match="which is not read here; "):
        read_file(path)
    path.write_text("a,b\n1,2\n3,4\n")
    assert read_file(path, ReadOptions(format="csv")).names == ["a", "b"]
