"""What rankers promise about columns: their order, their units, copies, constants, order of rows.

Not every method can promise everything. Forests draw columns and rows by their places, so other
places are other draws; URelief counts constant columns as columns in which all rows are alike;
greedy choices rank a copy of a chosen column last, which is their purpose; swaps by nearest
neighbours begin from random halves of the rows and take the first of equally good ones. The lists
below say who promises what.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_tables import METHODS, UNTIED, close, quick, scores, tables, untied_tables

pytestmark = [pytest.mark.untraced, pytest.mark.filterwarnings("ignore::UserWarning")]

#: Methods that know neither chance nor the places of columns and rows.
PLACELESS = ["shared-variance", "css", "urelief", "laplacian", "spec", "mcfs", "variance"]
#: Methods that judge every column for itself, so that equal columns have equal scores.
ONE_BY_ONE = ["shared-variance", "urelief", "laplacian", "spec", "variance"]
#: Methods for which a column that never varies is not there.
BLIND_TO_CONSTANTS = ["shared-variance", "css", "laplacian", "spec", "mcfs", "variance"]
SCALE_FREE = [name for name in METHODS if quick(name).scale_free]


def permutations(n: int) -> st.SearchStrategy:
    return st.permutations(range(n)).map(np.array)


@pytest.mark.parametrize("name", PLACELESS)
@given(X=tables(UNTIED, min_columns=4), data=st.data())  # of two, each explains the other as well
def test_permuted_columns_have_permuted_scores(name, X, data):
    order = data.draw(permutations(X.shape[1]))
    close(scores(name, X[:, order]), scores(name, X)[order])


@pytest.mark.parametrize("name", PLACELESS)
@given(X=untied_tables, data=st.data())
def test_the_order_of_rows_does_not_matter(name, X, data):
    close(scores(name, X[data.draw(permutations(len(X)))]), scores(name, X))


@pytest.mark.parametrize("name", SCALE_FREE)
@given(X=tables(), data=st.data())
def test_units_do_not_matter_where_a_ranker_says_so(name, X, data):
    n = X.shape[1]
    powers = data.draw(st.lists(st.integers(-20, 20), min_size=n, max_size=n))
    scaled = X * np.ldexp(1.0, powers)
    close(scores(name, scaled), scores(name, X), 1e-9)


@pytest.mark.parametrize("name", SCALE_FREE)
@given(X=untied_tables, data=st.data())
def test_where_zero_is_does_not_matter_where_units_do_not(name, X, data):
    n = X.shape[1]
    shifts = data.draw(st.lists(st.integers(-1000, 1000), min_size=n, max_size=n))
    close(scores(name, X + np.array(shifts)), scores(name, X), 1e-6)


@given(X=tables(), power=st.integers(-40, 40))
def test_variances_have_the_square_of_the_unit(X, power):
    np.testing.assert_allclose(
        scores("variance", np.ldexp(X, power)), np.ldexp(X.var(axis=0), 2 * power), rtol=1e-12
    )


@pytest.mark.parametrize("name", ONE_BY_ONE)
@given(X=tables(), data=st.data())
def test_copies_tie(name, X, data):
    j = data.draw(st.integers(0, X.shape[1] - 1))
    found = scores(name, np.column_stack([X, X[:, j]]))
    close(found[[j]], found[[-1]], 1e-9)


@pytest.mark.parametrize("name", ["css", "diversified"])
@given(X=untied_tables, data=st.data())
def test_a_copy_of_a_choice_is_chosen_after_all_that_is_new(name, X, data):
    j = data.draw(st.integers(0, X.shape[1] - 1))
    ranker = quick(name, n_features_to_select=X.shape[1]).fit(np.column_stack([X, X[:, j]]))
    ranks = ranker.ranking_
    assert max(ranks[j], ranks[-1]) > 1 or X.shape[1] == 1
    assert ranks[j] < ranks[-1] or ranker.scores_[j] < ranker.scores_[-1]


@pytest.mark.parametrize("name", [n for n in METHODS if n not in ("random", "agnos-s")])
@given(X=tables(min_columns=3), constant=st.sampled_from([0.0, 1.0, -7.25, 1e200]))
def test_a_constant_column_is_never_the_best(name, X, constant):
    found = scores(name, np.column_stack([X, np.full(len(X), constant)]))
    assert found[-1] <= max(0.0, found[:-1].max())


@pytest.mark.parametrize("name", BLIND_TO_CONSTANTS)
@given(X=untied_tables, constant=st.sampled_from([0.0, 3.5]))
def test_a_constant_column_changes_no_other_score(name, X, constant):
    found = quick(name).fit(np.column_stack([X, np.full(len(X), constant)]))
    expected = quick(name).fit(X)
    np.testing.assert_array_equal(found.order_[found.order_ < X.shape[1]], expected.order_)
    if name != "css":  # where all is explained, the last choice is one among rounding errors
        close(found.scores_[:-1], expected.scores_, 1e-6)


@given(X=tables(), columns=st.integers(1, 5))
def test_constant_columns_have_a_score_of_zero(X, columns):
    for name in ("shared-variance", "genie3", "symbolic", "random-forest", "variance"):
        constants = np.ones((len(X), columns))
        assert not scores(name, np.hstack([X, constants]))[-columns:].any()
