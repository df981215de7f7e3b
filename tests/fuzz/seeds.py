"""Valid files of every format, small."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import anndata
import h5py
import numpy as np
import pandas as pd
from scipy import sparse
from scipy.io import savemat
from sklearn.datasets import dump_svmlight_file


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(12, 3)).round(3), columns=["a", "b", "c d"])
    table["kind"] = rng.choice(["cat", "dog"], 12)
    table["when"] = pd.date_range("2020-01-01", periods=12).strftime("%Y-%m-%d")
    table.loc[2, "b"] = np.nan
    return table


def numbers() -> np.ndarray:
    return frame()[["a", "c d"]].to_numpy()


def counts() -> sparse.csr_matrix:
    rng = np.random.default_rng(0)
    return sparse.csr_matrix(rng.poisson(0.5, size=(12, 5)).astype(float))


def through_file(write: Callable[[Path], object], name: str) -> bytes:
    """What `write` writes to a file."""
    with TemporaryDirectory() as place:
        path = Path(place, name)
        write(path)
        return path.read_bytes()


def through_stream(write: Callable[[io.BytesIO], object]) -> bytes:
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()


def csv() -> list[bytes]:
    text = frame().to_csv(index=False)
    german = frame().to_csv(index=False, sep=";", decimal=",")
    return [text.encode(), german.encode("latin-1"), text.encode("utf-16"), text[:120].encode()]


def zipped_csv() -> list[bytes]:
    return [gzip.compress(csv()[0])]


def arff() -> list[bytes]:
    head = "% a comment\n@relation t\n@attribute a numeric\n@attribute 'b c' {cat,dog,'x y'}\n"
    dense = "@data\n1.5,cat\n?,dog\n-2e3,'x y'\n0,?\n"
    scarce = "@data\n{0 1.5, 1 dog}\n{1 'x y'}\n{}\n"
    return [(head + dense).encode(), (head + "@attribute d date\n" + scarce).encode()]


def npy() -> list[bytes]:
    kinds = (float, "f4", "u1", ">i4", "c16", "U3", bool)
    plain = [through_stream(lambda s, k=k: np.save(s, numbers().astype(k))) for k in kinds]
    plain.append(plain[0].replace(b"<f8", b"<U0").replace(b"<i8", b"|V0"))
    pickled = np.array([[{"a": 1}, "x"]], dtype=object)
    return [*plain, through_stream(lambda s: np.save(s, pickled))]


def npz() -> list[bytes]:
    dense = {"X": numbers(), "y": np.arange(12), "feature_names": np.array(["p", "q"])}
    forms = [counts().asformat(f) for f in ("csr", "csc", "coo", "bsr", "dia")]
    return [
        through_stream(lambda s: np.savez(s, **dense)),
        through_stream(lambda s: np.savez_compressed(s, **dense)),
        *[through_stream(lambda s, f=f: sparse.save_npz(s, f)) for f in forms],
    ]


def mat() -> list[bytes]:
    content = {"X": numbers(), "Y": np.ones((12, 1)), "names": np.array(["p", "q"], dtype=object)}
    return [
        through_stream(lambda s: savemat(s, content)),
        through_stream(lambda s: savemat(s, content, do_compression=True)),
        through_stream(lambda s: savemat(s, {"X": counts()})),
        through_stream(lambda s: savemat(s, {"X": numbers()}, format="4")),
        through_stream(lambda s: savemat(s, {"X": numbers(), "c": nested(4)})),
        b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + through_stream(_hdf5)[128:],
    ]


def nested(depth: int) -> np.ndarray:
    """Arrays of cells in arrays of cells."""
    cell = np.empty((1, 2), dtype=object)
    cell[0, :] = [nested(depth - 1) if depth else np.eye(1)] * 2
    return cell


def _hdf5(stream: io.BytesIO) -> None:
    with h5py.File(stream, "w", userblock_size=512) as stored:
        stored["X"], stored["Y"] = numbers().T, np.ones((1, 12))


def svmlight() -> list[bytes]:
    text = through_stream(lambda s: dump_svmlight_file(counts(), np.arange(12), s))
    return [text, b"1 1:2.5 3:1 # note\n-1 2:0.5\n1 qid:2 1:1\n"]


def parquet() -> list[bytes]:
    rich = frame().assign(flag=True, group=frame()["kind"].astype("category"))
    return [
        through_stream(lambda s: rich.to_parquet(s)),
        through_stream(lambda s: frame().to_parquet(s, compression=None, index=False)),
    ]


def feather() -> list[bytes]:
    return [
        through_stream(lambda s, c=c: frame().to_feather(s, compression=c))
        for c in ("uncompressed", "lz4")
    ]


def excel() -> list[bytes]:
    """Workbooks of one sheet and of several, plain and compressed, and one of LibreOffice."""
    cells = "".join(
        f'<row><c t="inlineStr"><is><t>n{i}</t></is></c><c><v>{i * 1.5}</v></c></row>'
        for i in range(6)
    )
    placed = "".join(f'<row r="{i}"><c r="B{i}"><v>{i}</v></c></row>' for i in range(1, 6))
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"

    def workbook(sheets: list[str]) -> dict[str, str]:
        numbers = range(1, len(sheets) + 1)
        named = "".join(f'<sheet name="s{i}" sheetId="{i}" r:id="r{i}"/>' for i in numbers)
        related = "".join(
            f'<Relationship Id="r{i}" Type="{kind}/worksheet" Target="worksheets/sheet{i}.xml"/>'
            for i in numbers
        )
        return {
            "_rels/.rels": f'<Relationships xmlns="{package}"><Relationship Id="a" '
            f'Type="{kind}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="{space}" xmlns:r="{kind}">'
            f"<sheets>{named}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}">{related}'
            "</Relationships>",
        } | {
            f"xl/worksheets/sheet{i}.xml": f'<worksheet xmlns="{space}"><sheetData>{sheets[i - 1]}'
            "</sheetData></worksheet>"
            for i in numbers
        }

    several = workbook(["", placed, cells])
    return [zipped(workbook([cells])), zipped(several, zipfile.ZIP_DEFLATED), libreoffice()]


def zipped(members: dict[str, str], packing: int = zipfile.ZIP_STORED) -> bytes:
    def write(stream: io.BytesIO) -> None:
        with zipfile.ZipFile(stream, "w", packing) as stored:
            for name, text in members.items():
                stored.writestr(name, text)

    return through_stream(write)


def libreoffice() -> bytes:
    office = "urn:oasis:names:tc:opendocument:xmlns:"
    row = (
        '<table:table-row table:number-rows-repeated="3"><table:table-cell table:number-columns-'
        'repeated="2" office:value-type="float" office:value="1.5"/></table:table-row>'
    )
    content = (
        f'<office:document-content xmlns:office="{office}office:1.0" '
        f'xmlns:table="{office}table:1.0"><office:body><office:spreadsheet><table:table '
        f'table:name="s">{row}</table:table></office:spreadsheet></office:body>'
        "</office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = "<manifest/>"
    return zipped(
        {"mimetype": kind, "META-INF/manifest.xml": manifest, "content.xml": content},
    )


def h5ad() -> list[bytes]:
    dense = anndata.AnnData(numbers(), var=pd.DataFrame(index=["p", "q"]))
    scarce = anndata.AnnData(counts(), obs=pd.DataFrame({"kind": list("abcabcabcabc")}))
    scarce.layers["twice"] = counts() * 2
    scarce.raw = scarce
    return [
        *[through_file(adata.write_h5ad, "t.h5ad") for adata in (dense, scarce)],
        through_file(lambda path: _leading_elsewhere(dense, path), "t.h5ad"),
    ]


def _leading_elsewhere(adata: anndata.AnnData, path: Path) -> None:
    """A file with every way to show what is in another."""
    adata.write_h5ad(path)
    layout = h5py.VirtualLayout((12, 2), "f8")
    layout[:] = h5py.VirtualSource("secret.h5", "X", (12, 2))
    with h5py.File(path, "r+") as stored:
        stored["layers/twice"] = h5py.ExternalLink("secret.h5", "X")
        stored.create_virtual_dataset("layers/virtual", layout)
        stored.create_dataset("layers/kept", (3,), "f8", external=[("secret.raw", 0, 24)])


ROWS = [{"feature": f"x{j}", "rank": j + 1, "score": 1.0 / (j + 1)} for j in range(4)]


def scores_csv() -> list[bytes]:
    return [pd.DataFrame(ROWS).to_csv(index=False).encode()]


def scores_json() -> list[bytes]:
    return [json.dumps(held, indent=1).encode() for held in (ROWS, {"schema": 1, "rows": ROWS})]


def scores_parquet() -> list[bytes]:
    return [through_stream(lambda s: pd.DataFrame(ROWS).to_parquet(s))]
