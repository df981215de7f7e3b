"""
Tables larger than memory, and sparse ones
==========================================

Two ways for a table to be too large: mostly zeros, and more rows than fit. Neither has to be made
smaller by hand.
"""

# %%
# Sparse tables
# -------------
# Words in texts, counts of genes: a matrix of 20,000 rows and 3,000 columns of which 1% is not
# zero takes 7 MB; written out it would take 480. It is ranked from the values that are there.
import numpy as np
from scipy import sparse

rng = np.random.default_rng(0)
n_rows, n_columns = 20_000, 3_000
X = sparse.random(n_rows, n_columns, density=0.01, format="lil", random_state=0)
topic = rng.random(n_rows) < 0.05
for j in range(20):  # twenty words of a topic that one text in twenty is about
    X[np.flatnonzero(topic & (rng.random(n_rows) < 0.3)), j] = 1.0
X = X.tocsr()
print(f"{(X.data.nbytes + X.indices.nbytes) / 1e6:.0f} MB, dense {8e-6 * np.prod(X.shape):.0f} MB")

# %%
from unsuprank import SharedVariance

ranker = SharedVariance(n_features_to_select=20).fit(X)
print("words of the topic among the best 20:", int((ranker.order_[:20] < 20).sum()))
print("rows:", ranker.rows_used_)

# %%
# All rows were looked at, and sums are exact: what they cost is the squared number of values of a
# row, summed over rows. Where that is too much, the rows are replaced by a *count sketch*: dealt
# out to 1,024 to 8,192 rows and added up there with random signs, which keeps the inner products of
# columns on average; ``rows_used_`` then says so. The price is the error of a sample of as many
# rows, that of a correlation is about 0.01 to 0.03, so weak relations may drown: rank a part of the
# columns, and every row counts in full. :doc:`/how/blocks` has the reasons. (A forest draws few of
# the columns in each node, and finds little in tens of thousands of sparse ones unless it has very
# many trees: :doc:`/scaling` has figures.)
#
# Of 3,000 columns of noise, about 30 have p-values below 1%: correct for their number, as in
# ``scipy.stats.false_discovery_control(ranker.p_values_) < 0.05``.
#
# Which methods take sparse tables is in the table of :doc:`/methods/index`. ``transform`` gives
# back a sparse matrix:
print(ranker.transform(X).shape, type(ranker.transform(X)).__name__)

# %%
# More rows than fit
# ------------------
# Tables on disk (``np.memmap``, HDF5, Zarr, backed AnnData, Parquet files) are read some rows at a
# time. Here is a file of 200,000 rows, of which the first five of 40 columns share a signal.
import tempfile
from pathlib import Path

path = Path(tempfile.mkdtemp()) / "large.dat"
table = np.memmap(path, dtype=np.float32, mode="w+", shape=(200_000, 40))
for start in range(0, len(table), 20_000):
    part = rng.normal(size=(20_000, 40))
    part[:, :5] += rng.normal(size=(20_000, 1))
    table[start : start + 20_000] = part
table.flush()

# %%
# Methods that need nothing but sums over rows look at all of them:
on_disk = np.memmap(path, dtype=np.float32, mode="r", shape=(200_000, 40))
print(SharedVariance().fit(on_disk).order_[:5])

# %%
# Forests, URelief and the graph rankers look at samples. ``max_samples`` says how many rows a
# sample has: a forest grows a few trees on each of many blocks of rows, and time grows with the
# blocks and not with the rows.
from unsuprank import Genie3

forest = Genie3(n_estimators=64, max_samples=512, random_state=0).fit(on_disk)
print(forest.order_[:5])

# %%
# A block depends on the seed and its number only, so the answer is the same from memory, from disk
# and on any number of threads:
in_memory = Genie3(n_estimators=64, max_samples=512, random_state=0, n_jobs=2)
print(np.array_equal(in_memory.fit(np.asarray(on_disk)).scores_, forest.scores_))

# %%
# Files, and more than one machine
# --------------------------------
# Files that are large for the memory of the machine are read in parts by themselves: ``unsuprank
# rank large.parquet``. From Python, :func:`unsuprank.io.open_large` opens them. :doc:`/scaling` has
# what every method takes, and :doc:`/scaling_dask` what to do on a cluster.
