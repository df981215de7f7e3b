"""Many fits, many threads, forks: nothing grows, nothing mixes, nothing stays behind."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import systems
from untraced import untraced

from unsuprank import registry
from unsuprank._parallel import blas_threads

METHODS = [method.name for method in registry.available()]


def table(seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(40, 3)) @ rng.normal(size=(3, 8)) + 0.3 * rng.normal(size=(40, 8))


def make(name: str):
    few = {"n_estimators": 5, "max_epochs": 5, "n_neighbors": 5, "n_jobs": 2}
    ranker = registry.make(name, seed=0, **few)
    short = {"max_iter": 2, "n_restarts": 1}
    return ranker.set_params(**{k: v for k, v in short.items() if k in ranker.get_params()})


GROWTH = """
import gc, sys, warnings
import test_soak
warnings.simplefilter("ignore")
X = test_soak.table()

def fits(count):
    for i in range(count):
        test_soak.make(test_soak.METHODS[i % len(test_soak.METHODS)]).fit(X)

def megabytes():
    gc.collect()
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 2**20

fits(150)
before = megabytes()
fits(1000)
print(megabytes() - before)
"""


@systems.linux
def test_a_thousand_fits_take_no_more_memory_than_a_few():
    done = in_a_process(GROWTH)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 20.0


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_eight_threads_fit_different_estimators_at_once():
    before = blas_threads()
    jobs = [(name, seed) for seed in range(4) for name in METHODS]

    def scores(job: tuple[str, int]) -> np.ndarray:
        return make(job[0]).fit(table(job[1])).scores_

    expected = [scores(job) for job in jobs]
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(scores, jobs))
    for job, one, other in zip(jobs, found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12, err_msg=str(job))
    assert blas_threads() == before


FORKS = """
import os, sys, traceback, warnings
import numpy as np
import test_soak
warnings.simplefilter("ignore")
X = test_soak.table()

def child_agrees(name):
    expected = test_soak.make(name).fit(X).scores_
    child = os.fork()
    if child == 0:
        try:
            code = 0 if np.allclose(test_soak.make(name).fit(X).scores_, expected) else 1
        except BaseException:
            traceback.print_exc()
            code = 2
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

sys.exit(not all([child_agrees(name) for name in test_soak.METHODS]))
"""


@systems.posix
def test_a_fork_after_a_fit_works():
    assert in_a_process(FORKS).returncode == 0


def in_a_process(program: str) -> subprocess.CompletedProcess:
    """Run a program that has no threads but those that it starts itself."""
    paths = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    environment = {**untraced(), "PYTHONPATH": paths}
    return subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
