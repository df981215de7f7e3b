"""A digest of the code that a result can depend on.

A version string stays the same while an algorithm changes under it, and results that were kept
would then be taken for those of the new code. So the identity of every result holds the digest of
the package's own code: all modules but those that only show or explain results, and the compiled
kernels. To change a comment is to compute again; to trust a stale figure would be worse.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from ... import _kernels

_PACKAGE = Path(__file__).parents[2]
#: What no score depends on, by path in the package.
_WITHOUT_INFLUENCE = ("cli", "describe", "plot.py", "report", "sc.py", "study/publish")


@cache
def code_digest() -> str:
    """The digest of this installation, computed once per process."""
    return digest_of(_PACKAGE, Path(_kernels.__file__))


def digest_of(package: Path, kernels: Path) -> str:
    """SHA-256 of the modules of a package that scores depend on, and of its compiled kernels."""
    total = hashlib.sha256(kernels.read_bytes())
    for path in sorted(package.rglob("*.py")):
        inside = path.relative_to(package)
        if not any(inside.is_relative_to(part) for part in _WITHOUT_INFLUENCE):
            total.update(f"\n{inside.as_posix()}\n".encode())
            total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
