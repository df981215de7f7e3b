"""Rows on a cluster: the same scores as at home, to the last bit, whatever happens to workers."""

from __future__ import annotations

import os
import pickle
import re
import signal
import time
from pathlib import Path

import numpy as np
import pytest
import systems
from scipy import sparse
from sklearn.base import clone
from untraced import untraced

from unsuprank import (
    Genie3,
    GreedyCSS,
    RandomForestScore,
    SharedVariance,
    URelief,
    VarianceRanker,
    _cluster,
)
from unsuprank.column_totals import column_totals
from unsuprank.dask_rows import DaskRows, SharedRows
from unsuprank.input_rows import rows_of
from unsuprank.rankers.coordinates import count_sketch
from unsuprank.table import read_table

distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
pd = pytest.importorskip("pandas")

BLOCKS = {"n_estimators": 60, "max_samples": 40, "random_state": 0}


def two_workers():
    """Two processes on this machine, which talk to nobody else, and a client of theirs."""
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            memory_limit=0,
        ) as cluster,
        distributed.Client(cluster, set_as_default=False, timeout=60) as client,
    ):
        yield client


client = pytest.fixture(two_workers, scope="module")


@pytest.fixture
def own_client(monkeypatch):
    """For tests that do it harm."""
    for name in set(os.environ) - set(untraced()):
        monkeypatch.delenv(name)
    yield from two_workers()


def matrix(n_rows: int = 700) -> np.ndarray:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 6)).astype(np.float32) * [1, 10, 100, 1, 1, 1]
    X[:, 1] += 20 * X[:, 0]
    X[rng.random(X.shape) < 0.4] = 0.0
    return X


def frame(n_rows: int = 700):
    rng = np.random.default_rng(1)
    X = matrix(n_rows)
    words = np.array(["red", "green", "blue", None], dtype=object)[rng.integers(0, 4, n_rows)]
    found = pd.DataFrame(X, columns=list("abcdef"))
    found["colour"] = pd.Series(words)
    found["kind"] = pd.Categorical(rng.choice(["x", "y"], n_rows), categories=["z", "y", "x"])
    found["flag"] = rng.random(n_rows) < 0.3
    found.loc[rng.random(n_rows) < 0.1, "c"] = np.nan
    return found


def dask_array(X):
    return da.from_array(X, chunks=(97, 4))


def dask_sparse(X):
    return da.from_array(X, chunks=(97, 6)).map_blocks(sparse.csr_matrix, dtype=X.dtype)


def dask_of_unknown_length(X):
    found = da.from_array(X, chunks=(97, 6))
    return found[found[:, 0] > -np.inf]


def dask_frame(X):
    import dask.dataframe as dd

    return dd.from_pandas(X, npartitions=5, sort=False)


KINDS = [
    (dask_array, matrix()),
    (dask_of_unknown_length, matrix()),
    (dask_sparse, matrix()),
    (dask_frame, frame()),
]


def in_memory(make, X):
    return sparse.csr_matrix(X) if make is dask_sparse else X


def values(table) -> np.ndarray:
    return np.column_stack([table.column(j) for j in range(table.n_columns)])


@pytest.mark.parametrize(("make", "X"), KINDS, ids=lambda x: getattr(x, "__name__", ""))
@pytest.mark.parametrize("where", ["here", "on the cluster"])
def test_collections_have_the_rows_of_tables(make, X, where, client):
    table = read_table(in_memory(make, X))
    rows = DaskRows(make(X), client=client if where == "on the cluster" else None)
    assert rows.shape == table.shape
    assert rows.schema.names == table.schema.names
    assert rows.schema.boolean == table.schema.boolean
    for found, known in zip(rows.schema.categories, table.schema.categories, strict=True):
        np.testing.assert_array_equal(found, known)
    some = np.array([0, 5, 96, 97, 300, 699])
    np.testing.assert_array_equal(values(rows.take(some)), values(table.take(some)))
    for step in (50, 97, 400):
        parts = [values(chunk) for chunk in rows.chunks(step)]
        assert {len(part) for part in parts[:-1]} == {step}
        np.testing.assert_array_equal(np.concatenate(parts), values(table))


@pytest.mark.parametrize("cells", [9 * 13, 9 * 250, 2**20])
@pytest.mark.parametrize(("make", "X"), KINDS, ids=lambda x: getattr(x, "__name__", ""))
def test_totals_are_those_at_home(make, X, cells, client, monkeypatch):
    monkeypatch.setattr("unsuprank.row_source.CHUNK_CELLS", cells)
    known = column_totals(read_table(in_memory(make, X)))
    for found in (
        column_totals(DaskRows(make(X), client=client)),
        column_totals(DaskRows(make(X))),
        column_totals(SharedRows(read_table(in_memory(make, X)), client)),
    ):
        np.testing.assert_array_equal(found.mean, known.mean)
        np.testing.assert_array_equal(found.spread, known.spread)
        np.testing.assert_array_equal(found.known, known.known)


@pytest.mark.parametrize(("make", "X"), KINDS, ids=lambda x: getattr(x, "__name__", ""))
def test_forests_of_blocks_are_those_at_home(make, X, client):
    known = Genie3(**BLOCKS).fit(in_memory(make, X))
    for rows, scheduler in (
        (make(X), client),
        (make(X), None),
        (in_memory(make, X), client),
        (in_memory(make, X), client.scheduler.address),
    ):
        found = Genie3(**BLOCKS, scheduler=scheduler).fit(rows)
        np.testing.assert_array_equal(found.scores_, known.scores_)
        np.testing.assert_array_equal(found.scores_sem_, known.scores_sem_)
        assert found.n_blocks_ == known.n_blocks_
    np.testing.assert_array_equal(found.get_feature_names_out(), known.get_feature_names_out())


@pytest.mark.parametrize(
    "ranker",
    [
        Genie3("auto", max_samples=40, max_estimators=1600, n_features_to_select=3, random_state=0),
        RandomForestScore(**BLOCKS),
        URelief(n_neighbors=5, max_samples=40, n_blocks=5, random_state=0),
    ],
    ids=lambda r: type(r).__name__,
)
@pytest.mark.filterwarnings("ignore:Two fits")
def test_other_rankers_of_blocks(ranker, client):
    known = ranker.set_params(scheduler=None).fit(matrix()).scores_
    ranker.set_params(scheduler=client)
    np.testing.assert_array_equal(ranker.fit(matrix()).scores_, known)
    np.testing.assert_array_equal(ranker.fit(dask_array(matrix())).scores_, known)


@pytest.mark.parametrize("ranker", [SharedVariance(), GreedyCSS(n_picks=3), VarianceRanker()])
@pytest.mark.parametrize("make", [dask_array, dask_sparse])
def test_sums_over_rows_are_those_at_home(ranker, make, client, tmp_path, monkeypatch):
    monkeypatch.setattr("unsuprank.input_rows.SMALL_BYTES", 0)
    monkeypatch.setattr("unsuprank.rankers.coordinates.coordinates.ROWS_AT_ONCE", 100)
    monkeypatch.setattr("unsuprank.row_source.CHUNK_CELLS", 6 * 111)
    X = matrix()
    known = ranker.fit(DaskRows(make(X))).scores_
    with client.as_current():
        np.testing.assert_array_equal(ranker.fit(make(X)).scores_, known)
    if make is dask_array and hasattr(ranker, "scheduler"):
        np.save(tmp_path / "x.npy", X)
        stored = np.load(tmp_path / "x.npy", mmap_mode="r")
        np.testing.assert_array_equal(ranker.fit(stored).scores_, known)
        there = ranker.set_params(scheduler=client).fit(stored).scores_
        ranker.set_params(scheduler=None)
        np.testing.assert_array_equal(there, known)


@pytest.mark.parametrize("make", [dask_array, dask_sparse])
def test_a_sketch_is_that_at_home(make, client, monkeypatch):
    monkeypatch.setattr("unsuprank.row_source.CHUNK_CELLS", 6 * 111)
    known = count_sketch(read_table(in_memory(make, matrix())))
    found = count_sketch(DaskRows(make(matrix()), client=client))
    np.testing.assert_array_equal(found.values, known.values)


def in_parquet(place):
    pytest.importorskip("pyarrow")
    from unsuprank.io.parquet_rows import ParquetRows

    frame().to_parquet(place / "x.parquet", row_group_size=150)
    return ParquetRows(place / "x.parquet")


def in_hdf5(place):
    h5py = pytest.importorskip("h5py")
    with h5py.File(place / "x.h5", "w") as file:
        file["x"] = matrix()
    return h5py.File(place / "x.h5")["x"]


def in_zarr(place):
    stored = pytest.importorskip("zarr").open(
        str(place / "x.zarr"), mode="w", shape=(700, 6), dtype=float
    )
    stored[:] = matrix()
    return stored


def backed_sparse(place):
    anndata = pytest.importorskip("anndata")
    anndata.AnnData(sparse.csr_matrix(matrix())).write_h5ad(place / "x.h5ad")
    return anndata.read_h5ad(place / "x.h5ad", backed="r")


@pytest.mark.parametrize("store", [in_parquet, in_hdf5, in_zarr, backed_sparse])
def test_files_are_read_by_the_workers(store, client, tmp_path):
    stored = store(tmp_path)
    known = Genie3(**BLOCKS).fit(stored).scores_
    there = Genie3(**BLOCKS, scheduler=client).fit(stored).scores_
    np.testing.assert_array_equal(there, known)


def test_an_anndata_of_dask_arrays(client):
    anndata = pytest.importorskip("anndata")
    adata = anndata.AnnData(dask_sparse(matrix()))
    adata.var_names = [f"gene {j}" for j in range(6)]
    known = Genie3(**BLOCKS).fit(sparse.csr_matrix(matrix()))
    found = Genie3(**BLOCKS, scheduler=client).fit(adata)
    np.testing.assert_array_equal(found.scores_, known.scores_)
    assert found.feature_names_in_[1] == "gene 1"


def test_rows_of_a_collection_stay_on_the_workers(client, monkeypatch):
    def refuse(*_):
        raise AssertionError("rows were gathered")

    monkeypatch.setattr(DaskRows, "take", refuse)
    monkeypatch.setattr(DaskRows, "chunks", refuse)
    known = Genie3(**BLOCKS).fit(matrix()).scores_
    there = Genie3(**BLOCKS, scheduler=client).fit(dask_array(matrix())).scores_
    np.testing.assert_array_equal(there, known)


def peak_of_memory() -> float:
    """The largest resident size of this process since `forget_peak`, in MB."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024


def forget_peak() -> None:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pytest.skip("the peak of memory cannot be measured here")


def test_the_client_takes_a_small_part_of_the_memory_of_the_table(client):
    X = da.random.default_rng(0).standard_normal(
        (500_000, 50), dtype=np.float32, chunks=(25_000, 50)
    )
    X = client.persist(X)
    with client.as_current():
        distributed.wait(X)
    forget_peak()
    before = peak_of_memory()
    Genie3(32, max_samples=256, random_state=0, scheduler=client).fit(X)
    assert peak_of_memory() - before < X.nbytes / 2**20 / 10


def killing(client, killed):
    """What hands results back, and kills a worker after the first of them."""
    in_turn = _cluster.in_turn

    def in_turn_with_a_loss(*args):
        for result in in_turn(*args):
            yield result
            if not killed:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

    return in_turn_with_a_loss


@systems.posix
@pytest.mark.parametrize(
    ("make", "while_at"),
    [(np.asarray, "blocks"), (dask_array, "chunks")],
)
def test_a_lost_worker_costs_what_it_was_working_on(make, while_at, own_client, monkeypatch):
    monkeypatch.setattr("unsuprank.row_source.CHUNK_CELLS", 6 * 10)
    settings = {**BLOCKS, "n_estimators": 1600}
    known = Genie3(**settings).fit(matrix()).scores_
    killed = []
    where = {"blocks": "unsuprank.rankers.row_blocks", "chunks": "unsuprank._cluster"}[while_at]
    monkeypatch.setattr(f"{where}.in_turn", killing(own_client, killed))
    found = Genie3(**settings, scheduler=own_client).fit(make(matrix())).scores_
    np.testing.assert_array_equal(found, known)
    assert killed
    assert killed[0] not in own_client.run(os.getpid).values()


def test_a_scheduler_that_is_gone_is_noticed(own_client, monkeypatch):
    in_turn, gone = _cluster.in_turn, []

    def losing(*args):
        for result in in_turn(*args):
            yield result
            if not gone:
                own_client.cluster.sync(own_client.cluster.scheduler.close)
                gone.append(time.monotonic())

    monkeypatch.setattr("unsuprank.rankers.row_blocks.in_turn", losing)
    with pytest.raises(ConnectionError, match=r"Dask scheduler at tcp:.* is gone"):
        Genie3(**{**BLOCKS, "n_estimators": 1600}, scheduler=own_client).fit(matrix())
    assert time.monotonic() - gone[0] < 2 * _cluster.DEADLINE


def test_workers_of_another_version_are_refused(client, monkeypatch):
    monkeypatch.setattr(_cluster, "__version__", "0.0.1")
    with pytest.raises(RuntimeError, match=r"here it is 0\.0\.1; install the same version"):
        Genie3(**BLOCKS, scheduler=client).fit(matrix())


@systems.posix
def test_workers_that_are_frozen_are_noticed(own_client, monkeypatch):
    monkeypatch.setattr(_cluster, "DEADLINE", 2.0)
    frozen = own_client.run(os.getpid).values()
    future = own_client.submit(time.sleep, 60)
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(TimeoutError, match="answered within 2 s"):
            Genie3(**BLOCKS, scheduler=own_client).fit(matrix())
        with pytest.raises(RuntimeError, match="of 2, 2 do not answer"):
            _cluster.result_of(own_client, future)
    finally:
        for pid in frozen:
            os.kill(pid, signal.SIGCONT)


def test_a_table_that_is_lost_with_its_workers_is_sent_again(client):
    rows = SharedRows(read_table(matrix()), client)
    rows.shared.cancel(force=True)
    np.testing.assert_array_equal(column_totals(rows).mean, column_totals(rows.source).mean)


def fit_here(X):
    return Genie3(n_estimators=40, n_jobs=2, random_state=0).fit(X).scores_


def test_fits_under_the_dask_backend_of_joblib(client):
    import joblib

    known = fit_here(matrix())
    with client.as_current(), joblib.parallel_backend("dask"):
        np.testing.assert_array_equal(fit_here(matrix()), known)
        found = joblib.Parallel()(joblib.delayed(fit_here)(matrix()) for _ in range(3))
    for scores in found:
        np.testing.assert_array_equal(scores, known)


def fit_with(scheduler):
    return Genie3(**BLOCKS, scheduler=scheduler).fit(matrix()).scores_


def test_tasks_start_no_tasks(client):
    found = client.submit(fit_with, client.scheduler.address).result(timeout=60)
    np.testing.assert_array_equal(found, fit_with(None))


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"scheduler": "tcp://127.0.0.1:1"}, "set max_samples"),
        ({"scheduler": 7, "max_samples": 40}, "address of a Dask scheduler"),
    ],
)
def test_schedulers_that_make_no_sense(parameters, said):
    with pytest.raises((TypeError, ValueError), match=said):
        Genie3(**parameters).fit(matrix())


def test_no_scheduler_at_an_address():
    with (
        pytest.raises(ConnectionError, match="no Dask scheduler at"),
        _short_timeout(),
    ):
        Genie3(**BLOCKS, scheduler="tcp://127.0.0.1:1").fit(matrix())


def _short_timeout():
    import dask

    return dask.config.set({"distributed.comm.timeouts.connect": "0.5s"})


def test_selected_columns_of_a_collection_are_one():
    ranker = VarianceRanker(n_features_to_select=2).fit(matrix())
    found = ranker.transform(dask_array(matrix()))
    np.testing.assert_array_equal(found.compute(), matrix()[:, [1, 2]])
    numbers = frame()[list("abcdef")]
    assert list(ranker.transform(dask_frame(numbers)).columns) == ["b", "c"]


def test_copies_of_a_ranker_share_its_scheduler(client):
    known = Genie3(**BLOCKS).fit(matrix()).scores_
    for scheduler in (client, client.scheduler.address):
        ranker = Genie3(**BLOCKS, scheduler=scheduler)
        for copy in (clone(ranker), pickle.loads(pickle.dumps(ranker))):
            np.testing.assert_array_equal(copy.fit(matrix()).scores_, known)


def test_the_command_line_hands_blocks_to_a_scheduler(client, tmp_path, capsys):
    pytest.importorskip("typer")
    pytest.importorskip("pyarrow")
    from unsuprank.cli.app import run

    path, out = tmp_path / "x.parquet", tmp_path / "scores.csv"
    frame(3000).to_parquet(path, row_group_size=500)
    args = ["rank", str(path), "--method", "genie3", "--trees", "100", "--memory", "100KB"]
    assert run([*args, "--out", "-"]) == 0
    known = capsys.readouterr().out
    there = ["--scheduler", client.scheduler.address]
    assert run([*args, *there, "--out", str(out)]) == 0
    assert out.read_text().splitlines() == known.splitlines()
    assert run([*args[:2], *there, "--method", "shared-variance"]) == 0
    assert "is ranked here" in capsys.readouterr().err
    assert run([*args[:2], *there, "--method", "laplacian"]) == 2
    assert "runs on one machine" in capsys.readouterr().err


def test_jobs_of_the_study_are_tasks(client, tmp_path):
    from unsuprank.study.data.data_sets import find_data_sets
    from unsuprank.study.engine.runner import Limits, Runner
    from unsuprank.study.engine.store import Store
    from unsuprank.study.plan.jobs import Job

    np.savez(tmp_path / "small.npz", X=matrix(40))
    files = find_data_sets(tmp_path)
    jobs = [Job("small", fold, "variance") for fold in range(3)]
    outcomes = []
    for name, scheduler in (("here", None), ("there", client)):
        runner = Runner(Store(tmp_path / name), files)
        summary = runner.run(jobs, scheduler=scheduler)
        assert (summary.computed, summary.failed) == (3, [])
        outcomes.append([runner.stored(job)["rankings"] for job in jobs])
    assert outcomes[0] == outcomes[1]
    hurried = Runner(Store(tmp_path / "hurried"), files, Limits(0.0))
    assert hurried.run(jobs, scheduler=client).over_limit


def test_rows_of_a_collection_without_a_cluster():
    assert rows_of(dask_array(matrix())).client is None
