"""What is known of the scikit-feature collection: names, shapes, sizes and checksums.

The files are those of the GitHub repository jundongl/scikit-feature, commit
48cffad4e88ff4b9d2f1c7baffb314d1b3303792, directory ``skfeature/data``. Where no copy was at
hand, only the shape is known, and ``checksum`` is None: such a file is verified by its
shape alone, and only when that is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Where the collection is published.
BASE_URL = "https://raw.githubusercontent.com/jundongl/scikit-feature/master/skfeature/data"


@dataclass(frozen=True)
class KnownFile:
    """One file of the collection."""

    name: str
    rows: int
    columns: int
    size: int | None = None
    checksum: str | None = None

    @property
    def file_name(self) -> str:
        """Name of the file where it is published, and where it is kept."""
        return f"{self.name}.mat"


_FILES = (
    KnownFile(
        "ALLAML",
        72,
        7129,
        3639219,
        "068afe0fe1021932e1e7d801294c267de8aeaa9d41899acfac024e72b0d44c1e",
    ),
    KnownFile(
        "arcene",
        200,
        10000,
        1900005,
        "779d678207b9a8c0ba8f2f5ecdb2216d9f98bf475ab040e806797efd36331bc5",
    ),
    KnownFile(
        "BASEHOCK",
        1993,
        4862,
        279059,
        "e0452e0f3c0fefdc5cb6352165e4ba4a25c3a2a7b5a5b4d44e103742d6317aa0",
    ),
    KnownFile("Carcinom", 174, 9182),
    KnownFile("CLL-SUB-111", 111, 11340),
    KnownFile(
        "COIL20",
        1440,
        1024,
        3024549,
        "4595ebdda07f47b0eb014fcfaddc22b452f9aed9c1d9261a0d5bc336c1ee1344",
    ),
    KnownFile(
        "colon",
        62,
        2000,
        36319,
        "ffcdeba03eb67cec403fa1dc9f827c22a6e2c57786bf3e01dfe1b4b3e25e0a2f",
    ),
    KnownFile("gisette", 7000, 5000),
    KnownFile("GLI-85", 85, 22283),
    KnownFile(
        "GLIOMA",
        50,
        4434,
        1462087,
        "c31cd32edd770c7a102729839e670e588bc959a591e0eae5a0676c9ca11d4c4f",
    ),
    KnownFile(
        "Isolet",
        1560,
        617,
        3652673,
        "ea73c69b1342a7def8199458e53a70307a83d557eceb2579863dda57c3ccd2b1",
    ),
    KnownFile(
        "leukemia",
        72,
        7070,
        154743,
        "eb92382fb77c968864cb0a92a2c77acde7f88ba7fe5fd5a64b98184e3a05269d",
    ),
    KnownFile("lung", 203, 3312),
    KnownFile("lung_small", 73, 325),
    KnownFile(
        "lymphoma",
        96,
        4026,
        110185,
        "bd834ed911d47ecf2e07625ed77617d514d89ee398fa2e7a787230f7cf5243f8",
    ),
    KnownFile(
        "madelon",
        2600,
        500,
        1496573,
        "7dc9c9ff8d902651948e2df7f9cb6ed38c5d91e4c4159914cecb1ddbc7def12c",
    ),
    KnownFile(
        "nci9",
        60,
        9712,
        169288,
        "e336aa43eaf3103803252604375a89141043994a54f93222f7ccc12b5b910789",
    ),
    KnownFile(
        "ORL",
        400,
        1024,
        376584,
        "e257ec36002e48688ed7f3b9fda13f479f2fd98864fa0672d1353eda1912b189",
    ),
    KnownFile("orlraws10P", 100, 10304),
    KnownFile(
        "PCMAC",
        1943,
        3289,
        191131,
        "9999dfccf97ab88f87127dd3457da436acb75cda9f0af4750e7cae5fe1a31b25",
    ),
    KnownFile(
        "pixraw10P",
        100,
        10000,
        520463,
        "aa4b474244ae847dc2efdc868c0ff58fc3748a830c2ffdf760a1697cf72088f8",
    ),
    KnownFile(
        "Prostate-GE",
        102,
        5966,
        1524983,
        "050b598534dbc662f23e30f39b41354b61d02ab8567837bcf9b1091c1c636ab4",
    ),
    KnownFile(
        "RELATHE",
        1427,
        4322,
        226918,
        "1091fe26c721aa69ddc5ce3ebcef54e03565809cae07e1769cef45ad23ab28d0",
    ),
    KnownFile("SMK-CAN-187", 187, 19993),
    KnownFile(
        "TOX-171",
        171,
        5748,
        3470586,
        "f52f57e61775b7830c84750456d7fadfd220d1cc8eed26419c3390eb9216cc84",
    ),
    KnownFile("USPS", 9298, 256),
    KnownFile("warpAR10P", 130, 2400),
    KnownFile(
        "warpPIE10P",
        210,
        2420,
        458267,
        "0d22b0e4fe224ea7347ae266370b6eb0d724d5fd0ad7da71261a58c24e08c3c2",
    ),
    KnownFile(
        "Yale",
        165,
        1024,
        161021,
        "cccd29abd2c520dd5cc8ff7645b422c2bdadd59406a6b6a0239143d9d44afcf3",
    ),
)

#: The collection by name.
COLLECTION: dict[str, KnownFile] = {file.name: file for file in _FILES}


def known_file(name: str) -> KnownFile:
    """The file of a data set; a wrong name is answered with the right ones."""
    if name not in COLLECTION:
        raise ValueError(f"No data set is called {name!r}; there are: {', '.join(COLLECTION)}.")
    return COLLECTION[name]
