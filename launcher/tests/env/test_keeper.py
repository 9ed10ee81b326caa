# SPDX-License-Identifier: Apache-2.0
"""launcher.env.keeper: no process outlives the command that started it, however the command ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from launcher.env import keeper, setup
from launcher.env.paths import ROOT

SECONDS = 120  # until a process must have started or ended; takes a second on an idle machine

# A child that starts a grandchild in a session of its own; the grandchild ignores polite signals. Their PIDs go to
# files in the folder argv[1].
_FAMILY = """
import os, signal, subprocess, sys, time
def note(name, pid):
    with open(f"{sys.argv[1]}/{name}.new", "w") as out:
        out.write(str(pid))
    os.rename(f"{sys.argv[1]}/{name}.new", f"{sys.argv[1]}/{name}")
deaf = ("import signal, time; [signal.signal(s, signal.SIG_IGN) for s in (signal.SIGTERM, signal.SIGHUP)];"
        "print(flush=True); time.sleep(600)")
grandchild = subprocess.Popen([sys.executable, "-c", deaf], start_new_session=True, stdout=subprocess.PIPE)
grandchild.stdout.readline()
note("grandchild", grandchild.pid)
note("child", os.getpid())
time.sleep(600)
"""

# How commands of the launcher start programs; `family` is the command line of the program above.
_STARTS = {
    "steps.run": "steps.run('work', family, folder / 'log')",
    "subprocess.run": "subprocess.run(family)",
    "formal": "formal.Runner(600, threading.Event()).run('work', family, folder, folder / 'log')",
    "bench": """
options = bench_options.BenchOptions()
bench.run_one(options, options.modes[0], family, folder, print, threading.Event())""",
    "crash": """
program = folder / 'program'
program.write_text('#!/bin/sh\\nexec ' + shlex.join(family) + '\\n')
program.chmod(0o755)
crash.run(crash.Options(), program)""",
    "set-up": """
env = setup.Environment(folder)
env.logs.mkdir()
setup._step(env, 'work', family)""",
    "guest, device": """
guest_machine.device_command = lambda options, socket: family
guest_machine.Machine(guest_machine.Options(), None, folder).start()""",
    "guest, QEMU": """
guest_machine.device_command = lambda options, socket: ['sh', '-c', f'touch {socket}; exec sleep 600']
guest_machine.qemu_command = lambda *_: family
guest_machine.guest_image.base = lambda packages: folder / 'empty'
(folder / 'empty').touch()
guest_machine.Machine(guest_machine.Options(), None, folder).start()""",
    "cleared environment": "subprocess.run(family, env={})",
    "env -i": "subprocess.run(['sh', '-c', '\"$@\" & wait', 'sh', 'env', '-i', *family])",
    "pool": "with ThreadPoolExecutor(1) as pool: pool.submit(subprocess.run, family).result()",
}
_COMMAND = """
import os, shlex, subprocess, sys, threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from launcher.bench import bench, bench_options
from launcher.env import keeper, setup, steps
from launcher.guest import guest_machine
from launcher.hw import formal
from launcher.suites import crash
folder = Path(sys.argv[1])
family = [sys.executable, "-c", sys.argv[2], sys.argv[1]]
keeper.keep()
"""


def start(code: str, folder: Path) -> subprocess.Popen[bytes]:
    """Starts a process that is kept, and runs `code` to start the family."""
    command = [sys.executable, "-c", _COMMAND + code, str(folder), _FAMILY]
    # What a killed command leaves in its folder of temporary files goes with the test's folder.
    return subprocess.Popen(command, cwd=ROOT, env=os.environ | {"TMPDIR": str(folder)}, start_new_session=True)


def wait_for(condition: Callable[[], bool], what: str) -> None:
    give_up = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < give_up, what
        time.sleep(0.02)


def family(folder: Path) -> list[int]:
    """PIDs of the child and the grandchild, when they have started."""
    wait_for((folder / "child").exists, "the child did not start")
    return [int((folder / name).read_text()) for name in ("child", "grandchild")]


def let_keeper_look(pid: int) -> None:
    """Waits until the keeper of the process has looked for its descendants once more."""
    children = Path(f"/proc/{pid}/task/{pid}/children")

    def keepers() -> list[str]:
        return [c for c in children.read_text().split() if keeper.__file__ in Path(f"/proc/{c}/cmdline").read_text()]

    def sleeps() -> int:
        status = Path(f"/proc/{keepers()[0]}/status").read_text()
        return int(status.partition("\nvoluntary_ctxt_switches:")[2].split()[0])

    wait_for(lambda: keepers() != [], "there is no keeper")
    first = sleeps()
    wait_for(lambda: sleeps() >= first + 3, "the keeper does not look")


def runs(pid: int) -> bool:
    """Whether the process runs. A zombie has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def end(command: subprocess.Popen[bytes], how: signal.Signals) -> None:
    command.send_signal(how)
    command.wait()


def must_end(pids: list[int]) -> None:
    for pid in pids:
        wait_for(lambda pid=pid: not runs(pid), f"process {pid} runs on")  # type: ignore[misc]


@pytest.mark.parametrize("way", _STARTS)
def test_a_killed_command_leaves_nothing(way: str, tmp_path: Path) -> None:
    command = start(_STARTS[way], tmp_path)
    pids = family(tmp_path)
    assert all(map(runs, pids))
    let_keeper_look(command.pid)
    end(command, signal.SIGKILL)
    must_end(pids)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGABRT])
def test_other_ends_leave_nothing(how: signal.Signals, tmp_path: Path) -> None:
    command = start(_STARTS["subprocess.run"], tmp_path)
    pids = family(tmp_path)
    end(command, how)
    must_end(pids)


def test_a_normal_end_leaves_nothing(tmp_path: Path) -> None:
    code = "subprocess.Popen(family)\nwhile not (folder / 'child').exists(): pass"
    command = start(code, tmp_path)
    assert command.wait() == 0
    must_end(family(tmp_path))


def test_a_killed_process_group_leaves_nothing(tmp_path: Path) -> None:
    command = start(_STARTS["steps.run"], tmp_path)
    pids = family(tmp_path)
    os.killpg(command.pid, signal.SIGKILL)
    command.wait()
    must_end(pids)


def test_a_process_that_replaces_its_program_stays_kept(tmp_path: Path) -> None:
    # As ./openremap does at its start. The keeper must neither end the new program nor be started twice.
    again = _COMMAND + "subprocess.run(family)"
    command = start(f"os.execv(sys.executable, [sys.executable, '-c', {again!r}, *sys.argv[1:]])", tmp_path)
    pids = family(tmp_path)
    children = Path(f"/proc/{command.pid}/task/{command.pid}/children").read_text().split()
    assert len(children) == 2  # keeper and child
    end(command, signal.SIGKILL)
    must_end(pids)


def test_a_kept_command_in_a_kept_command(tmp_path: Path) -> None:
    inner = _COMMAND + "subprocess.run(family)"
    command = start(f"subprocess.run([sys.executable, '-c', {inner!r}, *sys.argv[1:]])", tmp_path)
    pids = family(tmp_path)
    inner_pid = int(Path(f"/proc/{pids[0]}/stat").read_text().rpartition(")")[2].split()[1])
    end(command, signal.SIGKILL)
    must_end([*pids, inner_pid])


def test_a_family_outlives_its_links(tmp_path: Path) -> None:
    # Without an environment, and with a parent that ends: what was seen stays known, and so do its children.
    code = "import subprocess, sys; p = subprocess.Popen(sys.argv[1:], env={}); print(flush=True); input()"
    parent = subprocess.Popen(
        [sys.executable, "-c", code, sys.executable, "-c", _FAMILY, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,  # the family holds it open
    )
    pids = family(tmp_path)
    relatives = keeper.Family(parent.pid)
    try:
        assert set(pids) <= set(relatives.look())
        parent.communicate(b"\n")
        relatives.forget_ancestor()
        assert set(pids) == set(relatives.look())
        os.kill(pids[0], signal.SIGKILL)
        wait_for(lambda: not runs(pids[0]), "the child runs on")
        assert pids[1] in relatives.look()
    finally:
        for pid in pids:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not [pid for pid in relatives.look() if runs(pid)], "the family is not forgotten")


def test_strangers_live_on(tmp_path: Path) -> None:
    stranger = subprocess.Popen(["sleep", "600"])
    other = start("subprocess.run(['sleep', '600'])", tmp_path)
    try:
        command = start(_STARTS["subprocess.run"], tmp_path)
        pids = family(tmp_path)
        end(command, signal.SIGKILL)
        must_end(pids)
        assert runs(stranger.pid) and runs(other.pid)
    finally:
        for process in (stranger, other):
            end(process, signal.SIGKILL)


def test_the_launcher_keeps_its_processes(tmp_path: Path) -> None:
    if not setup.environment().stamp("tools").exists():
        pytest.skip("the tools are not set up")
    # The suite `python` runs pytest, which collects for seconds, in processes of its own.
    command = subprocess.Popen(
        [sys.executable, str(ROOT / "openremap"), "test", "python", "-k", "no case has this name"],
        env=os.environ | {"OPENREMAP_BUILD_DIR": str(tmp_path)},
        stderr=subprocess.DEVNULL,
    )
    name = keeper._name(command.pid)
    assert name is not None
    wait_for(lambda: len(keeper._kept(name)) > 0, "nothing was started")
    pids = keeper._kept(name)
    end(command, signal.SIGKILL)
    must_end(pids)
    wait_for(lambda: not keeper._kept(name), "processes are left")
