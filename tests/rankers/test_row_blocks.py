"""Blocks of rows: what is drawn, what is grown on it, and that nothing else matters."""

from __future__ import annotations

import numpy as np
import pytest

from unsuprank import (
    MCFS,
    NDFS,
    SPEC,
    Genie3,
    LaplacianScore,
    RandomForestScore,
    SymbolicScore,
    URelief,
)
from unsuprank.rankers import row_blocks
from unsuprank.rankers.clustering_space import Space
from unsuprank.rankers.forest.block_forest import RowBlockSum
from unsuprank.rankers.forest.growing import Grower
from unsuprank.rankers.forest.parameters import grow_settings
from unsuprank.rankers.forest.tree_scores import ScoreSum, tree_scores
from unsuprank.rankers.row_blocks import RowBlocks, block_size
from unsuprank.row_source import RowSource
from unsuprank.table import Schema, Table, read_table

FORESTS = [Genie3, SymbolicScore, RandomForestScore]


def random_table(seed: int, n_rows: int = 150) -> Table:
    """Numbers of many sizes, two nominal columns, gaps, and a constant column."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 7)) * 10.0 ** rng.integers(-3, 4, 7) + 10.0 ** rng.integers(0, 3)
    X[:, 1] += X[:, 0] * 3
    X[rng.random(n_rows) < 0.1, 2] = np.nan
    X[:, 3] = 2.5
    codes = rng.integers(0, 3, (n_rows, 1)), rng.integers(0, n_rows, (n_rows, 1))
    categories = [np.arange(3.0), np.arange(float(n_rows))]
    schema = Schema(None, (None,) * 7 + tuple(categories))
    return Table(np.asfortranarray(np.hstack([X, *codes])), schema)


class SlowRows(RowSource):
    """A table that pretends to be on disk, and counts how often it is read."""

    def __init__(self, table: Table) -> None:
        self.table, self.schema, self.n_rows, self.reads = table, table.schema, table.n_rows, 0

    def take(self, rows):
        self.reads += 1
        return self.table.take(rows)

    def chunks(self, n_rows):
        return self.table.chunks(n_rows)


def scaled_as_in_all_rows(block: Table, whole: Table) -> Space:
    """The space of a block by the definition: coordinates divided by spreads of all rows."""
    factors = np.zeros(whole.n_columns)
    for j in range(whole.n_columns):
        spreads = []
        for table in (block, whole):
            x = table.column(j)[~np.isnan(table.column(j))]
            share = np.unique(x, return_counts=True)[1] / len(x)
            spreads.append(np.sqrt(1 - (share**2).sum()) if whole.n_values[j] else x.std())
        factors[j] = spreads[0] / spreads[1] if spreads[1] and np.ptp(x) else 0.0
    return Space.of(block, stretch=factors)


@pytest.mark.parametrize("forest", FORESTS)
@pytest.mark.parametrize("seed", range(3))
def test_scores_are_means_of_plain_forests_on_blocks(forest, seed):
    table = random_table(seed)
    ranker = forest(n_estimators=10, max_samples=30, n_blocks=4, random_state=seed).fit(table)
    settings = grow_settings(ranker, table.n_columns)
    blocks = RowBlocks(table, 30, settings.seed)
    means = []
    for b, n_trees in enumerate((3, 3, 2, 2)):
        space = scaled_as_in_all_rows(blocks.read(b), table)
        changed = {**settings.__dict__, "seed": blocks.seed_of(b)}
        grower = Grower(space, type(settings)(**changed))
        total = ScoreSum(table.n_columns)
        total.add(tree_scores(ranker._kind, grower.grow(0, n_trees), grower, 0), n_trees)
        means.append(total.mean())
    np.testing.assert_allclose(ranker.scores_, np.mean(means, axis=0), rtol=1e-6, atol=1e-9)
    assert ranker.n_blocks_ == 4
    assert ranker.n_estimators_ == 10


def test_a_stretch_scales_coordinates_and_distances():
    table = random_table(0, 40)
    stretch = np.random.default_rng(0).uniform(0.5, 2.0, table.n_columns)
    plain = Space.of(table, dtype=np.float64)
    stretched = Space.of(table, dtype=np.float64, stretch=stretch, coords=True, distances=True)
    z = stretched.coords
    expected = ((z[:, None] - z[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(stretched.distances, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(stretched.scales, plain.scales * stretch)


def test_all_rows_in_one_block_is_the_plain_forest():
    table = random_table(1)
    plain = Genie3(n_estimators=20, random_state=1).fit(table)
    for many in (150, 1000, 1.0):
        same = Genie3(n_estimators=20, max_samples=many, random_state=1).fit(table)
        np.testing.assert_array_equal(same.scores_, plain.scores_)
        assert same.n_blocks_ is None


@pytest.mark.parametrize("n_estimators", [100, "auto"])
def test_threads_groups_and_containers_do_not_matter(n_estimators, monkeypatch):
    table = random_table(2, 300)
    settings = {
        "n_estimators": n_estimators,
        "max_samples": 32,
        "max_estimators": 4000,
        "stability": 0.5,
        "n_features_to_select": 3,
        "random_state": 5,
    }
    first = Genie3(**settings, n_jobs=1).fit(table)
    for n_jobs, shared in ((2, 2**26), (2, 32 * 8 * 9 * 5), (1, 1)):
        monkeypatch.setattr(row_blocks, "SHARED_BYTES", shared)
        for rows in (table, SlowRows(table)):
            again = Genie3(**settings, n_jobs=n_jobs).fit(rows)
            np.testing.assert_array_equal(again.scores_, first.scores_)
            np.testing.assert_array_equal(again.scores_sem_, first.scores_sem_)
            assert again.n_blocks_ == first.n_blocks_


def test_many_blocks_are_read_together():
    rows = SlowRows(random_table(3, 300))
    Genie3(n_estimators=64, max_samples=32, n_blocks=64, random_state=0).fit(rows)
    assert rows.reads == 1


def test_blocks_are_samples_that_depend_on_seed_and_number():
    blocks = RowBlocks(random_table(0), 30, seed=7)
    same = RowBlocks(random_table(1), 30, seed=7)
    other = RowBlocks(random_table(0), 30, seed=8)
    for b in range(5):
        rows = blocks.rows(b)
        assert len(np.unique(rows)) == 30
        assert (np.diff(rows) > 0).all()
        np.testing.assert_array_equal(rows, same.rows(b))
        assert not np.array_equal(rows, other.rows(b))
        assert not np.array_equal(rows, blocks.rows(b + 1))
        assert blocks.seed_of(b) == same.seed_of(b) != blocks.seed_of(b + 1)
    drawn = np.concatenate([blocks.rows(b) for b in range(400)])
    assert np.bincount(drawn).min() > 40  # 80 on average


def test_standard_errors_tell_how_much_scores_differ_between_seeds():
    table = random_table(4, 400)
    fits = [Genie3(n_estimators=160, max_samples=50, random_state=s).fit(table) for s in range(40)]
    found = np.std([f.scores_ for f in fits], axis=0, ddof=1)
    told = np.mean([f.scores_sem_ for f in fits], axis=0)
    varies = table.varies
    np.testing.assert_array_less(np.abs(np.log(told[varies] / found[varies])), np.log(1.6))
    assert told[~varies] == 0.0


def test_auto_ends_when_the_ranking_is_stable():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 12))
    X[:, :4] += 2.0 * rng.normal(size=(2000, 1)) * [1.0, 0.9, 0.8, 0.7]
    ranker = Genie3("auto", max_samples=128, n_features_to_select=4, random_state=0).fit(X)
    assert sorted(ranker.order_[:4]) == [0, 1, 2, 3]
    assert ranker.converged_
    assert ranker.stability_ >= 0.9
    assert ranker.n_estimators_ == 100 * ranker.n_blocks_ == ranker.convergence_["n_estimators"][-1]


def test_columns_of_many_names_are_coded_anew():
    table = random_table(0)
    block = RowBlocks(table, 30, seed=0).read(0)
    names = block.schema.categories[8]
    assert len(names) <= 30
    rows = RowBlocks(table, 30, seed=0).rows(0)
    np.testing.assert_array_equal(names[block.column(8).astype(int)], table.column(8)[rows])
    np.testing.assert_array_equal(block.values[:, :8], table.values[rows, :8])


def test_sizes_of_blocks():
    assert block_size(None, 50) == 50
    assert block_size(20, 50) == 20
    assert block_size(0.1, 50) == 5
    assert block_size(1000, 50) == 50


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"n_blocks": 4}, "set max_samples"),
        ({"max_samples": 20, "n_blocks": 101}, "n_blocks must be from 1 to 100"),
        ({"max_samples": 20, "n_blocks": 4, "n_estimators": "auto"}, "n_blocks must be from 16"),
    ],
)
def test_parameters_that_make_no_sense(parameters, said):
    with pytest.raises((TypeError, ValueError), match=said):
        Genie3(**parameters).fit(np.eye(4))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_urelief_is_the_mean_over_blocks(n_jobs):
    table = random_table(5)
    ranker = URelief(n_neighbors=5, max_samples=40, n_blocks=3, random_state=1, n_jobs=n_jobs)
    found = ranker.fit(SlowRows(table)).scores_
    seed = int(np.random.RandomState(1).randint(np.iinfo(np.int32).max))
    blocks = RowBlocks(table, 40, seed)
    expected = [URelief(n_neighbors=5).fit(blocks.read(b)).scores_ for b in range(3)]
    np.testing.assert_allclose(found, np.mean(expected, axis=0), rtol=1e-12, atol=1e-15)
    assert ranker.n_blocks_ == 3
    np.testing.assert_array_equal(
        URelief(max_samples=150).fit(table).scores_, URelief().fit(table).scores_
    )


@pytest.mark.parametrize(
    "ranker",
    [LaplacianScore(), SPEC(), MCFS(n_clusters=2), NDFS(n_clusters=2, random_state=0)],
    ids=lambda r: type(r).__name__,
)
def test_rankers_of_a_graph_rank_a_sample(ranker):
    X = np.random.default_rng(0).normal(size=(200, 5))
    rows = RowBlocks(read_table(X), 60, seed=0).rows(0)
    expected = ranker.fit(X[rows]).scores_
    assert ranker.rows_used_ == "all rows"
    sampled = ranker.set_params(max_samples=60).fit(SlowRows(read_table(X)))
    np.testing.assert_array_equal(sampled.scores_, expected)
    assert sampled.rows_used_ == "a sample of 60 of 200 rows"


def test_uses_that_blocks_did_not_see_add_to_their_spread():
    total = RowBlockSum(2)
    for n_trees, use_square in ((4, 3.0), (10, 2.0)):
        block = ScoreSum(2, n_trees, n_uses=1)
        block.squares[0] = use_square
        total.note(block)
    assert total.extra_square == pytest.approx(3.0 / 16 + 2.0 / 100)
    total.n_trees = 4  # the squares of two uses, which are those of a mean block
    assert total._extra_squares() == pytest.approx(2 * (3.0 / 16 + 2.0 / 100) / 4)
