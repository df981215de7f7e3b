"""Formulas as pictures in the page, drawn at build: it takes no script and no network to read them.

A formula becomes an inline SVG path in the colour of the text, sized in em and aligned to the
baseline, with its TeX as the text for those who cannot see it. What matplotlib's mathtext does not
know is an error of the build.
"""

from __future__ import annotations

from html import escape
from typing import Any, NoReturn

from docutils import nodes
from matplotlib import rc_context
from matplotlib.font_manager import FontProperties
from matplotlib.mathtext import MathTextParser
from matplotlib.path import Path
from matplotlib.textpath import TextPath

#: Units of the drawing that make one em, and the size of formulas relative to the text around.
EM, SIZE = 100.0, 1.08
#: Space around a drawing, so that strokes are not cut off.
PAD = 6.0
#: TeX that mathtext spells otherwise.
SPELLED = {r"\tfrac": r"\frac", r"\!": "", r"\top": "T"}
_COMMANDS = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C"}


def drawing(tex: str) -> str:
    """A formula as an SVG element."""
    source = " ".join(tex.split())
    for name, other in SPELLED.items():
        source = source.replace(name, other)
    with rc_context({"mathtext.fontset": "stix"}):
        outline = TextPath((0, 0), f"${source}$", size=EM)
        parsed = MathTextParser("path").parse(f"${source}$", 72, FontProperties(size=EM))
    width, height, depth = (float(part) for part in parsed[:3])
    wide, high = width + 2 * PAD, height + 2 * PAD
    box = f"{-PAD:.0f} {depth - height - PAD:.0f} {wide:.0f} {high:.0f}"
    style = (
        f"width:{SIZE * wide / EM:.3f}em;height:{SIZE * high / EM:.3f}em;"
        f"vertical-align:{-SIZE * (depth + PAD) / EM:.3f}em"
    )
    return (
        f'<svg class="formula" role="img" aria-label="{escape(source)}" viewBox="{box}" '
        f'style="{style}"><path d="{svg_path(outline)}" fill="currentColor"/></svg>'
    )


def svg_path(outline: Path) -> str:
    """The outline with y downwards, as SVG has it."""
    parts = []
    for points, code in outline.iter_segments(curves=True, simplify=False):
        if code == Path.CLOSEPOLY:
            parts.append("Z")
            continue
        pairs = (f"{x:.1f} {-y:.1f}" for x, y in zip(points[::2], points[1::2], strict=True))
        parts.append(_COMMANDS[code] + " ".join(pairs))
    return "".join(parts)


def visit_inline(translator: Any, node: nodes.math) -> NoReturn:
    """Put a formula into a line."""
    translator.body.append(drawing(node.astext()))
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.math_block) -> NoReturn:
    """Put a formula onto a line of its own."""
    tex = node.astext().replace(r"\frac", r"\dfrac")
    translator.body.append(f'<div class="formula-block">{drawing(tex)}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Offer the renderer to ``html_math_renderer``."""
    app.add_html_math_renderer("pictures", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
