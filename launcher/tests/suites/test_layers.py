# SPDX-License-Identifier: Apache-2.0
"""Who may include whom, in C and C++: no upward edge between folders, no circle between units.

A source and its header are one unit, so that a call shows as an include: whoever calls a function of another unit
includes the header that declares it, itself or through headers that are judged as well. The one header that is excused
is the firmware's context, which all units include; so the firmware's calls are judged by themselves
(`python -m launcher.suites.firmware_check layers`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

import pytest

from launcher.env.paths import ROOT
from launcher.suites import firmware_check
from launcher.suites import graph as graphs

# Each folder, with the other folders that its files may include. A file belongs to the longest folder name that its
# path begins with. A folder in the list stands for all that is in it, except tests: only tests may include those.
_INTERFACES = "interfaces"
_FAST = "interfaces firmware/include sim/models sim/harness"
_DRIVER = f"{_INTERFACES} host-driver/include host-driver/src/base"
_LEVELDB = "leveldb-host/include"
_PAGEFS = f"{_INTERFACES} host-driver/include {_LEVELDB}"
MAY_INCLUDE: dict[str, str] = {
    "interfaces": "",
    "common": "",
    "common/tests": "common",
    "testing": "interfaces",
    # Firmware: each layer may use those before it, and the context that all units share.
    "firmware/include": "interfaces",
    "firmware/src": "interfaces firmware/include",
    **{
        f"firmware/src/{name}": " ".join(
            ["interfaces", "firmware/include", "firmware/src/fw.h"]
            + [f"firmware/src/{lower}" for lower in firmware_check.LAYERS[:i]]
        )
        for i, name in enumerate(firmware_check.LAYERS)
    },
    # Ports: no source above knows one. The native one runs beside a simulated machine; the others share `bare`.
    "firmware/ports/native": "interfaces firmware/include sim/models sim/harness",
    "firmware/ports/bare": "interfaces firmware/include",
    "firmware/ports/acorn": "interfaces",
    "firmware/ports/litex": "interfaces firmware/include firmware/ports/bare",
    "firmware/ports/zynq": "interfaces firmware/include firmware/ports/bare",
    "firmware/tests": "interfaces testing firmware",
    "firmware/tests/ports/native": "interfaces testing firmware sim/models sim/harness",
    # Simulated devices: models and harness know of no driver.
    "sim/models": "interfaces common",
    "sim/harness": "interfaces sim/models",
    "sim/fast/lib": "sim/models sim/harness",  # and no unit of the model, as all of them use it
    "sim/fast": f"{_FAST} sim/fast/lib",
    # A board: knows nothing of simulations.
    "sim/etherbone": "interfaces",
    "sim/device": f"{_FAST} common sim/fast sim/etherbone firmware/ports/native",
    "sim/vfio": "interfaces common",
    "sim/tests": "interfaces common firmware/include testing sim",
    # The driver: knows a device by interfaces/include/pcie_function.h alone.
    "host-driver/include": "interfaces",
    "host-driver/src/base": f"{_INTERFACES} host-driver/include",
    "host-driver/src/pcie": _DRIVER,
    "host-driver/src/kernel": _DRIVER,
    "host-driver/src/api": f"{_DRIVER} host-driver/src/pcie host-driver/src/kernel",
    "host-driver/cli": f"{_INTERFACES} host-driver/include",
    "host-driver/tests": "interfaces testing host-driver sim/etherbone",
    # LevelDB: the library knows of no device; the file layers know the driver's interface.
    "leveldb-host/include": "",
    "leveldb-host/src": _LEVELDB,
    "leveldb-host/pagefs/device": _PAGEFS,
    "leveldb-host/pagefs/metadata": f"{_PAGEFS} leveldb-host/pagefs/device",
    "leveldb-host/pagefs/trace": f"{_PAGEFS} leveldb-host/pagefs/device",
    "leveldb-host/pagefs/fs": f"{_PAGEFS} leveldb-host/pagefs/device leveldb-host/pagefs/metadata",
    "leveldb-host/pagefs/check": f"common {_PAGEFS} leveldb-host/pagefs",
    "leveldb-host/pagefs/bench": f"{_PAGEFS} leveldb-host/pagefs/device leveldb-host/pagefs/fs "
    "leveldb-host/pagefs/trace",
    # Replays traces of pages; its program does so on simulated devices.
    "leveldb-host/ioreplay": f"common {_PAGEFS} leveldb-host/pagefs/device leveldb-host/pagefs/trace",
    "leveldb-host/linuxfs": f"{_PAGEFS} leveldb-host/pagefs/device leveldb-host/pagefs/bench",
    "leveldb-host/dropin": f"{_LEVELDB} leveldb-host/src leveldb-host/linuxfs",
    "leveldb-host/bench": f"common {_LEVELDB}",
    # Power cuts under LevelDB: a test of the whole stack.
    "leveldb-host/crash": "interfaces common testing host-driver/include leveldb-host sim/models sim/device",
    # Overwrites for long: the same.
    "leveldb-host/soak": "interfaces common testing host-driver/include leveldb-host sim/models sim/device",
    **{
        f"leveldb-host/{part}tests": "interfaces testing host-driver/include host-driver/tests/support leveldb-host"
        for part in ("", "pagefs/", "linuxfs/", "dropin/", "bench/", "crash/", "soak/", "ioreplay/")
    },
    # RocksDB: its files on PageFS; what runs databases uses LevelDB's benchmark and power cuts.
    "rocksdb-host/rocksfs": f"{_PAGEFS} leveldb-host/pagefs/device leveldb-host/pagefs/fs",
    "rocksdb-host/rocksrun": "rocksdb-host/rocksfs",
    "rocksdb-host/rocksplugin": f"{_PAGEFS} leveldb-host/pagefs/device leveldb-host/pagefs/fs rocksdb-host/rocksfs",
    "rocksdb-host/rocksbench": f"common {_LEVELDB} leveldb-host/bench leveldb-host/pagefs/fs rocksdb-host/rocksfs "
    "rocksdb-host/rocksrun",
    "rocksdb-host/rockscrash": "interfaces common testing host-driver/include leveldb-host sim/models sim/device "
    "rocksdb-host",
    "rocksdb-host/tests": "interfaces testing host-driver/include leveldb-host rocksdb-host",
    # Whole devices under test: may use everything, and nothing else may use it.
    "verify": "interfaces common testing sim host-driver/include leveldb-host/include leveldb-host/pagefs",
}

# Includes that break the table: file -> folder, or "*" for all that it includes; and why.
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("firmware/src/fw.h", "*"): "the context holds the struct of every unit; firmware_check looks at the calls",
}

Includes = Mapping[str, Iterable[str]]  # file -> the names between the quotes


def read_includes(folder: Path = ROOT) -> dict[str, list[str]]:
    """All sources of the folders in the table."""
    found: dict[str, list[str]] = {}
    for top in sorted({name.split("/")[0] for name in MAY_INCLUDE}):
        for path in sorted((folder / top).rglob("*")):
            if path.suffix in {".c", ".cc", ".h"}:
                found[path.relative_to(folder).as_posix()] = re.findall(r'^#include "([^"]+)"', path.read_text(), re.M)
    return found


def resolve(includes: Includes) -> list[tuple[str, str]]:
    """Edges between files. What no file of ours has (LevelDB, generated tops) is none."""
    by_name: dict[str, list[str]] = {}
    for file in includes:
        by_name.setdefault(PurePosixPath(file).name, []).append(file)
    edges = []
    for file, names in includes.items():
        for name in names:
            fits = [f for f in by_name.get(PurePosixPath(name).name, []) if f"/{f}".endswith(f"/{name}")]
            # As the compiler: the includer's own folder first; then its part of the tree.
            near = [f for f in fits if f == str(PurePosixPath(file).parent / name)]
            near = near or [f for f in fits if f.split("/")[0] == file.split("/")[0]] or fits
            if len(near) > 1:
                raise ValueError(f'{file}: "{name}" may be any of {", ".join(near)}')
            edges += [(file, target) for target in near]
    return edges


def folder_of(file: str) -> str:
    """The table's folder of a file; an error where there is none."""
    fits = [name for name in MAY_INCLUDE if file.startswith(f"{name}/")]
    if not fits:
        raise ValueError(f"{file} is in no folder of MAY_INCLUDE")
    return max(fits, key=len)


def in_tests(file: str) -> bool:
    return "tests" in PurePosixPath(file).parent.parts


def upward(edges: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The edges that the table does not allow."""

    def allowed(source: str, target: str) -> bool:
        folder = folder_of(source)
        if in_tests(target) and not in_tests(source):
            return False
        if folder_of(target) == folder:
            return True
        return any(f"{target}/".startswith(f"{name}/") for name in MAY_INCLUDE[folder].split())

    return [(a, b) for a, b in edges if not allowed(a, b)]


def circles(edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Sets of units (a source and its header) that include each other, directly or through others."""
    graph: dict[str, set[str]] = {}
    for a, b in edges:
        source, target = str(PurePosixPath(a).with_suffix("")), str(PurePosixPath(b).with_suffix(""))
        graph.setdefault(source, set())
        graph.setdefault(target, set())
        if source != target:
            graph[source].add(target)
    return [sorted(circle) for circle in graphs.circles(graph)]


def excused(edge: tuple[str, str]) -> list[tuple[str, str]]:
    """The exceptions that the edge needs."""
    return [(file, folder) for file, folder in EXCEPTIONS if file == edge[0] and folder in {"*", folder_of(edge[1])}]


@pytest.fixture(scope="module")
def edges() -> list[tuple[str, str]]:
    found = resolve(read_includes())
    assert len(found) > 1500  # or the search found nothing to judge
    return found


def test_no_folder_includes_one_above_it(edges: list[tuple[str, str]]) -> None:
    broken = upward(edges)
    assert [f"{a} includes {b}" for a, b in broken if not excused((a, b))] == []


def test_no_units_include_each_other(edges: list[tuple[str, str]]) -> None:
    assert circles([edge for edge in edges if not excused(edge)]) == []


def test_every_exception_is_needed(edges: list[tuple[str, str]]) -> None:
    for exception in EXCEPTIONS:  # the list only shrinks
        judged = [edge for edge in edges if set(excused(edge)) <= {exception}]
        broken = [edge for edge in upward(judged) if exception in excused(edge)]
        assert broken or circles(judged), exception


def test_the_table_itself_has_no_circle() -> None:
    names = {name for name in MAY_INCLUDE if not name.endswith("tests")}
    table = [(f"{a}.h", f"{b}.h") for a in names for b in MAY_INCLUDE[a].split() if b in names and b != a]
    assert circles(table) == []


def test_a_seeded_circle_is_found() -> None:
    sources = read_includes()
    sources["sim/models/image.h"].append("nvram_model.h")
    assert ["sim/models/image", "sim/models/nvram_model"] in circles(resolve(sources))
    # Over a file between them, and through a source.
    sources = {
        "sim/models/a.h": ["b.h"],
        "sim/models/b.cc": ["c.h", "b.h"],
        "sim/models/b.h": [],
        "sim/models/c.h": ["a.h"],
    }
    assert circles(resolve(sources)) == [["sim/models/a", "sim/models/b", "sim/models/c"]]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("sim/models/image.cc", "openremap.h"),
        ("sim/harness/rtl_device.cc", "top/params.h"),
        ("host-driver/src/pcie/queue_pair.c", "api/request.h"),
        ("host-driver/src/api/request.c", "pcie_debug.h"),
        ("host-driver/cli/cmd_io.c", "api/request.h"),
        ("leveldb-host/pagefs/bench/driver_bench_device.cc", "lockstep/lockstep_recorder.h"),
        ("leveldb-host/src/env/flat_env.cc", "pagefs/fs/page_fs.h"),
        ("leveldb-host/pagefs/check/pagefs_commands.cc", "test_seed.h"),
        ("firmware/src/drivers/nand.c", "gc/gc.h"),
        ("sim/fast/lib/nvram_port.cc", "map/map_unit.h"),
        ("leveldb-host/linuxfs/linux_remap_env.cc", "pagefs/fs/page_fs.h"),
        # Tests of the folder itself, and of folders that it may use.
        ("leveldb-host/bench/run/bench_run.cc", "run/bench_run_test.cc"),
        ("leveldb-host/linuxfs/linux_remap_env.cc", "device/fake_page_device.h"),
        ("verify/crash/crash_run.cc", "harness/standin.h"),
    ],
)
def test_a_seeded_upward_include_is_found(file: str, name: str) -> None:
    sources = read_includes()
    before = upward(resolve(sources))
    sources[file].append(name)
    seeded = [edge for edge in upward(resolve(sources)) if edge not in before]
    assert [(a, b.endswith(f"/{name}")) for a, b in seeded] == [(file, True)]


def test_a_file_of_no_folder_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"sim/strange/x\.h is in no folder"):
        upward([("sim/strange/x.h", "sim/models/image.h")])
    with pytest.raises(ValueError, match=r'"x\.h" may be any of'):
        resolve({"sim/a/x.h": [], "sim/b/x.h": [], "sim/c/y.cc": ["x.h"]})
