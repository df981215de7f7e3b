"""What is known about the columns of a table and about rankings of them.

Plots, report and command line show what is computed here; nothing here draws, prints or writes.
Every function takes what a ranker takes: an array, a data frame or a table, which is taken as it
is.

- columns: :func:`summarise_columns`, :func:`value_counts`, :func:`repeated_columns`;
- columns together: :func:`associations`, :func:`find_neighbours`, :func:`find_groups`,
  :func:`find_structure`, :func:`find_representatives`;
- columns and given clusters: :func:`explain_clusters`;
- rows: :func:`heat_map`, :func:`principal_plane`;
- a ranking: :func:`rank_scores`, :func:`score_rows`, :func:`ranking_frame`, :func:`knee`,
  :func:`measure_stability`, :func:`why`;
- several rankings: :func:`spearman`, :func:`compare_rankings`, :func:`agreement_rows`,
  :func:`rank_rows`.
"""

from .association import (
    STRONG,
    ColumnGroups,
    ColumnNeighbours,
    associations,
    find_groups,
    find_neighbours,
)
from .explain import ClusterContrast, ClusterExplanation, explain_clusters
from .frames import ranking_frame
from .heat import HeatMap, heat_map
from .plane import PrincipalPlane, principal_plane
from .rank_stability import RankStability, measure_stability
from .ranking_rows import rank_rows, score_rows
from .ranks import (
    RankingAgreement,
    agreement_rows,
    compare_rankings,
    knee,
    rank_scores,
    spearman,
)
from .reasons import Reasons, why
from .representatives import Representatives, find_representatives
from .structure import ColumnStructure, find_structure
from .summary import ColumnSummary, repeated_columns, summarise_columns, value_counts

__all__ = [
    "STRONG",
    "ClusterContrast",
    "ClusterExplanation",
    "ColumnGroups",
    "ColumnNeighbours",
    "ColumnStructure",
    "ColumnSummary",
    "HeatMap",
    "PrincipalPlane",
    "RankStability",
    "RankingAgreement",
    "Reasons",
    "Representatives",
    "compare_rankings",
    "agreement_rows",
    "associations",
    "explain_clusters",
    "find_groups",
    "find_neighbours",
    "find_representatives",
    "find_structure",
    "heat_map",
    "knee",
    "measure_stability",
    "principal_plane",
    "rank_rows",
    "rank_scores",
    "ranking_frame",
    "repeated_columns",
    "score_rows",
    "spearman",
    "summarise_columns",
    "value_counts",
    "why",
]
