# SPDX-License-Identifier: Apache-2.0
"""Work on a cluster: all of it done once, workers that are lost, programs that are killed, and an interrupt."""

import queue
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from launcher.env.paths import ROOT
from launcher.spread import cluster as cluster_module
from launcher.spread import spreading
from launcher.spread import work as work_module
from launcher.spread.cluster import SpreadFailed, Where
from launcher.spread.spreading import spread
from launcher.spread.work import ATTEMPTS, Outcome, Work
from launcher.tests.spread import calls

LOCAL = Where(jobs=2)


def work(name: str, call: Callable[..., Any], *arguments: Any) -> Work:
    return Work(name, name, call, arguments)


def done(works: list[Work], where: Where = LOCAL) -> tuple[dict[str, Outcome], list[str]]:
    """Outcomes by name, and what was said."""
    outcomes: dict[str, Outcome] = {}
    said: list[str] = []

    def keep(work: Work, outcome: Outcome) -> None:
        assert work.name not in outcomes
        outcomes[work.name] = outcome

    with spread(where, (), said.append) as cluster:
        cluster.run(works, keep)
    return outcomes, said


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with calls.scheduler() as found:
        yield found


def test_all_is_done_here() -> None:
    outcomes, said = done([work(str(number), calls.double, number) for number in range(20)])
    assert {name: outcome.value for name, outcome in outcomes.items()} == {str(n): 2 * n for n in range(20)}
    assert said == []


def test_an_error_is_an_outcome() -> None:
    outcomes, said = done([work("bad", calls.fail), work("good", calls.double, 4)])
    assert isinstance(outcomes["bad"].error, ValueError) and outcomes["good"].value == 8 and said == []


def test_a_machine_without_room_gets_nothing_more(tmp_path: Path, two_workers: calls.Cluster) -> None:
    """Its works go to others. Here, and where no worker is left, nothing can go on."""
    works = [work(str(number), calls.full, tmp_path / "first") for number in range(6)]
    outcomes, said = done(works, two_workers.where)
    assert {outcome.value for outcome in outcomes.values()} == {"done"}
    (dismissed,) = [line for line in said if "is not used any more" in line]
    assert re.fullmatch(r"worker tcp://\S+ is not used any more: .*No space left on device", dismissed)
    with pytest.raises(SpreadFailed, match=r"(?s)worker tcp://\S+: .*No space left.*worker tcp://\S+: .*No space left"):
        done([work("bad", calls.full, None)], two_workers.where)
    outcomes, said = done([work("bad", calls.full, None)])
    assert isinstance(outcomes["bad"].error, OSError) and said == []


def test_a_killed_program_is_run_again_but_not_for_ever(tmp_path: Path) -> None:
    outcomes, said = done([work("a run", calls.killed, tmp_path / "a", 2), work("b", calls.killed, tmp_path / "b", 99)])
    assert outcomes["a run"].value == "done" and (tmp_path / "a").read_text() == "xx"
    assert "a run: killed by SIGKILL; it is tried again" in said
    assert str(outcomes["b"].error) == f"b: killed by SIGKILL, {ATTEMPTS} times"
    assert len((tmp_path / "b").read_text()) == ATTEMPTS == 3


def test_an_interrupt_ends_the_programs_and_keeps_what_is_done(tmp_path: Path) -> None:
    finished: list[str] = []

    def interrupt(work: Work, outcome: Outcome) -> None:
        finished.append(work.name)
        calls.until(lambda: list(tmp_path.iterdir()), "the other one is under way")
        raise KeyboardInterrupt

    works = [work("first", calls.double, 1), work("long", calls.program, tmp_path, None), work("late", calls.double, 2)]
    with pytest.raises(KeyboardInterrupt), spread(LOCAL, (), lambda _: None) as cluster:
        cluster.run(works, interrupt)
    assert finished == ["first"]
    (started,) = tmp_path.iterdir()
    calls.until(lambda: calls.has_ended(int(started.name.split("-")[1])), "its program ends")


def test_works_of_a_lost_worker_are_done_by_another_one(tmp_path: Path, address: str) -> None:
    started, gate = tmp_path / "started", tmp_path / "gate"
    started.mkdir()
    with calls.worker(address) as one, calls.worker(address) as other:

        def kill_one() -> None:
            calls.until(lambda: len(list(started.iterdir())) == 2, "both are at work")
            one.kill()
            one.wait()
            gate.touch()  # the other one, which has one slot, goes on

        killer = threading.Thread(target=kill_one, daemon=True)
        killer.start()
        outcomes, said = done([work(str(n), calls.program, started, gate) for n in range(3)], Where(scheduler=address))
        killer.join(calls.SECONDS)
    assert {outcome.value for outcome in outcomes.values()} == {"ended"} and len(outcomes) == 3
    assert len([line for line in said if "was lost; it is tried again" in line]) == 1
    by = [tuple(map(int, path.name.split("-"))) for path in started.iterdir()]
    assert sorted(worker for worker, _ in by) == sorted([one.pid, *[other.pid] * 3])
    orphan = next(child for worker, child in by if worker == one.pid)
    calls.until(lambda: calls.has_ended(orphan), "the lost worker's program ends, too")


def test_a_command_that_is_killed_leaves_no_program_at_a_worker(tmp_path: Path, two_workers: calls.Cluster) -> None:
    where = two_workers.where
    script = (
        "import sys; from pathlib import Path; from launcher.tests.spread import calls; "
        "from launcher.tests.spread.test_spreading import done, work, Where; "
        f"done([work('long', calls.program, Path({str(tmp_path)!r}), None)], Where(scheduler={where.scheduler!r}))"
    )
    command = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT)
    calls.until(lambda: list(tmp_path.iterdir()), "the work is begun")
    command.kill()
    command.wait()
    (started,) = tmp_path.iterdir()
    calls.until(lambda: calls.has_ended(int(started.name.split("-")[1])), "the scheduler gives it up")


def test_works_of_two_commands_are_two_although_their_keys_are_the_same(
    tmp_path: Path, two_workers: calls.Cluster
) -> None:
    started, gate = tmp_path / "started", tmp_path / "gate"
    started.mkdir()
    outcomes: list[tuple[dict[str, Outcome], list[str]]] = []
    seeds = ("seed 1", "seed 2")  # for the slots of both workers

    def hold() -> None:
        outcomes.append(done([work(name, calls.program, started, gate) for name in seeds], two_workers.where))

    first = threading.Thread(target=hold, daemon=True)
    first.start()
    calls.until(lambda: len(list(started.iterdir())) == 2, "the first command's are under way")

    with spread(two_workers.where, (), print) as other:
        going: dict[str, Any] = {}
        other._submit([work(name, calls.double, 4) for name in seeds], going, queue.SimpleQueue())
        assert len(going) == 2
        gate.touch()  # only now are the workers' slots free
        assert [one.future.result(calls.SECONDS).value for one in going.values()] == [8, 8]
    first.join(calls.SECONDS)
    assert [outcomes[0][0][name].value for name in seeds] == ["ended"] * 2 and outcomes[0][1] == []


@pytest.mark.parametrize(("gone", "connect"), [(1.0, 15), (60.0, 1)], ids=["this gives up first", "Dask does"])
def test_a_scheduler_that_ends_is_told_and_its_workers_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: float, connect: int
) -> None:
    monkeypatch.setattr(spreading, "GONE_SECONDS", gone)
    monkeypatch.setattr(cluster_module, "CONNECT_SECONDS", connect)
    finished: list[str] = []
    said: list[str] = []
    with calls.process("scheduler") as scheduler, calls.worker(own := scheduler.address) as worker:

        def kill() -> None:
            calls.until(lambda: list(tmp_path.iterdir()), "the second one is under way")
            scheduler.kill()

        threading.Thread(target=kill, daemon=True).start()
        works = [work("first", calls.double, 1), work("long", calls.program, tmp_path, None)]
        with (
            pytest.raises(SpreadFailed, match=f"^the scheduler {own} does not answer any more$"),
            spread(Where(scheduler=own), (), said.append) as cluster,
        ):
            cluster.run(works, lambda work, _: finished.append(work.name))
        assert finished == ["first"] and not [line for line in said if "its worker" in line]
        worker.wait(calls.SECONDS)
    (started,) = tmp_path.iterdir()
    calls.until(lambda: calls.has_ended(int(started.name.split("-")[1])), "its program ends, too")


def test_each_look_sees_the_workers() -> None:
    """Dask's client asks for itself, too, and keeps an answer without workers."""
    said: list[str] = []
    over = threading.Event()
    with spread(LOCAL, (), said.append) as cluster:

        def ask() -> None:
            while not over.is_set():
                cluster._client.sync(cluster._client._update_scheduler_info)

        other = threading.Thread(target=ask, daemon=True)
        other.start()
        for _ in range(500):
            cluster._looked = -1.0
            assert cluster.slots == 2
        over.set()
        other.join()
    assert said == []


def test_workers_of_another_build_are_refused(
    tmp_path: Path, two_workers: calls.Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ours" / "bin").mkdir(parents=True)
    (tmp_path / "ours" / "bin" / "program").write_text("one")
    monkeypatch.setattr(work_module, "RELEASE", tmp_path / "ours")
    with pytest.raises(SpreadFailed) as refused, spread(two_workers.where, ("program",), lambda _: None):
        pass
    lines = str(refused.value).splitlines()
    assert len(lines) == 2 and {line.split()[1].rstrip(":") for line in lines} == {
        worker.address for worker in two_workers.workers
    }
    for line in lines:
        assert "it has another build (program: " in line and " here, not built there" in line


def test_without_workers_it_says_so(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("launcher.spread.spreading.FIRST_SECONDS", 0.1)
    with pytest.raises(SpreadFailed, match="no worker came to tcp://127"), spread(Where(scheduler=address), (), print):
        pass
