# SPDX-License-Identifier: Apache-2.0
"""launcher.env.unpacked_packages: the choice of the mirror, versions, and what is unpacked."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

import pytest

from launcher.env import leveldb_packages, unpacked_packages
from launcher.env.setup import SetupError
from launcher.env.unpacked_packages import Apt, Packages


def test_the_mirror_is_that_of_the_machine() -> None:
    targets = [
        "http://one/debian-security/|bookworm-security|main|Packages|$(SIGNED_BY)",
        "http://two/debian/|bookworm|main|DEP-11|/keys.gpg",
        "http://two/debian/|bookworm|main|Packages|/keys.gpg",
        "http://three/debian/|bookworm|main|Packages|$(SIGNED_BY)",
    ]
    assert unpacked_packages.choose_mirror(targets, "bookworm") == ("http://two/debian/", "/keys.gpg")
    assert unpacked_packages.choose_mirror(targets[3:], "bookworm")[0] == "http://three/debian/"
    with pytest.raises(SetupError, match="Debian mirror"):
        unpacked_packages.choose_mirror(targets[:2], "bookworm")
    with pytest.raises(SetupError, match="Debian mirror"):
        unpacked_packages.choose_mirror([], "")


def test_packages_that_are_too_old_are_refused() -> None:
    unpacked_packages.check_versions({"qemu": "1:11.1.3+ds-1~bpo13+1"}, {"qemu": "1:10.1"})
    with pytest.raises(SetupError, match=r"at least 1:10\.1 is required"):
        unpacked_packages.check_versions({"qemu": "1:10.0.13"}, {"qemu": "1:10.1"})
    with pytest.raises(SetupError, match="did not fetch qemu"):
        unpacked_packages.check_versions({}, {"qemu": "1:10.1"})


@pytest.fixture
def pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pins of one package, on a machine with the test's apt and cache folder."""
    monkeypatch.setenv("OPENREMAP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(unpacked_packages, "mirror", lambda: ("http://mirror/", ""))
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "apt-get").write_text("#!/bin/sh\nexit 0\n")
    (programs / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    pins = tmp_path / "pins.toml"
    pins.write_text('release = "bookworm"\n[packages]\nfile = "1"\n')
    return pins


def archive(folder: Path, version: str) -> Path:
    """Makes a package `file` that contains one file."""
    tree = folder / "tree"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN" / "control").write_text(
        f"Package: file\nVersion: {version}\nArchitecture: all\nMaintainer: a <a@example.org>\nDescription: a\n"
    )
    (tree / "etc").mkdir()
    (tree / "etc" / "file").write_text("a file")
    made = folder / "file.deb"
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", str(tree), str(made)], check=True, capture_output=True)
    return made


def test_packages_are_fetched_once(pins: Path, tmp_path: Path) -> None:
    packages = Packages(unpacked_packages.folder("some", pins))
    fetched: list[str] = []

    def fetch(apt: Apt, wanted: dict[str, object]) -> list[Path]:
        assert (apt.folder / "sources.list").read_text() == "deb http://mirror/ bookworm main\n"
        fetched.append(str(wanted["release"]))
        return [archive(tmp_path, "1.5")]

    finished: list[bool] = []
    for _ in range(2):
        unpacked_packages.ensure(packages, pins, fetch, lambda: finished.append(True))
    assert (fetched, finished) == (["bookworm"], [True])
    assert (packages.root / "etc" / "file").read_text() == "a file"
    assert packages.versions.read_text() == "file 1.5\n"
    assert unpacked_packages.folders("some") == [packages.folder]


def test_an_old_package_leaves_nothing_that_looks_done(pins: Path, tmp_path: Path) -> None:
    packages = Packages(unpacked_packages.folder("some", pins))
    with pytest.raises(SetupError, match="at least 1 is required"):
        unpacked_packages.ensure(packages, pins, lambda _apt, _pins: [archive(tmp_path, "0.5")])
    assert not packages.stamp.exists()


def test_other_machines_are_told(pins: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(SetupError, match="some packages are for x86_64"):
        unpacked_packages.ensure(Packages(unpacked_packages.folder("some", pins)), pins, lambda _apt, _pins: [])


def test_libraries_stand_alone(tmp_path: Path) -> None:
    packages = Packages(tmp_path)
    packages.libraries.mkdir(parents=True)
    for name in ("libleveldb.so.1.23.0", "libc.so.6"):
        (packages.libraries / name).write_text("a library")
    (packages.libraries / "libleveldb.so.1d").symlink_to("libleveldb.so.1.23.0")
    alone = leveldb_packages.stock_library(packages)
    assert sorted(path.name for path in alone.iterdir()) == ["libleveldb.so.1.23.0", "libleveldb.so.1d"]
    assert (alone / "libleveldb.so.1d").read_text() == "a library"
    assert leveldb_packages.stock_library(packages) == alone
