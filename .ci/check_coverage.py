"""Print the coverage of lines and of branches, and fail if either is below its floor."""

import json
import subprocess
import sys
from pathlib import Path

LINES, BRANCHES = 96.0, 93.0


def main() -> int:
    target = Path(".coverage") / "totals.json"
    subprocess.run([sys.executable, "-m", "coverage", "json", "-q", "-o", str(target)], check=True)
    totals = json.loads(target.read_text())["totals"]
    lines = 100.0 * totals["covered_lines"] / totals["num_statements"]
    branches = 100.0 * totals["covered_branches"] / totals["num_branches"]
    print(
        f"lines {lines:.1f}% (at least {LINES}%), branches {branches:.1f}% (at least {BRANCHES}%)"
    )
    return int(lines < LINES or branches < BRANCHES)


if __name__ == "__main__":
    sys.exit(main())
