"""The command line, `unsuprank`; it needs the extra ``unsuprank[cli]``."""

from __future__ import annotations

import sys

from .._version import __version__


def main() -> None:
    """Run the console script; what only asks for the version waits for nothing else."""
    if sys.argv[1:] == ["--version"]:
        print(f"unsuprank {__version__}")
        return
    from . import interrupts

    interrupts.watch()
    try:
        from .app import run

        code = run(sys.argv[1:])
    except ImportError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit("The command line needs typer and rich: pip install 'unsuprank[cli]'")
    except KeyboardInterrupt:  # while modules are imported, or again while the first one is told
        interrupts.say()
        code = interrupts.INTERRUPTED
    if code == interrupts.INTERRUPTED:
        interrupts.leave()
    sys.exit(code)
