# SPDX-License-Identifier: Apache-2.0
"""Debian's plyvel, unchanged, on our libleveldb.so instead of Debian's: in every mode, and back.

The tables that it writes are checked (table_layout.py) and read by Debian's own libleveldb. In mode `blend` tables have
several runs, and Debian's library must refuse them. The test is skipped on machines without these packages.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import table_layout  # beside this file

from launcher.bench.bench_description import Mode
from launcher.env import leveldb_packages
from launcher.env.unpacked_packages import Packages
from launcher.suites import single_test
from launcher.suites.single_test import Skipped, require

CLIENT = Path(__file__).with_name("plyvel_client.py")
# In Debian's library and not in ours (docs/using/dropin.md).
HIDDEN = "leveldb::TableBuilder::"
# Library-internal names that Debian's happens to export: of its compiler's templates, and of types in functions.
INTERNAL = ("std::", "__gnu_cxx::", "typeinfo name for std::", "typeinfo for std::", "vtable for std::")


@dataclass(frozen=True)
class Client:
    """The program, with one of the libraries."""

    library: Path  # a folder
    packages: Packages

    def run(self, action: str, database: Path, **variables: str) -> Any:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("OPENREMAP_")}
        paths = {
            "LD_LIBRARY_PATH": str(self.library),
            "PYTHONPATH": str(leveldb_packages.python_folder(self.packages)),
        }
        command = [sys.executable, str(CLIENT), action, str(database)]
        done = subprocess.run(
            command, env={**inherited, **paths, **variables}, capture_output=True, text=True, timeout=1800, check=False
        )
        require(done.returncode == 0, f"{action} {variables}: exit code {done.returncode}\n{done.stderr[-2000:]}")
        result = json.loads(done.stdout.splitlines()[-1])
        loaded = result["libraries"]
        wanted = str((self.library / "libleveldb.so.1d").resolve())
        require(loaded == [wanted], f"{loaded} is loaded, and not {wanted}")
        return result


def exported(library: Path) -> set[str]:
    command = ["nm", "--dynamic", "--defined-only", "--demangle", str(library / "libleveldb.so.1d")]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    names = {line.split(maxsplit=2)[2] for line in lines}
    return {name for name in names if not name.startswith(INTERNAL)}


def symbols(ours: Path, stock: Path) -> None:
    """What a program may have been linked to is there."""
    lacks = {name for name in exported(stock) - exported(ours) if not name.startswith(HIDDEN)}
    require(not lacks, f"not exported: {', '.join(sorted(lacks))}")
    shown = {name for name in exported(ours) if "TableBuilder" in name}
    require(not shown, f"exported with another layout than stock LevelDB's: {', '.join(sorted(shown))}")
    print(f"{len(exported(ours))} symbols, of {len(exported(stock))} of Debian's all but those of TableBuilder")


def layouts(database: Path) -> list[table_layout.Layout]:
    found = [table_layout.read(path) for path in sorted(database.glob("*.ldb"))]
    require(len(found) > 1, f"{database}: {len(found)} tables")
    return found


def one_mode(mode: Mode, ours: Client, stock: Client, database: Path) -> None:
    variables = {} if mode is Mode.off else {"OPENREMAP_MODE": mode}
    written = ours.run("fill", database, **variables)
    require("error" not in written, f"{mode}: {written}")
    tables = layouts(database)
    require(all(table.on_pages for table in tables) == (mode is not Mode.off), f"{mode}: blocks of tables on pages")
    described = [table.described for table in tables]
    require(
        all(described) if mode in (Mode.skip, Mode.blend) else not any(described),
        f"{mode}: metadata of blocks {described}",
    )
    # The program's own, which takes the place of blend's.
    filters = [[name for name in table.meta_blocks if name.startswith("filter.")] for table in tables]
    require(all(names == ["filter.leveldb.BuiltinBloomFilter2"] for names in filters), f"{mode}: filters {filters}")
    several = sum(not table.stock_magic for table in tables)
    require((several > 0) == (mode is Mode.blend), f"{mode}: {several} tables of several runs")
    copy = database.with_name(f"{mode}-copy")
    shutil.copytree(database, copy)
    read = stock.run("read", copy)
    if mode is Mode.blend:
        require("bad magic number" in read.get("error", ""), f"stock LevelDB does not refuse it: {read}")
        back = database.with_name(f"{mode}-back")
        shutil.copytree(database, back)
        require(ours.run("compact", back).get("digest") == written["digest"], f"{mode}: after a compaction in mode off")
        read = stock.run("read", back)
        require(
            read.get("digest") == written["digest"], f"{mode}: stock LevelDB after a compaction in mode off: {read}"
        )
    else:
        require(read.get("digest") == written["digest"], f"{mode}: stock LevelDB reads something else: {read}")
    for path in (*database.glob("MANIFEST-*"), database / "CURRENT"):
        path.unlink()
    repaired = ours.run("repair", database, **variables)
    require(repaired.get("digest") == written["digest"], f"{mode}: after a repair: {repaired}")
    # Without the variable every mode is read.
    again = ours.run("read", database)
    require(again.get("digest") == written["digest"], f"{mode}: read in mode off: {again}")
    require("error" not in ours.run("destroy", database, **variables), f"{mode}: destroy")
    require(not list(database.glob("*.ldb")), f"{mode}: tables are left after a destroy")
    print(f"{mode}: {len(tables)} tables, {several} of them of several runs")


def value_log(ours: Client, stock: Client, database: Path) -> None:
    """Values in a value log: stock LevelDB refuses the database, a repair keeps it, and so does a later opening."""
    variables = {"OPENREMAP_MODE": Mode.blend, "OPENREMAP_VALUE_LOG": "64"}
    written = ours.run("fill", database, **variables)
    require("error" not in written, f"value log: {written}")
    require(any(database.glob("*.vlog")), "value log: no segment")
    refused = stock.run("read", database).get("error", "")
    require("value log does not match existing comparator" in refused, f"stock LevelDB does not refuse it: {refused}")
    again = ours.run("read", database)
    require(again.get("digest") == written["digest"], f"value log: without the variable: {again}")
    for path in (*database.glob("MANIFEST-*"), database / "CURRENT"):
        path.unlink()
    repaired = ours.run("repair", database, **variables)
    require(repaired.get("digest") == written["digest"], f"value log: after a repair: {repaired}")
    require("error" not in ours.run("destroy", database, **variables), "value log: destroy")
    require(not list(database.glob("*.vlog")), "value log: segments are left after a destroy")


def wrong_variables(ours: Client, database: Path) -> None:
    for name, value, expected in (
        ("OPENREMAP_MODE", "fast", "expected one of off, base, retain, fill, skip, blend"),
        ("OPENREMAP_MODE", "Retain", "expected one of off, base, retain, fill, skip, blend"),
        ("OPENREMAP_FILES", "zfs", "expected plain or reflink"),
        ("OPENREMAP_VALUE_LOG", "4k", "expected a number of bytes"),
    ):
        for action in ("fill", "repair"):
            said = ours.run(action, database, **{name: value}).get("error", "")
            require(f"{name}={value}" in said and expected in said, f"{name}={value} on {action}: {said!r}")
    require(not database.exists() or not list(database.glob("*.ldb")), "a database was made all the same")
    unset = ours.run("fill", database, OPENREMAP_MODE="", OPENREMAP_FILES="plain")
    require("error" not in unset and not any(table.on_pages for table in layouts(database)), f"empty: {unset}")


def everything(ours: Path, packages: Packages, scratch: Path) -> None:
    stock = leveldb_packages.stock_library(packages)
    symbols(ours, stock)
    client = Client(ours, packages)
    for mode in Mode:
        one_mode(mode, client, Client(stock, packages), scratch / mode)
    value_log(client, Client(stock, packages), scratch / "value-log")
    wrong_variables(client, scratch / "wrong")
    # Whatever the folder lies on: without reflinks the same is written.
    over = client.run("fill", scratch / "reflink", OPENREMAP_MODE="skip", OPENREMAP_FILES="reflink")
    require("error" not in over, f"reflink: {over}")
    found = Client(stock, packages).run("read", scratch / "reflink")
    require(found.get("digest") == over["digest"], f"reflink: {found}")


def main() -> None:
    """Command line: the folder of our libleveldb.so.1d."""
    if platform.machine() != "x86_64":
        raise Skipped(f"Debian's plyvel is taken for x86_64, and this machine is {platform.machine()}")
    packages = leveldb_packages.ensure()
    with tempfile.TemporaryDirectory(prefix="openremap-dropin-") as name:
        everything(Path(sys.argv[1]), packages, Path(name))


if __name__ == "__main__":
    sys.exit(single_test.run("dropin_with_plyvel", main))
