"""What the page says about groups of rows, against plain computations on tables of all kinds."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
from describe_tables import plain_share

pytest.importorskip("bokeh")
pytest.importorskip("jinja2")

from page_tables import CASES, Page, digits

from unsuprank import VarianceRanker, explain_clusters

#: Columns of wide tables that are looked at.
SOME = 40


@pytest.fixture(scope="module", params=CASES)
def page(request):
    return Page.of(request.param)


def labelled(page) -> tuple[pd.DataFrame, np.ndarray]:
    """The rows whose label is known, and the labels."""
    labels = np.array(page.labels)
    return page.frame[labels != ""], labels[labels != ""]


def shown_groups(page) -> dict[str, tuple[int, list[list[str]]]]:
    """Size and rows of the table for each group."""
    section = re.search(r'<section id="clusters">.*?</section>', page.html, re.S)[0]
    found = {}
    for body in re.findall(r"<tbody>(.*?)</tbody>", section, re.S):
        head = re.search(r"<th.*?>(.*?) <span.*?>\(([\d,]+) rows?\)", body, re.S)
        rows = [re.findall(r"<td.*?>(.*?)</td>", row, re.S) for row in body.split("</tr>")[1:-1]]
        cells = [[unescape(cell) for cell in row] for row in rows]
        found[head[1]] = int(head[2].replace(",", "")), [c for c in cells if len(c) > 1]
    return found


def shares(frame, target) -> np.ndarray:
    return np.array([plain_share(frame[name], target) for name in frame])


def jackknife(column, target) -> float:
    """Standard error of a share from leaving out one row at a time."""
    n = len(column)
    some = np.linspace(0, n - 1, min(n, 80)).astype(int)
    left_out = [plain_share(column.drop(column.index[i]), np.delete(target, i, 0)) for i in some]
    return float(np.std(left_out) * np.sqrt(n) * np.sqrt((n - 1) / n))


def test_groups_and_sizes(page):
    _, labels = labelled(page)
    sizes = pd.Series(labels).value_counts()
    shown = shown_groups(page)
    assert ("All groups" in shown) == (len(sizes) > 2)
    assert shown.pop("All groups", (len(labels), []))[0] == len(labels)
    assert len(shown) == min(20, len(sizes))
    assert {name: size for name, (size, _) in shown.items()} == sizes[list(shown)].to_dict()
    assert min(sizes[list(shown)]) >= sizes.drop(list(shown)).max() or len(sizes) == len(shown)
    assert list(shown) == sorted(shown, key=sorted(sizes.index).index)


def test_scores_and_means(page):
    frame, labels = labelled(page)
    every = pd.get_dummies(labels)
    compared = 0
    for name, (_, rows) in shown_groups(page).items():
        target = (every if name == "All groups" else every[[name]]).to_numpy(float)
        for column, score, direction, inside, outside, _ in rows:
            value, margin = (float(x) for x in score.split(" ± "))
            assert value == pytest.approx(plain_share(frame[column], target), abs=0.00501)
            if compared < 3:
                error = jackknife(frame[column].reset_index(drop=True), target)
                assert margin == pytest.approx(1.96 * error, rel=0.3, abs=0.011)
            if name != "All groups":
                assert (inside, outside) == means(frame[column], target[:, 0] > 0, direction)
            compared += 1
    assert compared >= 5 or page.frame.columns[0] == "u"  # nothing sets rows of noise apart


def means(column, inside, direction) -> tuple[str, str]:
    """Means of numbers, and shares of the name that the direction speaks of."""
    if column.dtype.kind == "f":
        values = column
        assert direction in ("higher", "lower", "between", "at both ends")
    else:
        more, name = direction.split(" ", 1)
        values = (column.astype(str) == name).astype(float).where(column.notna())
        assert more == ("more" if values[inside].mean() > values[~inside].mean() else "less")
    return digits(values[inside].mean()), digits(values[~inside].mean())


def test_best_first_and_only_beyond_chance(page):
    """No column that was left out is better, and shuffled rows do not do as well."""
    frame, labels = labelled(page)
    rng = np.random.default_rng(0)
    part = frame.iloc[:, :SOME]
    for name, (_, rows) in list(shown_groups(page).items())[:4]:
        target = pd.get_dummies(labels)
        target = (target if name == "All groups" else target[[name]]).to_numpy(float)
        scores = [float(row[1].split(" ± ")[0]) for row in rows]
        assert scores == sorted(scores, reverse=True)
        if len(rows) == 5:
            left = part.drop(columns=[row[0] for row in rows], errors="ignore")
            explained = shares(left, target)
            names = [n.dtype.kind != "f" for _, n in left.items()]  # of many names some are left
            assert (explained[~np.array(names)] <= scores[-1] + 0.00501).all()
        for row in rows[:2]:
            best = plain_share(frame[row[0]], target)
            shuffled = [plain_share(frame[row[0]], rng.permutation(target)) for _ in range(40)]
            assert max(shuffled) < best
            assert row[5] == "< 1e-16" or 0 < float(row[5]) <= 0.05


def test_sentence(page):
    frame, labels = labelled(page)
    found = explain_clusters(frame, labels).overall
    n_beyond, n = int(found.beyond.sum()), frame.shape[1]
    k = len(set(labels))
    text = f"“label” divides {len(labels):,} rows into {k} groups. "
    if n_beyond:
        best = int(found.order[0])
        share = plain_share(frame.iloc[:, best], pd.get_dummies(labels).to_numpy(float))
        text += f"{n_beyond:,} of {n:,} columns differ between them beyond chance, "
        text += f"“{frame.columns[best]}” most of all: by itself it explains {share:.0%} ± "
        text += f"{found.scores[best] - found.low[best]:.0%} of the division."
    else:
        text += "No column differs between them beyond chance."
    assert text in page.text
    assert ("The 20 largest are shown one by one." in page.text) == (k > 20)


@pytest.mark.parametrize("labels", [None, ["same"] * 30, [f"row {i}" for i in range(30)]])
def test_no_groups_no_section(labels, tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 4))
    VarianceRanker().fit(X).report(X, tmp_path / "r.html", labels=labels)
    assert 'id="clusters"' not in (tmp_path / "r.html").read_text()


def test_names_of_groups_are_no_markup(tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 2)) + np.repeat([[0.0], [5.0]], 15, axis=0)
    labels = ["<b>one</b>"] * 15 + [None] * 2 + [7] * 13
    VarianceRanker().fit(X).report(X, tmp_path / "r.html", labels=labels)
    page = (tmp_path / "r.html").read_text()
    assert "&lt;b&gt;one&lt;/b&gt;" in page
    assert "<b>one</b>" not in page
