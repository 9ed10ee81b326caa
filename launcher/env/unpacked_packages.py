# SPDX-License-Identifier: Apache-2.0
"""Debian packages, unpacked into a folder of the cache and not installed: what a test needs and a build does not.

apt fetches them by a configuration of its own, from the mirror that the machine's apt uses; neither the machine's packages
nor its lists are touched, and no root is needed. A folder belongs to one file of pins, and is named after what is in it.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from launcher.env import setup, steps

LIBRARIES = "usr/lib/x86_64-linux-gnu"


@dataclass(frozen=True)
class Packages:
    """The folder of one set of packages."""

    folder: Path

    @property
    def root(self) -> Path:
        """Where the packages are unpacked."""
        return self.folder / "root"

    @property
    def libraries(self) -> Path:
        return self.root / LIBRARIES

    @property
    def stamp(self) -> Path:
        return self.folder / "done"

    @property
    def versions(self) -> Path:
        return self.folder / "versions.txt"

    @property
    def logs(self) -> Path:
        return self.folder / "logs"


def folder(name: str, pins: Path) -> Path:
    """Where the packages that the pins ask for are kept."""
    return setup.cache_folder() / f"{name}-{hashlib.sha256(pins.read_bytes()).hexdigest()[:12]}"


def folders(name: str) -> list[Path]:
    """Every such folder that was ever made."""
    return sorted(setup.cache_folder().glob(f"{name}-????????????"))


def ensure(
    packages: Packages,
    pins: Path,
    fetch: Callable[[Apt, dict[str, Any]], list[Path]],
    finish: Callable[[], None] = lambda: None,
) -> None:
    """Fetches and unpacks what is not there yet. `fetch` returns the archives that belong into the folder; `finish` is called
    when they are unpacked."""
    if packages.stamp.exists():
        return
    name = packages.folder.name.split("-")[0]
    if platform.machine() != "x86_64":
        raise setup.SetupError(f"the {name} packages are for x86_64, and this machine is {platform.machine()}", 2)
    with setup.exclusively(packages.folder):
        if packages.stamp.exists():
            return
        wanted = tomllib.loads(pins.read_text())
        apt = Apt(packages.folder / "apt")
        uri, keyring = mirror()
        apt.configure(uri, keyring, [wanted[suite] for suite in ("release", "backports") if suite in wanted])
        title = f"{name}: packages of Debian {wanted['release']}: lists"
        steps.must(title, ["apt-get", "update"], packages.logs / "update.log", env=apt.environment)
        archives = fetch(apt, wanted)
        versions = {name: version for archive in archives for name, version in [_name_and_version(archive)]}
        check_versions(versions, wanted["packages"])
        shutil.rmtree(packages.root, ignore_errors=True)
        packages.root.mkdir()
        unpack = 'for archive do dpkg-deb -x "$archive" "$0" || exit 1; done'
        command = ["sh", "-c", unpack, str(packages.root), *map(str, archives)]
        steps.must(f"{name}: unpack {len(archives)} packages", command, packages.logs / "unpack.log")
        packages.versions.write_text("".join(f"{name} {version}\n" for name, version in sorted(versions.items())))
        finish()
        shutil.rmtree(apt.folder)
        packages.stamp.write_text("")


# ---------------------------------------------------------------- apt


@dataclass(frozen=True)
class Apt:
    """apt with lists and archives in a folder of its own, for a machine on which nothing is installed."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        return {"APT_CONFIG": str(self.folder / "apt.conf"), "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}

    @property
    def archives(self) -> Path:
        return self.folder / "cache" / "archives"

    def configure(self, uri: str, keyring: str, suites: Iterable[str]) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "state" / "lists" / "partial").mkdir(parents=True)
        (self.archives / "partial").mkdir(parents=True)
        (self.folder / "status").write_text("")
        signed = f" [signed-by={keyring}]" if keyring else ""
        (self.folder / "sources.list").write_text("".join(f"deb{signed} {uri} {suite} main\n" for suite in suites))
        (self.folder / "apt.conf").write_text(
            f'Dir::State "{self.folder / "state"}";\n'
            f'Dir::State::status "{self.folder / "status"}";\n'
            f'Dir::Cache "{self.folder / "cache"}";\n'
            f'Dir::Etc::sourcelist "{self.folder / "sources.list"}";\n'
            'Dir::Etc::sourceparts "-";\n'
            'Dir::Etc::preferencesparts "-";\n'
            # Its own user cannot write into a folder of ours.
            'APT::Sandbox::User "";\n'
        )

    def download(self, packages: Iterable[str], title: str, log: Path) -> list[Path]:
        """These packages alone, without what they depend on."""
        place = self.folder / "downloads"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        command = ["sh", "-c", 'cd "$0" && exec apt-get download "$@"', str(place), *packages]
        steps.must(title, command, log, env=self.environment)
        return sorted(place.glob("*.deb"))

    def names(self, prefix: str) -> list[str]:
        """Packages that there are."""
        command = ["apt-cache", "pkgnames", prefix]
        done = subprocess.run(command, env={**os.environ, **self.environment}, capture_output=True, check=True)
        return done.stdout.decode().split()


def mirror() -> tuple[str, str]:
    """Where this machine's apt gets Debian itself from, and the keyring that it names for that (or nothing)."""
    if shutil.which("apt-get") is None:
        raise setup.SetupError("these tools are Debian packages, and this machine has no apt", 2)
    form = "$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(CREATED_BY)|$(SIGNED_BY)"
    done = subprocess.run(["apt-get", "indextargets", "--format", form], capture_output=True, text=True, check=False)
    return choose_mirror(done.stdout.splitlines(), platform.freedesktop_os_release().get("VERSION_CODENAME", ""))


def choose_mirror(targets: Iterable[str], codename: str) -> tuple[str, str]:
    """Of what apt lists: the source of the release that the machine runs, updates and security excepted."""
    for target in targets:
        uri, release, component, created_by, signed_by = target.split("|")
        if (release, component, created_by) == (codename, "main", "Packages"):
            return uri, signed_by if signed_by.startswith("/") else _debian_keyring()
    raise setup.SetupError(
        f"packages come from a Debian mirror, but apt's sources on this machine have none: no component `main` "
        f"of {codename or 'a Debian release'} in `apt-get indextargets`",
        2,
    )


def _debian_keyring() -> str:
    """Debian's keys, where its package has them; else apt uses those that it trusts anyway."""
    keyring = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
    return str(keyring) if keyring.exists() else ""


def _name_and_version(archive: Path) -> tuple[str, str]:
    command = ["dpkg-deb", "-f", str(archive), "Package", "Version"]
    fields = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = dict(line.split(": ", 1) for line in fields.splitlines())
    return found["Package"], found["Version"]


def check_versions(versions: dict[str, str], least: dict[str, str]) -> None:
    """SetupError for a package that is too old, or not there."""
    for name, minimum in least.items():
        if name not in versions:
            raise setup.SetupError(f"apt succeeded but did not download {name}")
        compare = ["dpkg", "--compare-versions", versions[name], "ge", minimum]
        if subprocess.run(compare, check=False).returncode != 0:
            raise setup.SetupError(f"the mirror has {name} {versions[name]}, but {minimum} or later is needed")
