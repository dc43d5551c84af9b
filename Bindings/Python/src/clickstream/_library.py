"""Location of libclickstream: CLICKSTREAM_LIBRARY, the library in this package, or the system's."""
from __future__ import annotations

import importlib
import os
import pathlib
from typing import Any, Callable, Mapping, Optional

from ._ffi import ffi as _ffi

ffi: Any = _ffi

SONAME = "libclickstream.so.0"


def _load() -> Any:
    bundled = pathlib.Path(__file__).with_name(SONAME)
    path = os.environ.get("CLICKSTREAM_LIBRARY", "").strip() or (str(bundled) if bundled.exists() else SONAME)
    try:
        # Never unmapped: cffi closes the library while the interpreter ends, below the threads of open clients.
        return ffi.dlopen(path, os.RTLD_NOW | getattr(os, "RTLD_NODELETE", 0))
    except OSError as error:
        raise ImportError(
            f"{error}. Install the package libclickstream0, or set CLICKSTREAM_LIBRARY to the path of {SONAME}"
        ) from None


lib: Any = _load()


def _no_recorder(client: int, name: str, attributes: Optional[Mapping[str, Any]]) -> Optional[int]:
    """Fast path of a package that was built without a compiler: every event takes the slower path."""
    return None


def _recorder() -> Callable[[int, str, Optional[Mapping[str, Any]]], Optional[int]]:
    try:
        recorder = importlib.import_module("._recorder", __package__)
    except ImportError:
        return _no_recorder
    try:
        address = ffi.addressof(lib, "clickstream_record_values")
    except AttributeError:
        # An older library of the system.
        return _no_recorder
    recorder.bind(int(ffi.cast("uintptr_t", address)))
    record: Callable[[int, str, Optional[Mapping[str, Any]]], Optional[int]] = recorder.record
    return record


#: Records an event; returns its status, or None if its arguments need the slower path.
record_fast = _recorder()


def version() -> str:
    """Version of the library, such as ``0.2.0``."""
    return str(ffi.string(lib.clickstream_version()).decode())
