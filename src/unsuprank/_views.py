"""How a fitted ranker is shown: "report" writes a page, "html" gives the view of notebooks, "frame"
a DataFrame.

What shows rankings is built upon rankers, which therefore cannot import it. The package fills this
in when it is imported.
"""

from collections.abc import Callable
from typing import Any

VIEWS: dict[str, Callable[..., Any]] = {}
