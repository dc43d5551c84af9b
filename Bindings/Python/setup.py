"""Version, header, licence and shared library come from the root of the project: the checkout, or the folder `project` of a source
distribution. The library is bundled if `make library` was run; a source distribution runs that itself if there is a Swift toolchain.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import Any, Tuple

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE / "project"
ROOT = PROJECT if PROJECT.exists() else HERE.parent.parent
#: What a source distribution contains of the project: all that `Packaging/library` reads.
SOURCES = ["Package.swift", "LICENSE", "Sources/SDK", "Sources/Bindings", "Packaging/library", "Packaging/link", "Packaging/reproducible.ld", "Packaging/version", "Packaging/check-symbols",
           "Packaging/libclickstream.symbols"]


def version() -> str:
    source = (ROOT / "Sources/SDK/ClickstreamCore/Event/SDK.swift").read_text()
    match = re.search(r'static let version = "([0-9.]+)"', source)
    if not match:
        raise SystemExit("SDK.swift contains no version")
    return match[1]


class Build(build_py):
    """Bundles the library."""

    def run(self) -> None:
        library = ROOT / ".build-library/lib/libclickstream.so.0"
        if ROOT == PROJECT and not library.exists() and shutil.which("swift"):
            subprocess.run(["./Packaging/library"], cwd=ROOT, env={**os.environ, "CLICKSTREAM_LIBRARY_ALONE": "yes"}, check=True)
        if library.exists():
            shutil.copyfile(library, HERE / "src/clickstream/libclickstream.so.0")
        super().run()


class Wheel(bdist_wheel):
    """The library knows nothing of Python, and interpreters that cannot load the recorder use cffi: one wheel serves all of them."""

    def get_tag(self) -> Tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


class SourceDistribution(sdist):
    """Contains the sources of the library, too."""

    def make_release_tree(self, base_dir: str, files: Any) -> None:
        super().make_release_tree(base_dir, files)
        for name in SOURCES:
            source, target = ROOT / name, pathlib.Path(base_dir) / "project" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target)
            else:
                shutil.copy2(source, target)


shutil.copyfile(ROOT / "LICENSE", HERE / "LICENSE")
# The stable interface of 3.9 lacks functions that the recorder needs.
is_stable = sys.version_info >= (3, 10) and sys.implementation.name == "cpython"
recorder = Extension(
    "clickstream._recorder",
    ["src/clickstream/_recorder.c"],
    # Relative paths alone are allowed outside of a checkout.
    include_dirs=[os.path.relpath(ROOT / "Sources/Bindings/CClickstream/include", HERE)],
    define_macros=[("Py_LIMITED_API", "0x030A0000")] if is_stable else [],
    py_limited_api=is_stable,
    # Without a compiler the package records through cffi.
    optional=True,
)
setup(
    version=version(),
    cffi_modules=["build_ffi.py:builder"],
    cmdclass={"build_py": Build, "bdist_wheel": Wheel, "sdist": SourceDistribution},
    ext_modules=[recorder],
)
