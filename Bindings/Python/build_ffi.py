"""Declarations of clickstream.h for cffi in ABI mode: no compiler is needed."""
import pathlib
import re

from cffi import FFI

here = pathlib.Path(__file__).resolve().parent
# A source distribution has the sources of the library in a folder, see setup.py.
root = here / "project" if (here / "project").exists() else here.parent.parent
header = root / "Sources/Bindings/CClickstream/include/clickstream.h"
text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
text = re.sub(r"^#.*$", "", text, flags=re.M).replace("CLICKSTREAM_API ", "")

builder = FFI()
builder.set_source("clickstream._ffi", None)
builder.cdef(text)
