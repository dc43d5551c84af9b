"""Version and shared library come from the checkout: SDK.swift, and `make library`, which is bundled if it was run."""
import pathlib
import re
import shutil
import sys

from setuptools import Distribution, Extension, setup

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def version() -> str:
    source = (ROOT / "Sources/SDK/ClickstreamCore/Event/SDK.swift").read_text()
    match = re.search(r'static let version = "([0-9.]+)"', source)
    if not match:
        raise SystemExit("SDK.swift contains no version")
    return match[1]


library = ROOT / ".build-library/lib/libclickstream.so.0"
bundled = HERE / "src/clickstream/libclickstream.so.0"
if library.exists():
    shutil.copyfile(library, bundled)


class BinaryDistribution(Distribution):
    """A wheel with a shared library is not pure."""

    def has_ext_modules(self) -> bool:
        return bundled.exists() or super().has_ext_modules()


# One wheel serves Python 3.10 and all later versions. The stable interface of 3.9 lacks functions that the recorder needs.
is_stable = sys.version_info >= (3, 10) and sys.implementation.name == "cpython"
recorder = Extension(
    "clickstream._recorder",
    ["src/clickstream/_recorder.c"],
    include_dirs=[str(ROOT / "Sources/Bindings/CClickstream/include")],
    define_macros=[("Py_LIMITED_API", "0x030A0000")] if is_stable else [],
    py_limited_api=is_stable,
    # Without a compiler the package records through cffi.
    optional=True,
)
setup(
    version=version(),
    cffi_modules=["build_ffi.py:builder"],
    distclass=BinaryDistribution,
    ext_modules=[recorder],
    options={"bdist_wheel": {"py_limited_api": "cp310"}} if is_stable else {},
)
