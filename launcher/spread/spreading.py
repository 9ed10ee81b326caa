# SPDX-License-Identifier: Apache-2.0
"""Has works done by the workers of a cluster: each by one with room for it, and again where a worker was lost."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from launcher.bench import bench
from launcher.spread import cluster
from launcher.spread.cluster import SpreadFailed, Where
from launcher.spread.places import Place, Places
from launcher.spread.work import ATTEMPTS, Again, Outcome, Work, Worker, build, differences, introduce, perform

if TYPE_CHECKING:
    from distributed import Client, Future

LOOK_SECONDS = 1.0  # between looks at the scheduler's workers
GONE_SECONDS = 30.0  # without an answer of the scheduler, after which it is gone
FIRST_SECONDS = 30.0  # for the first worker to come up
RESULT_SECONDS = 60.0  # for a result of a task that has ended

OnDone = Callable[[Work, Outcome], None]


@dataclass
class _Going:
    work: Work
    place: str
    process: str  # a worker that comes back at the same address is another one
    future: Future


class Spread:
    """Work on a cluster. Not for several threads."""

    def __init__(self, client: Client, where: Where, programs: tuple[str, ...], say: Callable[[str], None]) -> None:
        self._client = client
        self._where = where
        self._programs = programs
        self._say = say
        # In the names of tasks: those of other commands at the same scheduler are others, also where their works have
        # the same keys. Dask would have one of both done, for either, and end it for either.
        self._own = uuid.uuid4().hex
        self._submitted = 0
        self._places = Places()
        self._known: dict[str, str] = {}  # address of a worker, and which process it is
        self._refused: dict[str, str] = {}  # and why
        self._looked = -LOOK_SECONDS
        self._answered = time.monotonic()
        self._lonely: bool | None = None  # None: not known yet
        if where.scheduler:
            self._build = build(programs)
            self._await_workers()

    @property
    def slots(self) -> int:
        """How much goes side by side, now."""
        self._look()
        return self._places.slots

    def run(self, works: Sequence[Work], on_done: OnDone) -> None:
        """Does all of them, the first ones first, and calls `on_done` after each in this thread.

        What `on_done` raises ends the others, as an interrupt does.
        """
        left = list(works)
        attempts: dict[str, int] = {}
        going: dict[str, _Going] = {}
        ended: queue.SimpleQueue[str] = queue.SimpleQueue()

        def again(work: Work, why: str) -> None:
            """Puts it back to the front, or gives it up."""
            attempts[work.key] = attempts.get(work.key, 0) + 1
            if attempts[work.key] >= ATTEMPTS:
                on_done(work, Outcome(error=SpreadFailed(f"{work.name}: {why}, {ATTEMPTS} times")))
            else:
                self._say(f"{work.name}: {why}; it is tried again")
                left.insert(0, work)

        try:
            while left or going:
                self._look()
                for key in [key for key, one in going.items() if self._known.get(one.place) != one.process]:
                    lost = going.pop(key)
                    with contextlib.suppress(Exception):  # of a client without a scheduler, among others
                        lost.future.cancel()
                    again(lost.work, f"its worker {lost.place} was lost")
                self._submit(left, going, ended)
                with contextlib.suppress(queue.Empty):
                    one = going.pop(ended.get(timeout=0.2), None)
                    if one is not None:
                        self._finish(one, left, on_done, again)
        finally:
            futures = [one.future for one in going.values()]
            if futures:
                with contextlib.suppress(Exception):  # what ended the works is told, not this
                    self._client.cancel(futures, force=True)

    @property
    def _connected(self) -> bool:
        return bool(self._client.status == "running")

    def _submit(self, left: list[Work], going: dict[str, _Going], ended: queue.SimpleQueue[str]) -> None:
        while self._connected and (taken := self._places.take(left)) is not None:
            work, place = taken
            left.remove(work)
            self._submitted += 1
            key = f"{work.key}-{self._own}-{self._submitted}"
            future = self._client.submit(
                perform, work.call, work.arguments, key=key, workers=[place], pure=False, retries=0
            )
            going[key] = _Going(work, place, self._known[place], future)
            future.add_done_callback(lambda future: ended.put(future.key))

    def _finish(self, one: _Going, left: list[Work], on_done: OnDone, again: Callable[[Work, str], None]) -> None:
        self._places.give_back(one.work, one.place)
        try:
            outcome = one.future.result(timeout=RESULT_SECONDS)
        except (
            Exception,
            asyncio.CancelledError,
        ) as error:  # of Dask: its worker ended with the result, or could not call the function
            if not self._connected:  # Dask gives up all tasks then: it is no worker's fault
                left.insert(0, one.work)
                return
            again(one.work, f"its worker {one.place} failed ({cluster.first_line(error)})")
            return
        finally:
            one.future.release()
        if isinstance(outcome.error, OSError) and self._where.scheduler:
            self._dismiss(one.place, cluster.first_line(outcome.error))
            again(one.work, f"its worker {one.place} failed")
        elif isinstance(outcome.error, Again):
            again(one.work, cluster.first_line(outcome.error).rstrip(":"))
        else:
            on_done(one.work, outcome)

    # ---------------------------------------------------------------- workers

    def _look(self) -> None:
        """Forgets workers that went, and takes in those that came."""
        if time.monotonic() - self._looked < LOOK_SECONDS:
            return
        self._looked = time.monotonic()
        try:
            # Not scheduler_info(), whose answer may be that of another call, without workers.
            ask = self._client.scheduler.identity
            now = self._client.sync(ask, n_workers=-1, callback_timeout=GONE_SECONDS)["workers"]
        except (OSError, TimeoutError, AttributeError, RuntimeError) as error:  # the last two: the client gave up, too
            if self._client.status == "closed" or time.monotonic() - self._answered > GONE_SECONDS:
                raise SpreadFailed(f"the scheduler {self._where.scheduler} does not answer any more") from error
            return
        self._answered = time.monotonic()
        here = {address: str(worker["id"]) for address, worker in now.items()}
        for address in [address for address, process in self._known.items() if here.get(address) != process]:
            del self._known[address]
            self._refused.pop(address, None)
            self._places.remove(address)
        for address, process in here.items():
            if address not in self._known:
                self._known[address] = process
                self._welcome(address, now[address])
        if self._lonely is False and not self._places.names:
            self._say("no worker is left; waiting for one")
        self._lonely = not self._places.names

    def _welcome(self, address: str, info: dict[str, Any]) -> None:
        if not self._where.scheduler:
            self._places.add(Place(address, info["nthreads"], bench.memory("MemAvailable") * 9 // 10))
            return
        try:
            said = self._client.run(introduce, self._programs, workers=[address], on_error="return")[address]
        except (OSError, TimeoutError, KeyError) as error:
            said = error
        if not isinstance(said, Worker):
            why = f"it cannot say its build ({cluster.first_line(said)})"
            self._refused[address] = f"{why}; start it by `./openremap worker`"
        elif wrong := differences(self._build, said.build):
            self._refused[address] = f"it has another build ({'; '.join(wrong)})"
        else:
            self._places.add(Place(address, info["nthreads"], said.memory))
            return
        self._say(f"worker {address} is not used: {self._refused[address]}")

    def _dismiss(self, address: str, why: str) -> None:
        """Gives a worker nothing more: what ails its machine, such as a full disk, would fail one work after another.
        Raises SpreadFailed if none is left."""
        self._places.remove(address)
        if address not in self._refused:
            self._refused[address] = why
            self._say(f"worker {address} is not used any more: {why}")
        if not self._places.names:
            raise SpreadFailed("\n".join(f"worker {name}: {why}" for name, why in self._refused.items()))

    def _await_workers(self) -> None:
        """Waits for the first worker. Raises SpreadFailed if there is none, or one of another build."""
        begun = time.monotonic()
        while True:
            self._look()
            if self._refused:
                raise SpreadFailed("\n".join(f"worker {name}: {why}" for name, why in self._refused.items()))
            if self._places.names:
                return
            if time.monotonic() - begun > FIRST_SECONDS:
                raise SpreadFailed(f"no worker came to {self._where.scheduler}; start some by `./openremap worker`")
            time.sleep(LOOK_SECONDS / 5)


@contextmanager
def spread(where: Where, programs: tuple[str, ...], say: Callable[[str], None]) -> Iterator[Spread]:
    """A cluster of this process, or that of the scheduler, whose workers have the same build of these programs."""
    with cluster.opened(where) as client:
        yield Spread(client, where, programs, say)
