"""Formats of other programs that are not read here, and how to get a table out of them."""

from __future__ import annotations

from pathlib import Path


def _pandas(reader: str) -> str:
    return f"in Python: pandas.{reader}(FILE).to_parquet('table.parquet')"


#: What a file of an ending is, and a line that turns it into one that can be read.
FOREIGN = {
    ".sav": ("an SPSS file", _pandas("read_spss")),
    ".dta": ("a Stata file", _pandas("read_stata")),
    ".sas7bdat": ("a SAS file", _pandas("read_sas")),
    ".json": ("a JSON file", _pandas("read_json")),
    ".jsonl": ("a JSON file", "in Python: pandas.read_json(FILE, lines=True).to_parquet(...)"),
    ".html": ("a web page", "copy its table into a spreadsheet and save that"),
    ".rds": ("an R object", "in R: write.csv(readRDS(FILE), 'table.csv')"),
    ".rda": ("an R workspace", "in R: load(FILE); write.csv(table, 'table.csv')"),
    ".rdata": ("an R workspace", "in R: load(FILE); write.csv(table, 'table.csv')"),
    ".pkl": ("a pickle, which can run any code", "save its table as Parquet or CSV"),
    ".pickle": ("a pickle, which can run any code", "save its table as Parquet or CSV"),
    ".zip": ("an archive", "unpack it and name the table in it"),
    ".pdf": ("a PDF document", "ask for the table as a file, or copy it into a spreadsheet"),
    ".docx": ("a text document", "copy its table into a spreadsheet and save that"),
    ".db": ("a database", "save the table as CSV"),
    ".sqlite": ("a database", "in Python: pandas.read_sql(...).to_parquet('table.parquet')"),
    ".loom": ("a loom file", "in Python: anndata.read_loom(FILE).write_h5ad('cells.h5ad')"),
    ".mtx": ("a matrix without names", "in Python: scanpy.read_mtx(FILE).T.write_h5ad('c.h5ad')"),
}  # fmt: skip


def how_to_convert(path: Path) -> str:
    """Say what a file is that is not read here, and how to convert it; nothing of others."""
    what, recipe = FOREIGN.get(path.suffix.lower(), ("", ""))
    if not what:
        return ""
    recipe = recipe.replace("FILE", repr(path.name))
    return f"{path.name} is {what}, which is not read here; {recipe}"
