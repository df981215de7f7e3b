"""
A survey with names and gaps
============================

Answers to a questionnaire: numbers, names, yes and no, with gaps in many of them. Which questions
tell something about the people who answered, and which could have been left out?
"""

# %%
# The table is made here, so that the answer is known. Two things about a person, how much they
# like to be outdoors and what they can spend, show in eight of the questions. The other four have
# nothing to do with anything: the star sign, the hand that people write with, a number drawn at
# random, and which of 60 interviewers asked.
import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
n = 400
outdoors, means = rng.normal(size=(2, n))


def answer(trait, noise):
    """An answer on a scale from 1 to 5."""
    return np.clip(np.round(3 + trait + noise * rng.normal(size=n)), 1, 5)


bicycle, car = np.array([outdoors, means]) + 0.6 * rng.normal(size=(2, n)) > [[0.8], [0.4]]
survey = pd.DataFrame(
    {
        "age": np.clip(np.round(45 - 6 * outdoors + 12 * rng.normal(size=n)), 18, 90),
        "income": np.exp(10 + 0.5 * means + 0.3 * rng.normal(size=n)).round(-2),
        "home": np.where(means + 0.7 * rng.normal(size=n) > 0.2, "owned", "rented"),
        "transport": np.select([bicycle, car], ["bicycle", "car"], "bus"),
        "hikes": answer(outdoors, 0.6),
        "garden": answer(0.5 * outdoors + 0.4 * means, 0.8),
        "tent": outdoors + 0.7 * rng.normal(size=n) > 0.5,
        "holidays": answer(means, 0.8),
        "left_handed": rng.random(n) < 0.1,
        "star_sign": rng.choice(["aries", "taurus", "gemini", "cancer", "leo", "virgo"], n),
        "drawn": rng.normal(size=n),
        "interviewer": rng.choice([f"no. {i}" for i in range(60)], n),
    }
)
for question in ("income", "hikes", "garden", "holidays", "home"):
    survey.loc[rng.random(n) < 0.15, question] = None
survey.head()

# %%
# Rank the columns as they are
# ----------------------------
# Nothing has to be encoded, scaled or filled in. Columns of text, of the type ``category`` and of
# yes and no are nominal; what is missing is missing. :class:`~unsuprank.SharedVariance` asks of
# every column how much of the others it explains, and how much it would explain by chance.
#
# A DataFrame is taken as it is typed: text such as "16.4 kg" is a name, and identifiers are ranked.
# :func:`unsuprank.io.read_file` reads such text as numbers and dates as the command line does.
from unsuprank import SharedVariance

ranker = SharedVariance(n_features_to_select=8).fit(survey)
ranker.to_frame().round(3)

# %%
# ``selected`` marks the first ``n_features_to_select`` (16 if nothing is said), not the columns
# beyond chance.
#
# Look at ``interviewer``, which has 60 values:
most = survey.columns[ranker.explained_.argmax()]
print(f"{most} explains more of the other questions than any other column does:")
j = survey.columns.get_loc("interviewer")
print(f"interviewer {ranker.explained_[j]:.0%}, where chance would give {ranker.chance_[j]:.0%}")

# %%
# It explains much because it has many values, and less than chance would: so it comes last. That
# comparison is what the score is made of: standard deviations beyond chance. A p-value says how
# often a column that has nothing to do with the others would score as high. Of many columns, some
# are below 1% by chance alone: correct for their number, for instance with
# ``scipy.stats.false_discovery_control(ranker.p_values_)``.
import matplotlib.pyplot as plt

order = ranker.order_[::-1]
beyond = ranker.p_values_[order] < 0.01
fig, ax = plt.subplots()
ax.barh(survey.columns[order], ranker.scores_[order], color=np.where(beyond, "C0", "0.7"))
ax.set(xlabel="standard deviations beyond chance", title="grey: no better than chance (1%)")
plt.show()

# %%
# Which few questions would do?
# -----------------------------
# The ranking above repeats itself: income, home and holidays tell the same thing. A shorter
# questionnaire wants the few questions that stand for all: :class:`~unsuprank.GreedyCSS`. It also
# says how many of them explain more than chance would.
from unsuprank import GreedyCSS

few = GreedyCSS(n_features_to_select="auto").fit(survey)
for j, explained in zip(few.picks_[: few.n_features_], few.explained_, strict=False):
    print(f"{survey.columns[j]:<10} {explained:.0%} of all answers explained so far")

# %%
# Why is a column where it is?
# ----------------------------
from unsuprank import why

reasons = why(ranker, survey)
print(reasons["hikes"])
print(reasons["interviewer"])

# %%
# From a file it is one command, ``unsuprank rank survey.csv --report survey.html``; :doc:`the page
# that it writes </guide/reading_the_report>` has a guide of its own, and :doc:`/command-line` says
# how numbers with units, dates and identifiers are read. Numeric columns to treat as categorical,
# such as post codes, are declared: ``SharedVariance(nominal_features=["postcode"])``, or
# ``--nominal postcode``.
