"""Which jobs each part of the study needs, and which of them make up a column of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from . import recipes
from .jobs import CLUSTER_HYPOTHESIS, N_FOLDS, Job
from .paper import ENSEMBLES, N_TREES, SUBSET_SIZES, URELIEF_ITERATIONS, URELIEF_NEIGHBORS
from .recipes import Settings, urelief_label

PUBLISHED: Settings = {"preset": "scikit-feature"}
RAW: Settings = {"standardize": False}
FOREST: Settings = {"n_estimators": N_TREES, "ensemble": "extra_trees", "max_features": "log2"}


@dataclass(frozen=True)
class StudyColumn:
    """A column of a table: the mean over folds, seeds and labels of some jobs."""

    title: str
    method: str
    #: Rankings of the jobs that count; None for all of them.
    label: str | None = "order"
    settings: Settings = field(default_factory=dict)
    seeds: tuple[int, ...] = (0,)
    #: Column of the paper's tables that this one repeats.
    paper: str | None = None

    def jobs(self, data_set: str) -> list[Job]:
        """The jobs whose mean the column shows for a data set."""
        settings = tuple(sorted(self.settings.items()))
        return [
            Job(data_set, fold, self.method, settings, seed)
            for seed in self.seeds
            for fold in range(N_FOLDS)
        ]


#: Columns in rows.
Grid = Sequence[Sequence[StudyColumn]]
_SEEDS = (0, 1, 2, 3, 4)

GENIE3 = StudyColumn("Genie3", "forest", "genie3", FOREST, _SEEDS, "Genie3")
RANDOM_FOREST = StudyColumn("RandomForest", "forest", "random_forest", FOREST, _SEEDS)
FIRST_OF_TIES: Settings = {"n_estimators": N_TREES, "tie_break": "first"}
#: The same scores with the departures of the authors' program from the paper, one by one, and what
#: the place of a column alone is good for: is it these that the paper's Table 2 shows?
GENIE3_FIRST = StudyColumn("Genie3, first of ties", "genie3", settings=FIRST_OF_TIES)
RANDOM_FOREST_FIRST = StudyColumn(
    "RandomForest, first of ties",
    "random-forest",
    settings=FIRST_OF_TIES,
    paper="RandomForest",
)
CUMULATIVE = StudyColumn(
    "RandomForest, cumulative as well",
    "random-forest",
    settings={**FIRST_OF_TIES, "permutation": "cumulative"},
    paper="RandomForest",
)
DEPARTURES = (
    GENIE3_FIRST,
    RANDOM_FOREST_FIRST,
    CUMULATIVE,
    StudyColumn("first 16 columns", "position", "first"),
    StudyColumn("last 16 columns", "position", "last"),
)
_BASELINES = {"Laplace": "laplacian", "SPEC": "spec", "MCFS": "mcfs", "NDFS": "ndfs"}
#: The paper's Table 3: its methods, the baselines under the settings it used.
PUBLISHED_COLUMNS = (
    GENIE3,
    StudyColumn("URelief", "urelief", paper="URelief"),
    *(
        StudyColumn(f"{title} (published)", method, settings=PUBLISHED, paper=title)
        for title, method in _BASELINES.items()
    ),
    StudyColumn("AgnoS-S", "agnos-s", paper="AgnoS-S"),
)
#: The baselines as their authors define them, for columns as they come.
RIGHT_BASELINES = tuple(StudyColumn(t, method, settings=RAW) for t, method in _BASELINES.items())
#: Rankers that the paper does not have.
NEW_COLUMNS = (
    StudyColumn("GreedyCSS", "css"),
    StudyColumn("GreedyCSS, polished", "css", settings={"polish": "knn"}),
    StudyColumn("Diversified Genie3", "diversified"),
)
RANDOM = StudyColumn("random", "random", None)
CONTROLS = (StudyColumn("variance", "variance"), RANDOM)
FASTCAN = StudyColumn("fastcan", "fastcan")
RIGHT_COLUMNS = (
    *RIGHT_BASELINES,
    StudyColumn("Symbolic", "forest", "symbolic", FOREST, _SEEDS),
    *NEW_COLUMNS,
    *CONTROLS,
    *((FASTCAN,) if recipes.HAS_FASTCAN else ()),
)
#: The paper's seven methods, under the right settings.
RIGHT_SEVEN = (GENIE3, PUBLISHED_COLUMNS[1], *RIGHT_BASELINES, PUBLISHED_COLUMNS[-1])
#: These, what goes beyond the paper, and the controls.
RIGHT_SETTINGS = (*RIGHT_SEVEN, *(c for c in RIGHT_COLUMNS if c not in RIGHT_SEVEN))
SOTA_COLUMNS = (*PUBLISHED_COLUMNS, *RIGHT_COLUMNS)
#: Settings, in rows: iterations and neighbours of URelief (the paper's Fig. 3).
URELIEF_GRID = tuple(
    tuple(
        StudyColumn(label, "urelief-grid", label)
        for label in (urelief_label(iterations, k) for k in URELIEF_NEIGHBORS)
    )
    for iterations in URELIEF_ITERATIONS
)


def ensemble_grid(score: str) -> tuple[tuple[StudyColumn, ...], ...]:
    """Subset sizes (rows) and ensembles of the paper's Fig. 4; all scores are of the same trees."""
    return tuple(
        tuple(
            StudyColumn(
                f"{ensemble} {size or 'all'}",
                "forest-grid",
                score,
                {"n_estimators": N_TREES, "ensemble": ensemble, "max_features": size},
            )
            for ensemble in ENSEMBLES
        )
        for size in SUBSET_SIZES
    )


#: Parts of the study in the order in which they run, with the columns whose jobs they need.
PARTS: dict[str, tuple[StudyColumn, ...]] = {
    "sota": SOTA_COLUMNS,
    "ensemble-scores": (GENIE3, RANDOM_FOREST, *DEPARTURES),
    "curves": SOTA_COLUMNS,
    "ari": (),
    "urelief-grid": sum(URELIEF_GRID, ()),
    "ensemble-grid": sum(ensemble_grid("genie3"), ()),
}


def jobs_of(
    parts: Iterable[str], data_sets: Sequence[str], methods: Sequence[str] | None = None
) -> list[Job]:
    """The jobs of some parts, each once, in the order in which they are best computed.

    A part comes after the one before it, so that the main table is there first, and further
    seeds, which only make its means steadier, come last. A fold of all methods comes before the
    next fold: that a method exceeds its limit is then found out by one worker, not by all.
    """
    found: dict[Job, None] = {}
    for part in parts:
        for name in data_sets:
            columns = (c for c in PARTS[part] if methods is None or c.method in methods)
            jobs = [job for column in columns for job in column.jobs(name)]
            found.update(dict.fromkeys(sorted(jobs, key=lambda job: job.fold)))
            if part == "ari" and methods is None:
                found[Job(name, -1, CLUSTER_HYPOTHESIS)] = None
    if data_sets and not found:
        known = {column.method: None for columns in PARTS.values() for column in columns}
        raise ValueError(
            f"These parts of the study do not have {', '.join(methods or ())}; the study has: "
            f"{', '.join(known)}."
        )
    return sorted(found, key=lambda job: job.seed > 0)  # stable


def check_parts(parts: Iterable[str]) -> list[str]:
    """The parts in the order in which they run, all of which must be known."""
    wanted = list(parts)
    unknown = [p for p in wanted if p not in PARTS]
    if unknown:
        raise ValueError(f"No part is called {unknown[0]!r}; there are: {', '.join(PARTS)}.")
    return [p for p in PARTS if p in wanted]


def check_methods(methods: Iterable[str]) -> list[str]:
    """The names of methods, all of which must be known."""
    wanted = list(methods)
    for name in wanted:
        recipes.find(name)
    return wanted
