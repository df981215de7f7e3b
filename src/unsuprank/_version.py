"""The version of the package; this is its one place."""

__version__ = "0.1.0"
