"""How the site is built: `make docs`, without a network and without warnings."""

import re
import sys
import warnings
from pathlib import Path

import unsuprank

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

project = "unsuprank"
author = "the unsuprank developers"
copyright = author
version = release = unsuprank.__version__

extensions = [
    "method_cards",  # writes its pages first
    "math_pictures",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "guides", "how_it_works", "paper.md", "**/*.ipynb"]
templates_path = ["_templates"]
nitpicky = False

html_math_renderer = "pictures"

# Markdown
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
suppress_warnings = ["config.cache"]

# The reference
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# Guides run at every build; a page that fails is an error.
sphinx_gallery_conf = {
    "examples_dirs": ["guides", "how_it_works"],
    "gallery_dirs": ["guide", "how"],
    "filename_pattern": r"\.py$",
    "within_subsection_order": "reading_order.ReadingOrder",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "plot_gallery": "True",
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "backreferences_dir": "api/used_in",
    "doc_module": ("unsuprank",),
    "default_thumb_file": str(HERE / "_static" / "table.svg"),
    "reset_modules": ("matplotlib", "house_look.apply"),
    "image_srcset": ["2x"],
}
warnings.filterwarnings("ignore", category=UserWarning, message=".*Matplotlib.*Agg.*")

# The look
html_theme = "pydata_sphinx_theme"
html_title = "unsuprank"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "unsuprank"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_sidebars = {"index": [], "**": ["sidebar-nav-bs"]}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"


def _escape_shapes(app, what, name, obj, options, lines):
    """Keep ``(n_features_in_,)`` in the type of an attribute from being read as a link."""
    pattern = re.compile(r"\b(n_\w+)_(?=[,)])")
    lines[:] = [pattern.sub(r"\1\\_", line) if "shape (" in line else line for line in lines]


def setup(app):
    """Mend docstrings after numpydoc has read them."""
    app.connect("autodoc-process-docstring", _escape_shapes, priority=900)
