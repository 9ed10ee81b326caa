# SPDX-License-Identifier: Apache-2.0
"""Dask's scheduler, workers and clients as the launcher uses them: no dashboard, no port beyond loopback without TLS.

A scheduler executes code for whoever reaches it. So the local cluster lies inside this process and listens nowhere, and
one that others reach has certificates.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import os
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from launcher.bench.bench_options import OptionError
from launcher.spread.work import MEMORY_VARIABLE

if TYPE_CHECKING:  # it takes a second to import, and most commands spread nothing
    from distributed import Client, Security

CONNECT_SECONDS = 15
TLS_FILES = ("ca.pem", "cert.pem", "key.pem")


class SpreadFailed(Exception):  # noqa: N818 - reads as what happened
    """No work can be done any more: the scheduler is gone, or has no worker of this build. What is done is kept."""


@dataclass(frozen=True)
class Where:
    """Where work is done: in this process, or at a scheduler."""

    jobs: int = 1  # side by side, in this process
    scheduler: str = ""  # address; empty: this process
    tls: Path | None = None  # folder with TLS_FILES


def check(where: Where) -> None:
    """Raises OptionError for an address that is none, or whose certificates are missing."""
    if where.scheduler:
        check_address("--scheduler", where.scheduler, where.tls)
    elif where.tls:
        raise OptionError("--tls: needs --scheduler")


def check_address(flag: str, address: str, tls: Path | None) -> None:
    try:
        parts = urlsplit(address)
        known = bool(parts.hostname and parts.port)
    except ValueError:
        known = False
    if not known or parts.scheme not in ("tcp", "tls") or parts.path or parts.query:
        raise OptionError(f"{flag}: '{address}' is not tcp://HOST:PORT or tls://HOST:PORT")
    if (parts.scheme == "tls") != (tls is not None):
        raise OptionError(f"{flag}: {address}: tls:// and --tls need each other")
    check_tls(tls)


def check_tls(tls: Path | None) -> None:
    for name in TLS_FILES if tls else ():
        if tls and not (tls / name).is_file():
            raise OptionError(f"--tls: there is no file {tls / name}")


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name
        return False


def _security(tls: Path | None) -> Security | None:
    from distributed import Security

    if tls is None:
        return None
    authority, certificate, key = (str(tls / name) for name in TLS_FILES)
    files: dict[str, Any] = {"tls_ca_file": authority}
    for role in ("client", "scheduler", "worker"):
        files |= {f"tls_{role}_cert": certificate, f"tls_{role}_key": key}
    security = Security(require_encryption=True, **files)
    try:
        security.get_connection_args("client")
    except (OSError, ValueError) as error:  # of ssl: no certificates, or another one's key
        raise OptionError(f"--tls: the certificates in {tls} cannot be used: {first_line(error)}") from error
    return security


def _quiet() -> None:
    """Dask's own messages are about its insides; what matters of them is told here."""
    import dask
    import distributed

    assert distributed.__version__ == dask.__version__  # imported first, as it sets levels of its own
    dask.config.set(
        {
            "distributed.comm.timeouts.connect": f"{CONNECT_SECONDS}s",
            "distributed.admin.system-monitor.gil.enabled": False,
            "distributed.worker.profile.enabled": False,
            "distributed.worker.use-file-locking": False,
            "distributed.scheduler.work-stealing": False,
        }
    )
    for name in logging.root.manager.loggerDict:
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", module="distributed")


def _classes() -> tuple[type[Any], type[Any]]:
    """Dask's scheduler and worker without their HTTP servers, which would listen even without a dashboard."""
    from distributed import Scheduler, Worker

    class QuietScheduler(Scheduler):  # type: ignore[misc, unused-ignore]
        def start_http_server(self, *_: Any, **__: Any) -> None:
            pass

    class QuietWorker(Worker):  # type: ignore[misc, unused-ignore]
        def start_http_server(self, *_: Any, **__: Any) -> None:
            pass

    return QuietScheduler, QuietWorker


async def _greet(address: str, security: Security | None) -> None:
    """Raises SpreadFailed unless a scheduler answers: Dask's own clients and workers would wait for ever for a peer
    that takes a connection and says nothing, and workers for one that is not there.
    """
    from distributed import rpc

    arguments = security.get_connection_args("client") if security else None
    try:
        async with asyncio.timeout(CONNECT_SECONDS), rpc(address, connection_args=arguments) as peer:
            await peer.identity(n_workers=0)
    except TimeoutError as error:
        raise SpreadFailed(f"no scheduler answers at {address} within {CONNECT_SECONDS} s") from error
    except Exception as error:  # also what Dask makes of the bytes of a peer that is no scheduler
        raise SpreadFailed(f"no scheduler answers at {address}: {first_line(error)}") from error


@contextmanager
def opened(where: Where) -> Iterator[Client]:
    """A client of the scheduler, or of a cluster in this process that lasts as long."""
    from distributed import Client, SpecCluster

    _quiet()
    if where.scheduler:
        security = _security(where.tls)
        asyncio.run(_greet(where.scheduler, security))
        try:
            client = Client(where.scheduler, security=security, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError) as error:
            raise SpreadFailed(f"no scheduler answers at {where.scheduler}: {first_line(error)}") from error
        try:
            yield client
        finally:
            with contextlib.suppress(OSError, TimeoutError):
                client.close(timeout=5)
        return
    scheduler, worker = _classes()
    with tempfile.TemporaryDirectory(prefix="openremap-worker-") as folder:
        spec = {
            "cls": worker,
            "options": {"nthreads": where.jobs, "memory_limit": 0, "local_directory": folder, "dashboard": False},
        }
        cluster = SpecCluster(
            workers={0: spec},
            scheduler={"cls": scheduler, "options": {"protocol": "inproc://", "dashboard": False}},
            silence_logs=False,
            asynchronous=False,
        )
        try:
            with Client(cluster, set_as_default=False) as client:
                yield client
        finally:
            cluster.close()


def first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _cause(error: BaseException) -> BaseException:
    return _cause(error.__cause__) if error.__cause__ is not None else error


def serve_scheduler(host: str, port: int, tls: Path | None, say: Any) -> None:
    """A scheduler, until this process is interrupted. Says its address once it listens.

    Raises SpreadFailed if it cannot, as at a port that is in use.
    """
    _quiet()
    scheduler, _ = _classes()

    async def serve() -> None:
        protocol = "tls" if tls else "tcp"
        running = scheduler(host=host, port=port, protocol=protocol, security=_security(tls), dashboard=False)
        try:
            await running
        except Exception as error:  # Dask's, around that of the socket
            raise SpreadFailed(f"no scheduler can listen at {host}:{port}: {first_line(_cause(error))}") from error
        async with running:
            say(running.address)
            await running.finished()

    asyncio.run(serve())


def serve_worker(address: str, jobs: int, memory: int, tls: Path | None, say: Any) -> None:
    """A worker of the scheduler, until the scheduler ends or this process is interrupted. `memory` 0: what is free."""
    _quiet()
    _, worker = _classes()
    security = _security(tls)
    if memory:
        os.environ[MEMORY_VARIABLE] = str(memory)

    async def serve() -> None:
        await _greet(address, security)
        # At the interface that reaches the scheduler; nowhere else if that is this machine.
        host = "127.0.0.1" if is_loopback(urlsplit(address).hostname or "") else None
        with tempfile.TemporaryDirectory(prefix="openremap-worker-") as folder:
            async with worker(
                address,
                name=f"worker-{uuid.uuid4()}",  # one that comes back at the same address is another one
                nthreads=jobs,
                memory_limit=0,
                local_directory=folder,
                dashboard=False,
                security=security,
                **({"host": host} if host else {}),
            ) as running:
                say(running.address)
                await running.finished()

    try:
        asyncio.run(serve())
    except (OSError, TimeoutError) as error:
        raise SpreadFailed(f"no scheduler answers at {address}: {first_line(error)}") from error
