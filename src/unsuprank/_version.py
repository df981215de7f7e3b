"""The version of the package; this is its one place."""

__version__ = "0.2.0"
