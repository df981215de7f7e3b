"""How jobs are computed and kept: places, limits, a store that survives a kill."""
