"""One self-contained HTML page about a ranking; it needs the extra ``unsuprank[report]``.

What the page shows is computed by modules that need no extra; only :mod:`.page` and
:mod:`.figures` import Jinja2 and Bokeh, and nothing is imported from here.
"""
