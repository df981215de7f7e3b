"""Tables of all kinds with their pages, and associations of columns by plain means."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from functools import cache
from html import unescape
from typing import Any

import numpy as np
import pandas as pd
from describe_tables import clustering_space, small_numeric
from scipy.stats import rankdata

from unsuprank import Genie3, Ranker, VarianceRanker
from unsuprank.report.page import render
from unsuprank.report.page_facts import PageFacts, gather

SEED = 3
TYPES = {"f4": "<f4", "u4": "<u4", "u2": "<u2", "u1": "<u1"}


def mixed() -> pd.DataFrame:
    """Passengers: classes, names, gaps."""
    rng = np.random.default_rng(5)
    n = 260
    frame = pd.DataFrame({"class": rng.choice(["1st", "2nd", "3rd"], size=n, p=[0.25, 0.25, 0.5])})
    rich = (frame["class"] == "1st").to_numpy()
    frame["fare"] = np.exp(rng.normal(3 + 1.5 * rich, 0.5))
    frame["age"] = rng.normal(28 + 10 * rich, 9)
    frame["woman"] = rng.random(n) < 0.4
    frame["saved"] = np.where(rng.random(n) < 0.2 + 0.5 * frame["woman"], "yes", "no")
    frame["siblings"] = rng.poisson(0.4, size=n).astype(float)
    frame["name"] = [f"passenger {i}" for i in range(n - 4)] + ["twin"] * 4
    frame["cabin"] = [f"{'ABC'[i % 3]}{i}" for i in rng.integers(60, size=n)]
    frame["port"] = rng.choice(["S", "C", "Q"], size=n)
    frame["noise"] = rng.normal(size=n)
    frame["deck"] = 1.0
    frame.loc[rng.random(n) < 0.2, "age"] = np.nan
    frame.loc[rng.random(n) < 0.7, "cabin"] = None
    frame.loc[3, "port"] = None
    return frame


def wide() -> pd.DataFrame:
    rng = np.random.default_rng(6)
    X = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 2000)) * (np.arange(2000) < 300)
    X = (X + rng.normal(size=(60, 2000))) * np.exp(rng.normal(size=2000))
    return pd.DataFrame(X, columns=[f"gene {j}" for j in range(2000)])


def many_rows() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(3000, 3)) @ rng.normal(size=(3, 12)) + rng.normal(size=(3000, 12))
    return pd.DataFrame(X * np.linspace(1, 3, 12), columns=[f"sensor {j}" for j in range(12)])


def unrelated() -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(8).normal(size=(50, 6)), columns=list("uvwxyz"))


CASES: dict[str, tuple[Any, Ranker]] = {
    "small": (small_numeric, VarianceRanker()),
    "mixed": (mixed, Genie3(20, random_state=1)),
    "wide": (wide, Genie3(30, random_state=1)),
    "many rows": (many_rows, VarianceRanker()),
    "unrelated": (unrelated, Genie3(10, random_state=1)),
}


def labels_of(name: str, frame: pd.DataFrame) -> list[str]:
    """Kinds of rows that a column tells roughly, or that nothing tells; some are not known."""
    rng = np.random.default_rng(9)
    told = frame.select_dtypes("float").iloc[:, 0]
    noisy = rankdata(told) / len(told) + rng.normal(size=len(told)) * 0.15
    if name == "unrelated":
        noisy = rng.random(len(told))
    n_kinds = {"wide": 2, "many rows": 25}.get(name, 3)
    kinds = np.clip((noisy * n_kinds).astype(int), 0, n_kinds - 1)
    return ["" if i % 17 == 0 else f"kind {k}" for i, k in enumerate(kinds.tolist())]


@dataclass
class Page:
    """A page as a reader has it, and what it was made of."""

    frame: pd.DataFrame
    ranker: Ranker
    facts: PageFacts
    html: str
    data: dict[str, Any]
    labels: list[str]

    @classmethod
    @cache
    def of(cls, name: str) -> Page:
        make, ranker = CASES[name]
        frame = make()
        fitted = ranker.fit(frame)
        labels = labels_of(name, frame)
        facts = gather(fitted, frame, SEED, labels)
        html = render(facts, name, "label")
        found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.S)
        return cls(frame, fitted, facts, html, json.loads(found[1]), labels)

    @property
    def text(self) -> str:
        """What the page says."""
        return text_of(self.html)

    def column(self, key: str) -> np.ndarray:
        return unpack(self.data["columns"][key])

    def numeric(self, j: int) -> bool:
        return self.frame.dtypes.iloc[j].kind == "f"


def text_of(html: str) -> str:
    """What a page says, without markup, scripts and data."""
    html = html[html.index("<header>") : html.index('<dialog id="card"')]
    html = re.sub(r"<option.*?</option>", " ", html)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", html))).strip()


def unpack(packed: dict[str, str]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(packed["bytes"]), TYPES[packed["type"]])


def digits(value: float) -> str:
    """A number as the page writes it."""
    return f"{value:,.4g}"


def projections(frame: pd.DataFrame) -> list[np.ndarray | None]:
    """An orthonormal basis of what each column spans; None for constants."""
    bases: list[np.ndarray | None] = []
    for name in frame:
        if frame[name].nunique() < 2:
            bases.append(None)
            continue
        left, lengths, _ = np.linalg.svd(clustering_space(frame[[name]]), full_matrices=False)
        bases.append(left[:, lengths > 1e-9 * lengths[0]])
    return bases


def association_matrix(frame: pd.DataFrame) -> np.ndarray:
    """Associations beyond chance of all columns; by correlations where all are numbers."""
    n = len(frame)
    if all(t.kind == "f" for t in frame.dtypes) and not frame.isna().any(axis=None):
        shared, ranks = np.corrcoef(frame.to_numpy().T) ** 2, np.ones((frame.shape[1],) * 2)
    else:
        bases = projections(frame)
        shared = np.array([[_shared(a, b) for b in bases] for a in bases])
        ranks = np.outer(*[[0 if b is None else b.shape[1] for b in bases]] * 2)
    chance = ranks / (n - 1)
    room = np.sqrt(ranks) - chance
    with np.errstate(divide="ignore", invalid="ignore"):
        squared = np.where(room > 1e-9, (shared - chance) / room, 0.0)
    return np.sqrt(np.clip(squared, 0, 1))


def _shared(a: np.ndarray | None, b: np.ndarray | None) -> float:
    return 0.0 if a is None or b is None else float(np.linalg.norm(a.T @ b) ** 2)
