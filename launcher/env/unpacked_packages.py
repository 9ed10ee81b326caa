# SPDX-License-Identifier: Apache-2.0
"""Debian packages that only tests need: unpacked into a folder of the cache, not installed.

apt fetches them with a separate configuration from the mirror that the machine's apt uses. Neither the machine's
packages nor its lists change, and root is not needed. A folder belongs to one file of pins and is named by its digest.
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
    """The folder for the packages in the file `pins`."""
    return setup.cache_folder() / f"{name}-{hashlib.sha256(pins.read_bytes()).hexdigest()[:12]}"


def folders(name: str) -> list[Path]:
    """Every folder of this name in the cache, for all files of pins."""
    return sorted(setup.cache_folder().glob(f"{name}-????????????"))


def ensure(
    packages: Packages,
    pins: Path,
    fetch: Callable[[Apt, dict[str, Any]], list[Path]],
    finish: Callable[[], None] = lambda: None,
) -> None:
    """Fetches and unpacks the packages unless that is done already.

    `fetch` returns the archives to unpack; `finish` is called after they are unpacked.
    """
    if packages.stamp.exists():
        return
    name = packages.folder.name.split("-")[0]
    if platform.machine() != "x86_64":
        raise setup.SetupError(f"the {name} packages are for x86_64; this machine is {platform.machine()}", 2)
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
    """apt with separate lists and archives, and with the state of a machine on which no package is installed."""

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
            # apt's sandbox user cannot write into this folder.
            'APT::Sandbox::User "";\n'
        )

    def download(self, packages: Iterable[str], title: str, log: Path) -> list[Path]:
        """Downloads these packages without their dependencies."""
        place = self.folder / "downloads"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        command = ["sh", "-c", 'cd "$0" && exec apt-get download "$@"', str(place), *packages]
        steps.must(title, command, log, env=self.environment)
        return sorted(place.glob("*.deb"))

    def names(self, prefix: str) -> list[str]:
        """Names of available packages that start with `prefix`."""
        command = ["apt-cache", "pkgnames", prefix]
        done = subprocess.run(command, env={**os.environ, **self.environment}, capture_output=True, check=True)
        return done.stdout.decode().split()


def mirror() -> tuple[str, str]:
    """The Debian mirror of this machine's apt, and the keyring that apt names for it ("" if none)."""
    if shutil.which("apt-get") is None:
        raise setup.SetupError("Debian packages are required, but this machine has no apt", 2)
    form = "$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(CREATED_BY)|$(SIGNED_BY)"
    done = subprocess.run(["apt-get", "indextargets", "--format", form], capture_output=True, text=True, check=False)
    return choose_mirror(done.stdout.splitlines(), platform.freedesktop_os_release().get("VERSION_CODENAME", ""))


def choose_mirror(targets: Iterable[str], codename: str) -> tuple[str, str]:
    """Chooses from apt's index targets the source of the machine's release, without updates and security."""
    for target in targets:
        uri, release, component, created_by, signed_by = target.split("|")
        if (release, component, created_by) == (codename, "main", "Packages"):
            return uri, signed_by if signed_by.startswith("/") else _debian_keyring()
    raise setup.SetupError(
        f"this machine's apt sources name no Debian mirror: `apt-get indextargets` lists no component `main` "
        f"of {codename or 'a Debian release'}",
        2,
    )


def _debian_keyring() -> str:
    """The keyring of Debian's package; "" if it is missing, so that apt uses the keys it trusts by default."""
    keyring = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
    return str(keyring) if keyring.exists() else ""


def _name_and_version(archive: Path) -> tuple[str, str]:
    command = ["dpkg-deb", "-f", str(archive), "Package", "Version"]
    fields = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = dict(line.split(": ", 1) for line in fields.splitlines())
    return found["Package"], found["Version"]


def check_versions(versions: dict[str, str], least: dict[str, str]) -> None:
    """Raises SetupError for a package that is missing or too old."""
    for name, minimum in least.items():
        if name not in versions:
            raise setup.SetupError(f"apt succeeded, but did not fetch {name}")
        compare = ["dpkg", "--compare-versions", versions[name], "ge", minimum]
        if subprocess.run(compare, check=False).returncode != 0:
            raise setup.SetupError(f"the mirror has {name} {versions[name]}; at least {minimum} is required")
