# SPDX-License-Identifier: Apache-2.0
"""The cluster's addresses, ports and certificates."""

import contextlib
import os
import shutil
import socket
import subprocess
import threading
from pathlib import Path

import pytest

from launcher.bench.bench_options import OptionError
from launcher.spread import cluster
from launcher.spread.cluster import SpreadFailed, Where, check
from launcher.spread.spreading import spread
from launcher.tests.spread import calls
from launcher.tests.spread.test_spreading import done, work


def listening(pids: set[int]) -> list[tuple[str, int]]:
    """Addresses, in the kernel's hexadecimal, and ports that these processes listen at."""
    inodes = set()
    for pid in pids:
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            try:
                target = str(entry.readlink())
            except OSError:
                continue
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                address, port = fields[1].split(":")
                found.append((address, int(port, 16)))
    return found


LOOPBACK = "0100007F"  # 127.0.0.1


def test_a_scheduler_and_a_worker_listen_at_loopback_once_each(two_workers: calls.Cluster) -> None:
    scheduler = two_workers.scheduler
    for process in (scheduler, *two_workers.workers):
        ports = listening({process.pid})
        assert [host for host, _ in ports] == [LOOPBACK], "one port, and none of a dashboard"
    assert listening({scheduler.pid})[0][1] == int(scheduler.address.rpartition(":")[2]) != 8787


def test_the_cluster_of_a_command_listens_nowhere() -> None:
    before = listening({os.getpid()})
    with spread(Where(jobs=2), (), print) as local:
        assert local.slots == 2 and listening({os.getpid()}) == before


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1:8786", "tcp://host", "http://host:1", "tcp://:5", "tcp://h:x", "tcp://h:70000", "tcp://h:5/a"],
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(OptionError, match=r"--scheduler: '.*' is not tcp://HOST:PORT or tls://HOST:PORT"):
        check(Where(scheduler=address))


def test_certificates_go_with_tls(tmp_path: Path) -> None:
    check(Where(scheduler="tcp://127.0.0.1:8786"))
    for where in (Where(scheduler="tls://h:1"), Where(scheduler="tcp://h:1", tls=tmp_path)):
        with pytest.raises(OptionError, match="tls:// and --tls need each other"):
            check(where)
    with pytest.raises(OptionError, match=r"--tls: there is no file .*/ca\.pem"):
        check(Where(scheduler="tls://h:1", tls=tmp_path))
    with pytest.raises(OptionError, match="--tls: needs --scheduler"):
        check(Where(tls=tmp_path))


def test_no_scheduler_at_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    nowhere = Where(scheduler="tcp://127.0.0.1:1")
    with (
        pytest.raises(SpreadFailed, match=r"no scheduler answers at tcp://127\.0\.0\.1:1 within 1 s"),
        spread(nowhere, (), print),
    ):
        pass


@pytest.mark.parametrize("says", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n" + b"x" * 5000], ids=["silent", "another"])
def test_a_peer_that_is_no_scheduler_holds_up_neither_a_command_nor_a_worker(
    says: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as peer:

        def answer() -> None:
            with contextlib.suppress(OSError):
                while True:
                    peer.accept()[0].sendall(says)  # and the connection is closed, or kept by the kernel

        if says:
            threading.Thread(target=answer, daemon=True).start()
        address = f"tcp://127.0.0.1:{peer.getsockname()[1]}"
        with pytest.raises(SpreadFailed, match="no scheduler answers at"), spread(Where(scheduler=address), (), print):
            pass
        with pytest.raises(SpreadFailed, match="no scheduler answers at"):
            cluster.serve_worker(address, 1, 0, None, print)
        peer.shutdown(socket.SHUT_RDWR)


def test_a_port_in_use_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(SpreadFailed, match=rf"no scheduler can listen at 127\.0\.0\.1:{port}: .*in use"):
            cluster.serve_scheduler("127.0.0.1", port, None, print)


def test_files_that_are_no_certificates_are_refused(tmp_path: Path) -> None:
    for name in cluster.TLS_FILES:
        (tmp_path / name).write_text("none")
    with pytest.raises(OptionError, match=r"--tls: the certificates in .* cannot be used"):
        cluster.serve_scheduler("127.0.0.1", 0, tmp_path, print)
    with pytest.raises(OptionError, match=r"--tls: the certificates in .* cannot be used"):
        cluster.serve_worker("tls://127.0.0.1:1", 1, 0, tmp_path, print)


def certificates(folder: Path) -> Path:
    """An authority and a certificate of it, as the documentation makes them."""
    folder.mkdir()
    for command in (
        "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=ours -keyout ca-key.pem -out ca.pem",
        "req -newkey rsa:2048 -nodes -subj /CN=openremap -keyout key.pem -out request.pem",
        "x509 -req -in request.pem -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 2 -out cert.pem",
    ):
        subprocess.run(["openssl", *command.split()], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes the certificates with openssl")
def test_only_who_has_a_certificate_reaches_a_tls_scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, others = certificates(tmp_path / "ours"), certificates(tmp_path / "others")
    with calls.scheduler(ours) as address, calls.worker(address, ours):
        assert address.startswith("tls://127.0.0.1:")
        outcomes, _ = done([work("one", calls.double, 4)], Where(scheduler=address, tls=ours))
        assert outcomes["one"].value == 8
        monkeypatch.setattr(cluster, "CONNECT_SECONDS", 2)
        with pytest.raises(SpreadFailed, match="no scheduler answers"):
            done([work("one", calls.double, 4)], Where(scheduler=address, tls=others))
        plain = Where(scheduler=address.replace("tls:", "tcp:"))
        with pytest.raises(SpreadFailed, match="no scheduler answers"):
            done([work("one", calls.double, 4)], plain)
