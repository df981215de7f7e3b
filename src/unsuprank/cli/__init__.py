"""The command line, `unsuprank`; it needs the extra ``unsuprank[cli]``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the console script."""
    try:
        from .app import run
    except ImportError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit("The command line needs typer and rich: pip install 'unsuprank[cli]'")
    sys.exit(run(sys.argv[1:]))
