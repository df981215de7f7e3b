"""How cells are computed and kept: workers, limits, a store that survives a kill."""
