"""Named arrays in an uncompressed ``.npz`` without pickles, which NumPy can read as well.

A file is read only if every header agrees with the bytes present, so a small file cannot claim a large array.
"""

import math
import os
import tokenize
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from tensorrvea.atomic import atomic_write
from tensorrvea.runs.errors import DamagedError
from tensorrvea.runs.files import open_regular, sha256_of

KINDS = "biuf"  # booleans and numbers


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Write the arrays and return the file's check values, ``{"bytes": ..., "sha256": ...}``."""
    with atomic_write(path) as stream:
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
            for name, array in arrays.items():
                # A fixed date, so that equal arrays make equal files.
                entry = zipfile.ZipInfo(name + ".npy", date_time=(1980, 1, 1, 0, 0, 0))
                with archive.open(entry, "w", force_zip64=True) as member:
                    npy.write_array(member, np.ascontiguousarray(array).reshape(np.shape(array)), allow_pickle=False)
        return {"bytes": stream.tell(), "sha256": sha256_of(stream)}


def read_arrays(path: Path, check: Mapping[str, Any] | None = None) -> dict[str, np.ndarray]:
    """Read the arrays of a file; ``check`` is what ``write_arrays`` returned."""
    size = None if check is None else check["bytes"]
    with open_regular(path, limit=size) as stream:
        if check is not None and sha256_of(stream) != check["sha256"]:
            raise DamagedError(f"{path} is damaged: its checksum differs from the recorded one")
        stream.seek(0)
        try:
            with zipfile.ZipFile(stream) as archive:
                entries = archive.infolist()
                # Members may overlap: a small file then holds the same bytes many times.
                if sum(entry.compress_size for entry in entries) > os.fstat(stream.fileno()).st_size:
                    raise ValueError("its members claim more bytes than it has")
                if len({entry.filename for entry in entries}) < len(entries):
                    raise ValueError("it has two members of one name")
                return {entry.filename.removesuffix(".npy"): _read_array(archive, entry) for entry in entries}
        except (zipfile.BadZipFile, ValueError, EOFError, OSError, NotImplementedError, RuntimeError) as error:
            raise DamagedError(f"{path} is damaged: {error}") from error


def _read_array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> np.ndarray:
    if entry.compress_type != zipfile.ZIP_STORED or entry.file_size != entry.compress_size:
        raise ValueError(f"{entry.filename!r:.80} is compressed")
    with archive.open(entry) as member:
        shape, fortran_order, dtype = _read_header(member)
        if dtype.kind not in KINDS or fortran_order:
            raise ValueError(f"{entry.filename!r:.80} holds {dtype}, not plain numbers")
        count = math.prod(shape)
        if entry.file_size - member.tell() != count * dtype.itemsize:
            raise ValueError(f"{entry.filename!r:.80} claims shape {shape}, which is not what it holds")
        data = member.read()
    return np.frombuffer(data, dtype, count).reshape(shape)


def _read_header(member: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype]:
    version = npy.read_magic(member)
    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    if version not in readers:
        raise ValueError(f"unknown array format {version}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # NumPy warns about headers that it has to guess at
        try:
            return readers[version](member, max_header_size=10_000)
        except (UserWarning, SyntaxError, tokenize.TokenError, RecursionError, MemoryError) as error:
            raise ValueError(f"invalid array header: {error!s:.80}") from error
