"""Cells as people write them: units, currencies, groups of digits, dates, marks of a gap."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unsuprank.io import FileProblem, ReadOptions, read_file
from unsuprank.io.parse_dates import parse_dates
from unsuprank.io.parse_numbers import parse_numbers
from unsuprank.io.text_columns import text_column


def column(cells, **options):
    return text_column("c", cells, range(2, len(cells) + 2), ReadOptions(**options))


@pytest.mark.parametrize(
    ("cells", "numbers", "says"),
    [
        (["1187 kg", "950 kg", "20 kg"], [1187, 950, 20], "numbers in kg ('1187 kg' is 1187)"),
        (["$160,000", "$99", "-$1"], None, ""),  # a sign before the currency is not known
        (["$160,000", "$99", "$-1"], [160000, 99, -1], "in $ ('$160,000' is 160000)"),
        (["16.5%", "7%", ""], [16.5, 7, np.nan], "in %"),
        (["1 234,5", "17,25", "3"], [1234.5, 17.25, 3], "('1 234,5' is 1234.5)"),
        (["1,234", "160,000", "7"], [1234, 160000, 7], "('160,000' is 160000)"),
        (["1.234.567,8", "2"], [1234567.8, 2], "1234567.8"),
        (["\N{MINUS SIGN}4.5 °C", "20 °C"], [-4.5, 20], "in °C"),
        (["5 km/h", "6km/h", "7"], [5, 6, 7], "in km/h"),
        (["1e3 m²", "2 m²"], [1000, 2], "in m²"),
        (["5 kg", "6 lb"], None, ""),
        (["C22", "E46"], None, ""),
        (["1st", "2nd", "3rd"], None, ""),
        (["12:30-14", "3-4"], None, ""),
        (["a 5", "b 6"], None, ""),
    ],
)
def test_numbers(cells, numbers, says):
    found = column(cells)
    if numbers is None:
        assert found.categories is not None
        assert not found.problem
        return
    np.testing.assert_array_equal(found.values, numbers)
    assert says in found.note
    assert found.texts() == cells  # the way back
    assert found.cells() == [c or None for c in cells]
    assert sorted(found.as_nominal().categories) == sorted(c for c in cells if c)


@settings(max_examples=100, derandomize=True)
@given(
    st.lists(st.floats(-1e9, 1e9).map(lambda v: round(v, 3)), min_size=1, max_size=20),
    st.sampled_from(["", " kg", "%", " €"]),
)
def test_numbers_with_points_and_groups_come_back(values, unit):
    reading = parse_numbers([f"{v:,.3f}{unit}" for v in values], ".")
    np.testing.assert_array_equal(reading.numbers, values)
    comma = [f"{v:,.3f}{unit}".translate(str.maketrans(",.", ".,")) for v in values]
    np.testing.assert_array_equal(parse_numbers(comma, ",").numbers, values)


def test_one_convention_for_all_cells_of_a_column():
    assert column(["1,234", "2,5"]).values.tolist() == [1.234, 2.5]
    assert column(["1,234", "2,500"]).values.tolist() == [1234, 2500]
    assert column(["1,234", "2,500"], decimal=",").values.tolist() == [1.234, 2.5]


@pytest.mark.parametrize(
    "form",
    ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%d %b %Y", "%B %d, %Y",
     "%Y-%m-%dT%H:%M:%S", "%d.%m.%Y %H:%M", "%Y-%m-%d %H:%M:%S+00:00"],
)  # fmt: skip
def test_dates(form):
    start = datetime(2019, 12, 31)
    moments = [start + timedelta(days=17 * i) for i in range(40)]
    reading = parse_dates([m.strftime(form) for m in moments])
    np.testing.assert_array_equal(reading.numbers, np.arange(40) * 17)
    assert "days since 2019-12-31" in reading.note


def test_times_within_a_day_are_seconds():
    np.testing.assert_array_equal(parse_dates(["06:30", "07:00"]).numbers, [0, 1800])
    assert "seconds since 06:30:00" in parse_dates(["06:30", "07:00"]).note
    reading = parse_dates(["2020-01-01 12:00:00", "2020-01-01 12:00:30.5"])
    np.testing.assert_array_equal(reading.numbers, [0, 30.5])
    assert "seconds since 2020-01-01 12:00:00" in reading.note


def test_the_month_comes_first_where_nothing_tells():
    assert "('01/02/2020' is 0)" in parse_dates(["01/02/2020", "01/05/2020"]).note
    np.testing.assert_array_equal(parse_dates(["01/02/2020", "01/05/2020"]).numbers, [0, 3])
    np.testing.assert_array_equal(parse_dates(["01/02/2020", "13/02/2020"]).numbers, [0, 12])


def test_strays_have_a_problem_that_na_solves():
    cells = [f"{i} kg" for i in range(30)]
    cells[4] = "heavy"
    assert "line 6 says 'heavy'" in column(cells).problem
    assert "--na 'heavy'" in column(cells).problem
    assert np.isnan(column(cells, na=("heavy",)).values[4])


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".feather", ".arff"])
def test_missing_values_by_name(ending, tmp_path):
    frame = pd.DataFrame({"x": [1.5, -999, 3, 2], "w": ["a", "none", "b", "a"]})
    path = tmp_path / f"t{ending}"
    if ending == ".csv":
        frame.to_csv(path, index=False)
    elif ending == ".arff":
        rows = frame.to_csv(index=False, header=False)
        path.write_text(f"@relation r\n@attribute x real\n@attribute w string\n@data\n{rows}")
    else:
        getattr(frame, "to_parquet" if ending == ".parquet" else "to_feather")(path)
    table = read_file(path, ReadOptions(na=("-999", "none"))).table()
    np.testing.assert_array_equal(table.values[:, 0], [1.5, np.nan, 3, 2])
    np.testing.assert_array_equal(table.values[:, 1], [0, np.nan, 1, 0])
    assert list(table.schema.categories[1]) == ["a", "b"]


def test_separator_and_decimal_sign_by_name(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a:b\n1,234:2\n2,500:3\n")
    data = read_file(path, ReadOptions(sep=":", decimal=","))
    assert data.table().values.tolist() == [[1.234, 2], [2.5, 3]]
    assert read_file(path, ReadOptions(sep=":", decimal=".")).table().values[0, 0] == 1234
    with pytest.raises(FileProblem, match="name one character, tab or space"):
        read_file(path, ReadOptions(sep="::"))
    path.write_text("a\tb\n1\t2\n2\t3\n")
    assert read_file(path, ReadOptions(sep="tab")).names == ["a", "b"]


def test_dates_of_parquet(tmp_path):
    moments = pd.to_datetime(["2020-01-01 12:00", None, "2020-01-03 00:00"])
    frame = pd.DataFrame({"m": moments, "d": moments.date, "x": [1.0, 2.0, 3.0]})
    frame["z"] = frame["m"].dt.tz_localize("Europe/Vienna")
    frame["l"] = pd.to_timedelta(["1h", "2h", None])
    frame.to_parquet(tmp_path / "t.parquet")
    data = read_file(tmp_path / "t.parquet")
    values = data.table().values
    np.testing.assert_allclose(values[:, 0], [0.5, np.nan, 2])
    np.testing.assert_allclose(values[:, 1], [0, np.nan, 2])
    np.testing.assert_allclose(values[:, 3], [11 / 24, np.nan, 23 / 24 + 1])
    np.testing.assert_allclose(values[:, 4], [3600, 7200, np.nan])
    assert len(data.column_notes()) == 4
    assert data.rows()[0]["d"] == "2020-01-01"


def test_dates_of_arff(tmp_path):
    head = '@relation r\n@attribute d date "yyyy-MM-dd"\n@attribute x real\n@data\n'
    (tmp_path / "t.arff").write_text(head + '"2020-01-01",1\n?,2\n"2020-01-31",3\n')
    values = read_file(tmp_path / "t.arff").table().values
    np.testing.assert_array_equal(values[:, 0], [0, np.nan, 30])
    (tmp_path / "t.arff").write_text(head + "someday,1\n?,2\n")
    with pytest.raises(FileProblem, match="dates in a way that is not known"):
        read_file(tmp_path / "t.arff").table()


@pytest.mark.parametrize("n_rows", [6, 60_000])
def test_wells_of_a_plate_are_no_numbers(tmp_path, n_rows):
    wells = [f"{1 + i % 3}_{1 + i % 2}" for i in range(n_rows)]
    (tmp_path / "t.csv").write_text("well,x\n" + "".join(f"{w},{len(w)}\n" for w in wells))
    column = read_file(tmp_path / "t.csv").columns[0]
    assert column.texts() == wells
    assert len(column.categories) == 6
    (tmp_path / "t.arff").write_text("@relation r\n@attribute a numeric\n@data\n1_2\n")
    with pytest.raises(FileProblem, match="line 4: '1_2' in the numeric attribute 'a'"):
        read_file(tmp_path / "t.arff")
