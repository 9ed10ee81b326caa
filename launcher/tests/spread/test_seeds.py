# SPDX-License-Identifier: Apache-2.0
"""A program with several seeds: what is printed, in which order, the last line, and the exit code."""

import os
import threading
from pathlib import Path

import pytest

from launcher.bench.bench_options import OptionError
from launcher.env.paths import ROOT
from launcher.spread import seeds
from launcher.spread.cluster import Where
from launcher.spread.seeds import Ran, Seeds
from launcher.spread.work import Again
from launcher.tests.spread import calls


def script(folder: Path, text: str) -> Path:
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


FIND = """
echo "progress" >&2
if [ $1 = 3 ]; then
  echo "10 cuts, 2 violations, see $2"; echo "commands of $1" > $2; echo "10 cuts, 2 violations"; exit 1
fi
[ $1 = 1 ] && sleep 0.5
echo "$1$1 cuts, 0 violations"
"""


def run(program: Path, chosen: Seeds, found: Path) -> int:
    return seeds.run(
        "program", lambda seed: [str(seed), str(found)], chosen, seeds.sums("{} cuts, {} violations"), found, program
    )


def test_all_are_told_in_order_and_summed_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = tmp_path / "reports" / "found.txt"
    assert run(script(tmp_path, FIND), Seeds(1, 4, Where(jobs=2)), found) == 1
    out = capsys.readouterr().out
    kept = tmp_path / "reports" / "found-3.txt"
    assert out.splitlines() == [
        "seed 1:",
        "11 cuts, 0 violations",
        "seed 2:",
        "22 cuts, 0 violations",
        "seed 3:",
        f"10 cuts, 2 violations, see {kept}",
        "10 cuts, 2 violations",
        "seed 4:",
        "44 cuts, 0 violations",
        "87 cuts, 2 violations",
    ]
    assert kept.read_text() == "commands of 3\n" and [path.name for path in kept.parent.iterdir()] == [kept.name]


def test_without_findings_it_ends_with_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(script(tmp_path, FIND), Seeds(4, 2, Where(jobs=2)), tmp_path / "found.txt") == 0
    assert capsys.readouterr().out.endswith("99 cuts, 0 violations\n")


def test_workers_of_a_scheduler_say_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], two_workers: calls.Cluster
) -> None:
    program, found = script(tmp_path, FIND), tmp_path / "reports" / "found.txt"
    run(program, Seeds(1, 4, Where(jobs=1)), found)
    here = capsys.readouterr().out
    assert run(program, Seeds(1, 4, two_workers.where), found) == 1
    assert capsys.readouterr().out == here


def test_a_program_that_fails_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = script(tmp_path, 'if [ $1 = 2 ]; then echo "wrong option" >&2; exit 2; fi\necho "5 cuts, 0 violations"')
    assert run(program, Seeds(1, 2, Where(jobs=1)), tmp_path / "found.txt") == 2
    out = capsys.readouterr().out
    assert "seed 2: (exit code 2)\nwrong option\n" in out
    assert out.endswith("1 of 2 seeds failed\n5 cuts, 0 violations\n")


@pytest.mark.parametrize("signal", ["KILL", "TERM", "HUP", "INT"])  # the last: Ctrl-C at a worker's terminal
def test_a_program_that_is_killed_is_worth_another_try(tmp_path: Path, signal: str) -> None:
    command = f"kill -{signal} $$; sleep {calls.SECONDS}"
    if signal != "KILL":  # whoever runs the tests may ignore the others
        command = f"exec env --default-signal={signal} sh -c '{command}'"
    killed = script(tmp_path, command)
    with pytest.raises(Again, match=f"killed by SIG{signal}"):
        seeds.run_program(str(killed), (), threading.Event())


def test_a_program_that_aborts_is_not(tmp_path: Path) -> None:
    aborted = script(tmp_path, "kill -6 $$")
    assert seeds.run_program(str(aborted), (), threading.Event()).code == -6


def test_a_program_ends_once_it_is_not_wanted(tmp_path: Path) -> None:
    stop = threading.Event()
    program = script(tmp_path, f"echo $$ > {tmp_path}/pid; exec sleep {calls.SECONDS}")
    pid = tmp_path / "pid"

    def end() -> None:
        calls.until(lambda: pid.is_file() and pid.read_text().strip(), "it runs")
        stop.set()

    threading.Thread(target=end, daemon=True).start()
    with pytest.raises(Again):
        seeds.run_program(str(program), (), stop)
    assert calls.has_ended(int(pid.read_text()))


def test_paths_of_the_tree_are_the_workers(tmp_path: Path) -> None:
    there = seeds._there(str(ROOT / "verify" / "one.txt"), tmp_path)
    assert there == "{ROOT}/verify/one.txt" and seeds._there(str(tmp_path), tmp_path) == "{FILE}"
    echo = seeds.run_program("/bin/echo", (there,), threading.Event())
    assert echo == Ran(0, f"{ROOT}/verify/one.txt\n") and os.sep in echo.output


def test_numbers_of_seeds() -> None:
    assert Seeds(5, 1, Where()).alone and not Seeds(5, 2, Where()).alone
    assert not Seeds(5, 1, Where(scheduler="tcp://127.0.0.1:1")).alone and list(Seeds(5, 2, Where()).all) == [5, 6]
    with pytest.raises(OptionError, match="--seeds: 0"):
        Seeds(1, 0, Where()).check()
    with pytest.raises(OptionError, match=r"--seeds: .* and 1 more are beyond"):
        Seeds(2**64 - 1, 2, Where()).check()
    Seeds(2**64 - 2, 2, Where()).check()


def test_last_lines() -> None:
    assert seeds.findings([Ran(0, ""), Ran(1, "")]) == "2 seeds, 1 with findings"
    assert seeds.findings([Ran(0, ""), Ran(-6, ""), Ran(2, "")]) == "3 seeds, 0 with findings, 2 failed"
    assert seeds.sums("{} a")([Ran(1, "")]) == "1 of 1 seeds failed\n0 a"
