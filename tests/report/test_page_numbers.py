"""Every number and sentence of the page against a plain computation, on tables of all kinds."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from describe_tables import clustering_space
from scipy.spatial import procrustes
from scipy.stats import rankdata, spearmanr
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering
from sklearn.model_selection import KFold

pytest.importorskip("bokeh")
pytest.importorskip("jinja2")

from page_tables import CASES, SEED, Page, association_matrix, digits, projections, unpack

from unsuprank import GreedyCSS, SharedVariance
from unsuprank.table import read_table

#: Numbers that were compared, for whoever asks: pytest -s prints it.
checked = 0


def same(found, expected, **tolerance):
    """Compare numbers, and count them."""
    global checked
    found = np.asarray(found, dtype=float)
    np.testing.assert_allclose(found, np.asarray(expected, dtype=float), **tolerance)
    checked += found.size


def says(page, sentence):
    """The page says a sentence; the numbers in it count."""
    global checked
    assert sentence in page.text, f"{sentence!r} is not in {page.text[:6000]!r}"
    checked += len(re.findall(r"\d[\d,.]*", re.sub(r"“.*?”", "", sentence)))


@pytest.fixture(scope="module", params=CASES)
def page(request):
    return Page.of(request.param)


@pytest.fixture(scope="module", autouse=True)
def tell():
    yield
    print(f"\n{checked:,} numbers of the pages compared")


def sample(page, most):
    n = len(page.frame)
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(SEED).choice(n, most, replace=False))


def test_summaries_of_columns(page):
    for j, name in enumerate(page.frame):
        column = page.frame[name]
        known = column.dropna()
        same(page.column("missing")[j], column.isna().mean(), rtol=1e-6)
        same(page.column("values")[j], known.nunique())
        if page.numeric(j):
            assert page.data["kinds"][j] == "number"
            found = [page.column(key)[j] for key in ("mean", "spread", "min", "max", "zero")]
            plain = [known.mean(), known.std(ddof=0), known.min(), known.max()]
            same(found, [*plain, (column == 0).mean()], rtol=1e-5, atol=1e-7 * plain[1])
            if known.nunique() > 1:
                counts = np.histogram(known, 12)[0]
                heights = [int(digit, 36) for digit in page.data["histograms"][j]]
                same(heights, np.ceil(35 * counts / counts.max()))
        else:
            assert page.data["kinds"][j] == ("yes/no" if column.dtype == bool else "nominal")
            share = known.value_counts(normalize=True)
            same(page.column("spread")[j], 1 - (share**2).sum(), rtol=1e-5)
            mode, values, counts = page.data["nominal"][str(j)]
            texts = known.astype(str)
            assert (texts == mode).sum() == texts.value_counts().max()
            same(counts, [(texts == value).sum() for value in values])


def test_scores_and_order(page):
    same(page.column("score"), page.ranker.scores_, rtol=1e-6)
    same(page.column("order"), np.argsort(-page.ranker.scores_, kind="stable"))
    n, m = page.frame.shape[::-1]
    says(page, f"{n:,} columns of {m:,} rows, ranked without labels by")


def repeated_scores(page):
    """Scores of other seeds or of refits, as the page's prose defines them."""
    ranker, rng = page.ranker, np.random.default_rng(SEED)
    if hasattr(ranker, "scores_sem_"):
        error = ranker.scores_sem_
        spread = np.sqrt(2) * np.maximum(error, error[error > 0].min())
        return ranker.scores_ + spread * rng.standard_normal((200, len(error)))
    n = len(page.frame)
    repeats = int(re.search(r"in (\d+) refits", page.text)[1])
    assert 3 <= repeats <= 20
    parts = (np.sort(rng.permutation(n)[: round(0.8 * n)]) for _ in range(repeats))
    return np.array([page.frame.to_numpy()[part].var(axis=0) for part in parts])


def test_stability(page):
    scores = repeated_scores(page)
    ranks = np.array([rankdata(-row, method="ordinal") for row in scores])
    own = rankdata(-page.ranker.scores_, method="ordinal")
    low, high = np.quantile(ranks, [0.05, 0.95], axis=0, method="nearest")
    low, high = np.minimum(low, own), np.maximum(high, own)
    top = min(16, -(-page.frame.shape[1] // 2))
    frequency = (ranks <= top).mean(axis=0)
    same(page.column("low"), low)
    same(page.column("high"), high)
    same(page.column("frequency"), np.round(100 * frequency))
    best = np.argsort(own)[:top]
    kept, width = (frequency[best] >= 0.8).sum(), int(np.median((high - low + 1)[best]))
    answer = "Mostly" if kept >= 0.8 * top else "In part" if 2 * kept >= top else "No"
    drawn = hasattr(page.ranker, "scores_sem_")
    refits = f"{len(scores)} refits on 80% of the rows"
    how = "200 draws of what other seeds would give" if drawn else refits
    says(
        page,
        f"{answer}. {kept} of the top {top} stay among the top {top} at least four times in five, "
        f"in {how}; the rank interval of the median one of them is {width:,} "
        f"rank{'' if width == 1 else 's'} wide.",
    )


def test_structure(page):
    n_rows, n = page.frame.shape
    bases = projections(page.frame) if n < 100 else None
    values = page.frame.to_numpy() if bases is None else None
    for j in range(n):
        if bases is None:  # squared correlations
            if j % 50:
                continue
            squared = np.corrcoef(values.T)[j] ** 2 if j == 0 else _squared(values, j)
            same(page.column("explained")[j], (squared.sum() - 1) / (n - 1), rtol=1e-4)
            same(page.column("chance")[j], 1 / (n_rows - 1), rtol=1e-4)
        elif bases[j] is not None:
            others = clustering_space(page.frame.drop(columns=page.frame.columns[j]))
            share = np.linalg.norm(bases[j].T @ others) ** 2 / np.linalg.norm(others) ** 2
            same(page.column("explained")[j], share, rtol=1e-4)
            same(page.column("chance")[j], bases[j].shape[1] / (n_rows - 1), rtol=1e-4)


def _squared(values, j):
    z = (values - values.mean(axis=0)) / values.std(axis=0)
    return (z.T @ z[:, j] / len(z)) ** 2


@pytest.mark.parametrize("name", ["small", "mixed"])
def test_deviations_are_those_of_shuffled_columns(name):
    page = Page.of(name)
    rng = np.random.default_rng(0)
    bases = projections(page.frame)
    for j, basis in enumerate(bases):
        if basis is None or page.frame.columns[j] == "name":  # too few different outcomes
            continue
        others = clustering_space(page.frame.drop(columns=page.frame.columns[j]))
        kernel = others @ others.T
        orders = (rng.permutation(len(basis)) for _ in range(600))
        shuffled = [np.vdot(basis[order], kernel @ basis[order]) for order in orders]
        z = (np.vdot(basis, kernel @ basis) - np.mean(shuffled)) / np.std(shuffled)
        same(page.column("deviations")[j], z, rtol=0.2, atol=0.2)


def beyond_chance(page):
    """The procedure of Benjamini and Hochberg, from the p-values."""
    p = SharedVariance(views="line").fit(page.frame).p_values_
    ordered = np.sort(p)
    passes = np.flatnonzero(ordered <= 0.05 * np.arange(1, len(p) + 1) / len(p))
    return p <= (ordered[passes[-1]] if len(passes) else -1.0)


def quoted(names, most):
    shown = ", ".join(f"“{name}”" for name in names[:most])
    return shown + (f" and {len(names) - most:,} more" if len(names) > most else "")


def test_verdict_on_structure(page):
    beyond = beyond_chance(page)
    same(page.column("beyond"), beyond)
    n, count = len(beyond), beyond.sum()
    if not count:
        says(page, f"None was found. None of the {n} columns explains more of the others than it")
        return
    order = np.argsort(-page.ranker.scores_, kind="stable")
    left = [page.frame.columns[j] for j in order if not beyond[j]]
    says(
        page,
        f"{'Yes' if 2 * count > n else 'In some columns'}. {count:,} of {n:,} columns explain more "
        "of the others than they would with their rows shuffled (at most 5% of these are expected "
        "to be false discoveries)." + (f" Not beyond chance: {quoted(left, 4)}." if left else ""),
    )


def test_verdict_on_representatives(page):
    frame = page.frame.iloc[sample(page, 1000)]
    left_out = [
        name
        for name in page.frame
        if page.frame[name].dtype.kind not in "fb" and page.frame[name].nunique() > 32
    ]
    frame = frame.drop(columns=left_out)
    css = GreedyCSS(n_features_to_select="auto").fit(frame)
    if not css.n_features_:
        says(page, "None do. No column explains more of the others than chance would.")
        return
    picks = css.picks_[: css.n_features_]
    Z = clustering_space(frame)
    spaces = [clustering_space(frame[[name]]) for name in frame.columns[picks]]
    explained = []
    for k in range(1, len(picks) + 1):
        rest = Z - np.hstack(spaces[:k]) @ np.linalg.pinv(np.hstack(spaces[:k])) @ Z
        explained.append(1 - (rest**2).sum() / (Z**2).sum())
    reached = [k for k, share in enumerate(explained, 1) if share >= 0.8]
    few = reached[0] if reached else len(picks)
    notes = f" (nominal columns of more than 32 values left out: {quoted(left_out, 4)})"
    notes = (notes if left_out else "") + (
        f" (on a sample of {len(frame):,} rows)" if len(frame) < len(page.frame) else ""
    )
    says(
        page,
        f"{few} column{'' if few == 1 else 's'}. {quoted(frame.columns[picks[:few]], 16)} "
        f"explain{'s' if few == 1 else ''} {explained[few - 1]:.0%} of the variation of all "
        f"{frame.shape[1]:,} columns{notes}, picked one after the other.",
    )
    if len(picks) > few:
        says(
            page,
            f"Up to {len(picks)} columns explain more than chance would, together "
            f"{explained[-1]:.0%}",
        )
    else:
        tail = "The next would explain no more than chance."
        says(page, tail if len(picks) < min(64, frame.shape[1]) else "were looked for.")


def test_bars(page):
    scores = page.ranker.scores_
    errors = 1.96 * getattr(page.ranker, "scores_sem_", np.zeros_like(scores))
    best = np.argsort(-scores, kind="stable")[:30]
    lengths = (scores + errors)[best].max()
    assert scores[best].min() >= 0
    all_full = scores[best].min() > 0.8 * scores[best].max()
    start = 0.0
    if all_full:
        low = (scores - errors)[best].min()
        start = low - 0.05 * (scores[best].max() - low)
        says(page, f"Bar: the score, from {digits(start)} on")
    rows = re.findall(r"<li><span class=\"rank\">.*?</li>", page.html, re.S)
    assert len(rows) == len(best)
    beyond = beyond_chance(page)
    for rank, (j, row) in enumerate(zip(best, rows, strict=True), 1):
        bar = [float(x) for x in re.search(r'style="left:(.*?)%;width:(.*?)%"', row).groups()]
        scale = 100 / (lengths - start)
        same(bar, [0, (scores[j] - start) * scale], atol=0.011)
        assert ("by-chance" in row) == (not beyond[j])
        if errors[j]:
            ends = re.search(r'<b style="left:(.*?)%;width:(.*?)%"', row).groups()
            low = max(0.0, scores[j] - errors[j] - start)
            width = (scores[j] + errors[j] - start) - low
            same([float(x) for x in ends], [low * scale, width * scale], atol=0.021)
        spans = re.findall(r'<span class="(?:rank|value|interval|chance)">(.*?)</span>', row)
        explained, chance = (page.column(key)[j] for key in ("explained", "chance"))
        expected = [
            str(rank),
            digits(scores[j]),
            f"{page.column('low')[j]}\N{EN DASH}{page.column('high')[j]}",
            f"{explained:.1%} / {chance:.1%}",
        ]
        assert [s for s in spans if "%" not in s] == [e for e in expected if "%" not in e]
        shares = [float(x) for x in re.findall(r"([\d.]+)%", spans[-1])]
        same(shares, [100 * explained, 100 * chance], atol=0.0501)
    n = page.frame.shape[1]
    says(page, f"All {n} columns, best first." if n <= 30 else "The 30 columns with the highest")


def test_fall_of_the_scores(page):
    scores = np.sort(page.ranker.scores_)[::-1]
    n = len(scores)
    if n <= 30:
        assert "bend most at rank" not in page.text
        return
    line = np.linspace(scores[0], scores[-1], n)
    bend = int(np.argmax(line - scores)) + 1
    says(
        page,
        f"The scores fall from {digits(scores[0])} at rank 1 to {digits(scores[-1])} at rank "
        f"{n:,}, and bend most at rank {bend:,}.",
    )


def plain_errors(train, test, known, nominal, order, sizes):
    """Errors of copying the nearest row relative to those of means and modes."""

    def rmse(predicted):
        wrong = np.where(nominal, test != predicted, (test - predicted) ** 2) * known
        errors = wrong.sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        return np.where(nominal, errors, np.sqrt(errors)).mean()

    constant = np.array([
        np.bincount(column.astype(int)).argmax() if is_name else column.mean()
        for column, is_name in zip(train.T, nominal, strict=True)
    ])  # fmt: skip
    base = rmse(np.broadcast_to(constant, test.shape))
    difference = test[:, None, order] - train[None, :, order]
    squares = np.where(nominal[order], difference != 0, difference**2)
    distances = np.cumsum(squares, axis=2)[:, :, np.array(sizes) - 1]
    return [rmse(train[nearest]) / base for nearest in distances.argmin(axis=1).T]


def filled(values, rows, nominal):
    """Training rows, and the means and modes that fill the gaps."""
    train = values[rows]
    fill = []
    for column, is_name in zip(train.T, nominal, strict=True):
        known = column[~np.isnan(column)]
        fill.append(np.bincount(known.astype(int)).argmax() if is_name else known.mean())
    return np.where(np.isnan(train), fill, train), np.array(fill)


def plain_curve(page):
    """Errors of the ranking, and of 19 random orders, at all sizes."""
    curve = page.facts.curve
    table = read_table(page.frame).take(rows=sample(page, curve.n_rows))
    nominal = np.array([not page.numeric(j) for j in range(page.frame.shape[1])])
    n, folds = table.n_columns, KFold(curve.n_folds, shuffle=True, random_state=SEED)
    sizes = sorted({*(2**k for k in range(20) if 2**k <= n), n})
    ranking, random = [], []
    spread = np.nanstd(table.values, axis=0)
    values = table.values / np.where(nominal | (spread == 0), 1.0, spread)
    for f, (rows, tests) in enumerate(folds.split(values)):
        train, fill = filled(values, rows, nominal)
        known = ~np.isnan(values[tests])
        test = np.where(known, values[tests], fill)
        orders = [clone(page.ranker).fit(table.take(rows=rows)).order_]
        orders += [np.random.default_rng([SEED, d, f]).permutation(n) for d in range(1, 20)]
        errors = [plain_errors(train, test, known, nominal, order, sizes) for order in orders]
        ranking.append(errors[0])
        random.append(errors[1:])
    random = np.mean(random, axis=0)
    return sizes, np.mean(ranking, axis=0), *np.percentile(random, [5, 95], axis=0)


def test_curve(page):
    curve = page.facts.curve
    sizes, error, low, high = plain_curve(page)
    same(curve.sizes, sizes)
    same(curve.error, error, rtol=1e-6)
    same([curve.random_low, curve.random_high], [low, high], rtol=1e-6)
    check_curve_sentences(page, sizes, error, low, high)
    rows = "" if curve.n_rows == len(page.frame) else f" (on a sample of {curve.n_rows:,} rows)"
    says(
        page,
        f"in {curve.n_folds} folds{rows}. Numbers are in units of their standard deviations. "
        "Orange: the middle nine tenths of 19 random orders.",
    )


def check_curve_sentences(page, sizes, error, low, high):
    best, n = int(np.argmin(error)), len(sizes) - 1
    if error[best] >= 1:
        says(page, f"The error is {digits(error[best])} or more at every size, and 1 is what")
        assert "come within" not in page.text
    else:
        size = sizes[best]
        says(
            page,
            f"The error is lowest with {size:,} column{'' if size == 1 else 's'}, at "
            f"{digits(error[best])} of that of predicting means and most common values.",
        )
        reach = error.min() + 0.05 * (error.max() - error.min())
        enough = sizes[int(np.argmax(error <= reach))]
        if enough == sizes[-1]:
            says(page, "No smaller number comes near to that.")
        else:
            says(page, f"{enough:,} columns come within 5% of the way")
    better, worse = (error < low)[:-1].sum(), (error > high)[:-1].sum()
    judged = (
        "at most sizes this choice is better than a random one"
        if better > n / 2
        else "at most sizes a random choice is better"
        if worse > n / 2
        else "this does not show that the choice is better than a random one"
    )
    says(
        page,
        f"Of {n} sizes short of all columns, the error is below the band of random orders at "
        f"{better} and above it at {worse}: {judged}.",
    )


def test_neighbours(page):
    n = page.frame.shape[1]
    leading = np.argsort(-page.ranker.scores_, kind="stable")[:1000]
    k = page.data["neighbours"]
    assert k == min(4, n - 1)
    found = page.column("association").reshape(n, k)
    nearest = page.column("nearest").reshape(n, k)
    matrix = association_matrix(page.frame)
    for j in range(0, n, 1 if n < 100 else 20):
        others = leading[leading != j]
        same(found[j], 100 * np.sort(matrix[j, others])[::-1][:k], atol=0.55)
        same(matrix[j, nearest[j]], found[j] / 100, atol=0.0055)
        same(page.column("strong")[j], (matrix[j, others] >= 0.7).sum())


def test_groups(page):
    leading = np.argsort(-page.ranker.scores_, kind="stable")[:50]
    names = page.frame.columns
    matrix = association_matrix(page.frame.iloc[:, leading])
    np.fill_diagonal(matrix, 1)
    labels = AgglomerativeClustering(
        n_clusters=None, distance_threshold=0.3, metric="precomputed", linkage="average"
    ).fit_predict(1 - matrix)
    groups = [leading[labels == label] for label in set(labels)]
    larger = [group for group in groups if len(group) > 1]
    pairs = np.triu(matrix, 1)
    a, b = np.unravel_index(pairs.argmax(), pairs.shape)
    closest = f"Closest are “{names[leading[a]]}” and “{names[leading[b]]}” ({pairs[a, b]:.2f})."
    if larger:
        says(
            page,
            f"The first {len(leading)} columns fall into {len(groups)} groups of similar columns "
            f"(an average association of at least 0.7); {len(larger)} of them "
            f"{'has' if len(larger) == 1 else 'have'} more than one member. {closest}",
        )
    else:
        says(
            page,
            f"None of the first {len(leading)} columns repeats another: no group has an average "
            f"association of 0.7. {closest}",
        )
    for group in larger:
        others = quoted([names[j] for j in group[1:]], 6)
        says(page, f"{names[group[0]]} {len(group)} {others}")
    assert ("All associations are weak" in page.text) == (pairs.max() < 0.3)
    order = [leading.tolist().index(j) for j in page.data["groups"]]
    same(page.facts.groups.matrix, matrix[np.ix_(order, order)], atol=1e-3)


def test_heat_map(page):
    rows = sample(page, 200)
    heat = page.facts.heat
    leading = np.argsort(-page.ranker.scores_, kind="stable")[:50]
    assert sorted(heat.rows) == rows.tolist()
    assert sorted(heat.columns) == sorted(leading)
    assert page.data["heat"] == heat.columns.tolist()
    part = page.frame.iloc[heat.rows]
    for j, shown in zip(heat.columns, heat.values.T, strict=True):
        column = part.iloc[:, j]
        if page.numeric(j):
            spread = column.std(ddof=0)
            z = (column - column.mean()) / (spread if spread > 0 else 1)
            same(shown, z.clip(-3, 3), rtol=1e-7, atol=1e-9)
        else:
            counts = column.dropna().astype(str).value_counts()
            common = sorted(counts.index, key=lambda v, c=counts: (-c[v], v))
            places = [np.nan if pd.isna(v) else min(common.index(str(v)), 7) for v in column]
            same(shown, places)
    says(page, f"{len(rows)} rows and the first {len(leading)} columns, both ordered")


def test_planes(page):
    rows, n = sample(page, 1000), page.frame.shape[1]
    top = min(16, -(-n // 2))
    best = np.argsort(-page.ranker.scores_, kind="stable")[:top]
    planes, shares = [], []
    for columns, found in ((range(n), page.facts.plane_of_all), (best, page.facts.plane_of_top)):
        Z = clustering_space(page.frame.iloc[rows, list(columns)])
        left, lengths, _ = np.linalg.svd(Z, full_matrices=False)
        planes.append(left[:, :2] * lengths[:2])
        shares.append((lengths[:2] ** 2).sum() / (lengths**2).sum())
        expected = np.abs(planes[-1]) / np.sqrt(len(columns))
        same(np.abs(found.coordinates), expected, atol=1e-6)
    agreement = 1 - procrustes(*planes)[2]
    says(
        page,
        f"The plane holds {shares[0]:.0%} of the variance of all columns, that of the top {top} "
        f"holds {shares[1]:.0%} of theirs. Turned and scaled onto one another, the two pictures "
        f"share {agreement:.0%} of their variation.",
    )
    says(page, f"By the top {top}")


def test_colours_of_rows(page):
    rows = page.frame.iloc[sample(page, 1000)]
    for key, by in page.data["rows"].items():
        column = rows.iloc[:, int(key)]
        found = unpack(by["places"])
        known = column.notna().to_numpy()
        assert (found[~known] == 255).all()
        if by["nominal"]:
            counts = column[known].astype(str).value_counts()
            common = sorted(counts.index, key=lambda v, c=counts: (-c[v], v))
            same(found[known], [min(common.index(str(v)), 7) for v in column[known]])
            others = [f"{len(common) - 7:,} others"] if len(common) > 7 else []
            assert by["legend"] == [*common[:7], *others]
        elif known.any():
            level = 254 * (rankdata(column[known]) - 1) / (known.sum() - 1)
            same(found[known], np.rint(level))
            same([float(x) for x in by["legend"]], [column.min(), column.max()], rtol=1e-3)


def test_variance(page):
    numeric = [j for j in range(page.frame.shape[1]) if page.numeric(j)]
    spread = page.frame.iloc[:, numeric].std(ddof=0)
    r = spearmanr(page.ranker.scores_[numeric], spread).statistic
    judged = (
        "Yes, nearly" if r > 0.9 else "In part" if r > 0.5 else "No, rather" if r < -0.5 else "No:"
    )
    assert judged in page.text
    over = f"over {len(numeric):,} numeric columns: {r:.2f}.)"
    says(page, f"(Rank correlation of score and spread {over}")


def test_good_to_know(page):
    missing = page.frame.isna().mean()
    if (incomplete := missing[missing > 0].sort_values(ascending=False, kind="stable")).size:
        says(
            page,
            f"{len(incomplete)} column(s) have missing values, up to {incomplete.iloc[0]:.0%} of "
            f"the rows: {quoted(list(incomplete.index), 3)}.",
        )
    constant = [name for name in page.frame if page.frame[name].nunique() < 2]
    if constant:
        says(page, f"{len(constant)} column(s) never change")
    numeric = page.frame.select_dtypes("float").std(ddof=0)
    low, high = numeric[numeric > 0].min(), numeric.max()
    if high > 1000 * low:
        says(page, f"(spreads from {digits(low)} to {digits(high)})")


def test_no_number_is_left_unchecked(page):
    """What remains when all that the tests above compare is taken away has no digits."""
    html = re.sub(r'<ol class="bars">.*?</ol>', " ", page.html, flags=re.S)
    html = re.sub(r'<table class="(paper|groups.*?)">.*?</table>', " ", html, flags=re.S)
    html = re.sub(r'<section id="about">.*?</section>', " ", html, flags=re.S)
    text = replace(page, html=html).text
    for name in sorted(map(str, page.frame.columns), key=len, reverse=True):
        text = text.replace(f"“{name}”", " ")
    for sentence in SENTENCES:
        text = re.sub(sentence, " ", text)
    assert not re.search(r"\d", text), re.findall(r".{60}\d.{60}", text)


#: The sentences with numbers that the tests above compare, and the fixed ones.
NUMBER = r"-?[\d,]+(?:\.\d+)?(?:e[-+]\d+)?%?"
SENTENCES = [
    pattern.replace("#", NUMBER)
    for pattern in (
        "# columns of # rows, ranked without labels by (genie3)?",
        "None of the # columns explains",
        r"# of # columns explain more .*?\(at most 5% of these",
        "and # more",
        r"# of the top # stay among the top # .*?, in # (draws|refits on 80%).*? is # ranks? wide",
        r"# columns?\. +(?=(and|,|explain| ))",
        "explains? # of the variation of all # columns",
        "nominal columns of more than 32 values left out",
        r"\(on a sample of # rows\)",
        "Up to # columns explain more than chance would, together #",
        "No more than # were looked for",
        r"# column\(s\) (have missing values, up to # of the rows|never change)",
        r"\(spreads from # to #\)",
        "(The # columns with the highest|All # columns, best first)",
        "Bar: the score, from # on",
        "with its 95% interval",
        "The scores fall from # at rank # to # at rank #, and bend most at rank #",
        "The error is # or more at every size, and 1 is what",
        "The error is lowest with # columns?, at # of that",
        "# columns come within 5% of the way",
        "Of # sizes short of all columns, .*? at # and above it at #:",
        "The first 1, 2, 4, … columns",
        "in # folds",
        "nine tenths of 19 random",
        r"The first # columns fall into # groups .*? at least 0.7\); # of them",
        "None of the first # columns repeats another: .*? association of 0.7",
        r"Closest are .*? \(#\)",
        "Association: 0 for what chance would give, 1 for columns",
        "The plane holds # of the variance of all columns, that of the top # holds #",
        "the two pictures share #",
        "By the top #",
        "# rows and the first # columns",
        "2nd 3rd 4th 5th 6th 7th",
        "“label” divides # rows into # groups",
        "# of # columns differ between them",
        "by itself it explains # ± # of the division",
        "The 20 largest are shown one by one",
        "1 if it tells the group exactly, about 0 for noise",
        r"\(Rank correlation of score and spread over # numeric columns: #\.\)",
    )
]


def test_the_table_on_paper(page):
    rows = re.search(r'<table class="paper">.*?<tbody>(.*?)</tbody>', page.html, re.S)[1]
    shown = [re.findall(r"<td>(.*?)</td>", row, re.S) for row in rows.split("</tr>")[:-1]]
    best = np.argsort(-page.ranker.scores_, kind="stable")[:50]
    assert len(shown) == len(best)
    for rank, (j, row) in enumerate(zip(best, shown, strict=True), 1):
        same([int(row[0]), int(row[3].replace(",", ""))], [rank, page.frame.iloc[:, j].nunique()])
        assert row[1:3] == [str(page.frame.columns[j]), page.data["kinds"][j]]
        low, high = page.column("low")[j], page.column("high")[j]
        assert row[4:] == [f"{low} to {high}", digits(page.ranker.scores_[j])]
