"""Build back-end of `pip install .` (PEP 517): CMake compiles, this puts the files into a wheel.

CMAKE_ARGS in the environment has more options for CMake. Nothing is downloaded. CMake, Ninja, a compiler, pybind11 and
numpy's headers have to be there: on Debian, tools/install-dependencies python installs them.
"""

import base64
import hashlib
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "wheel"


def _version():
    return re.search(r"VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"


def _interpreter(environment):
    """This one if it has numpy, or else the one that its virtual environment is made from."""
    has_numpy = subprocess.run([sys.executable, "-c", "import numpy"], env=environment, stderr=subprocess.DEVNULL)
    return sys.executable if has_numpy.returncode == 0 else getattr(sys, "_base_executable", sys.executable)


def _compile():
    """The package in build/wheel/python/ulna, for the interpreter that runs this."""
    options = [f"-DULNA_BUILD_{part}=OFF" for part in ("CLI", "TESTS", "EXAMPLES", "BENCH")]
    configure = ["cmake", "-S", str(ROOT), "-B", str(BUILD), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
    # pip hides installed packages from what builds, by this variable; numpy's headers are one of them
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    options += ["-DULNA_BUILD_PYTHON=ON", f"-DULNA_PYTHON={_interpreter(clean)}"]
    options += shlex.split(os.environ.get("CMAKE_ARGS", ""))
    subprocess.run(configure + options, check=True, env=clean)
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 2))
    build = ["cmake", "--build", str(BUILD), "--target", "ulna_python", "-j", jobs]
    subprocess.run(build, check=True, env=clean)
    package = BUILD / "python" / "ulna"
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    if not (package / f"_core{suffix}").exists():
        raise SystemExit(
            f"ulna was compiled for another Python than {sys.version.split()[0]}, as this one has no numpy; "
            "install numpy for it, and pybind11"
        )
    return package


def _metadata():
    return "\n".join(
        [
            "Metadata-Version: 2.1",
            "Name: ulna",
            f"Version: {_version()}",
            "Summary: Robot dynamics, identification and predictive control",
            "License: BSD-3-Clause",
            f"Requires-Python: =={sys.version_info.major}.{sys.version_info.minor}.*",
            "Requires-Dist: numpy",
            "",
        ]
    )


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = f"ulna-{_version()}.dist-info"
    (Path(metadata_directory) / info).mkdir()
    (Path(metadata_directory) / info / "METADATA").write_text(_metadata())
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    package = _compile()
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    info = f"ulna-{_version()}.dist-info"
    sources = sorted((ROOT / "python" / "ulna").glob("*.py*")) + [ROOT / "python" / "ulna" / "py.typed"]
    files = {f"ulna/{path.name}": path.read_bytes() for path in sources if path.is_file()}
    files[f"ulna/_core{suffix}"] = (package / f"_core{suffix}").read_bytes()
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: ulna\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode()
    )
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()

    name = f"ulna-{_version()}-{_tag()}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("ulna is installed from its repository: pip install .")
