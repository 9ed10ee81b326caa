# SPDX-License-Identifier: Apache-2.0
"""launcher.guest.guest and its parts: packages, the guest's file system, options and the dialogue with a guest."""

from __future__ import annotations

import lzma
import stat
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from launcher.bench.bench_options import OptionError
from launcher.env.setup import SetupError
from launcher.guest import guest, guest_image, guest_machine, guest_packages
from launcher.guest.guest_machine import GuestFailed, Machine
from launcher.suites import guest_tests
from launcher.suites.reports import read_junit

PATTERN = r"linux-binary-(\d+\.\d+\.\d+)\+deb13-cloud-amd64"


def kernel(version: str) -> str:
    return f"linux-binary-{version}+deb13-cloud-amd64"


# ---------------------------------------------------------------- packages


def test_the_kernel_next_to_the_pin_is_taken() -> None:
    names = [kernel(version) for version in ("7.2.9", "7.3.4", "7.2.12", "7.10.1")] + ["linux-binary-x"]
    assert guest_packages.choose_kernel(names, PATTERN, "7.2.12") == kernel("7.2.12")
    assert guest_packages.choose_kernel(names, PATTERN, "7.2.13") == kernel("7.3.4")
    with pytest.raises(SetupError, match="no kernel package"):
        guest_packages.choose_kernel(names, PATTERN, "8.0.0")


def test_the_kernel_image_is_that_of_the_packages(tmp_path: Path) -> None:
    packages = guest_packages.Packages(tmp_path)
    with pytest.raises(SetupError, match="0 kernel images"):
        guest_packages._take_kernel(packages)
    image = packages.root / "boot" / "vmlinuz-7"
    image.parent.mkdir(parents=True)
    image.write_text("an image")
    guest_packages._take_kernel(packages)
    assert packages.kernel.read_text() == "an image"


# ---------------------------------------------------------------- the guest's file system


def entries(archive: bytes) -> dict[str, tuple[int, bytes]]:
    """The files that the kernel would unpack."""
    found: dict[str, tuple[int, bytes]] = {}
    at = 0
    while True:
        assert archive[at : at + 6] == b"070701"
        fields = [int(archive[at + 6 + 8 * n : at + 14 + 8 * n], 16) for n in range(13)]
        name = archive[at + 110 : at + 110 + fields[11] - 1].decode()
        begin = at + -(-(110 + fields[11]) // 4) * 4
        if name == "TRAILER!!!":
            return found
        found[name] = (fields[1], archive[begin : begin + fields[6]])
        at = begin + -(-fields[6] // 4) * 4


def test_an_archive_holds_what_was_put_in(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"12345")
    program.chmod(0o755)
    archive = guest_image.Archive()
    archive.file("usr/bin/program", program)
    archive.link("bin", "usr/bin")
    archive.add("usr/bin/program", stat.S_IFREG | 0o644, b"not again")
    found = entries(archive.finish())
    assert list(found) == ["usr", "usr/bin", "usr/bin/program", "bin"]
    assert found["usr/bin/program"] == (stat.S_IFREG | 0o755, b"12345")
    assert found["bin"] == (stat.S_IFLNK | 0o777, b"usr/bin")
    assert stat.S_ISDIR(found["usr"][0])


def test_scripts_and_tools_come_with_the_run(tmp_path: Path) -> None:
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    (scripts / "a.sh").write_text("exit 0")
    (scripts / "folder").mkdir()
    tool = tmp_path / "tool-as-built"
    tool.write_bytes(b"tool")
    tool.chmod(0o755)
    found = entries(guest_image.own(scripts, {"tool": tool}))
    assert found["usr/bin/tool"] == (stat.S_IFREG | 0o755, b"tool")
    assert found["scripts/a.sh"] == (stat.S_IFREG | 0o644, b"exit 0")
    assert set(found) == {"usr", "usr/bin", "usr/bin/tool", "scripts", "scripts/a.sh"}


def test_modules_come_decompressed(tmp_path: Path) -> None:
    folder = tmp_path / "usr/lib/modules/7/kernel/drivers/md"
    folder.mkdir(parents=True)
    (folder / "raid1.ko.xz").write_bytes(lzma.compress(b"a module"))
    (folder / "md-mod.ko").write_bytes(b"another")
    assert guest_image.module(tmp_path, "raid1") == b"a module"
    assert guest_image.module(tmp_path, "md-mod") == b"another"
    with pytest.raises(SetupError, match="0 modules raid0"):
        guest_image.module(tmp_path, "raid0")


def test_libraries_are_those_of_the_root() -> None:
    listing = (
        "\tlinux-vdso.so.1 (0x00007ffe)\n"
        "\tlibz.so.1 => /r/usr/lib/libz.so.1 (0x00007f01)\n"
        "\tlibm.so.6 => /usr/lib/libm.so.6 (0x00007f02)\n"
        "\t/r/usr/lib/ld-linux.so.2 (0x00007f03)\n"
    )
    assert guest_image.libraries(listing, Path("/r")) == ["usr/lib/libz.so.1", "usr/lib/ld-linux.so.2"]


# ---------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("change", "flag"),
    [
        ({"memory": 255}, "--memory"),
        ({"smp": 0}, "--smp"),
        ({"smp": 9}, "--smp"),
        ({"seed": -1}, "--seed"),
        ({"run": Path("/nowhere")}, "--run"),
        ({"trace": Path("a.fst")}, "--trace"),
        ({"image": Path(__file__)}, "--image"),
        ({"reserve_image": True}, "--reserve-image: needs --image"),
        ({"image": Path("new"), "more_images": (Path(__file__),)}, "--image: .* is not a folder"),
        ({"image": Path("new"), "more_images": (Path("a/../new"),)}, "--image: two devices"),
        ({"devices": 0}, "--devices"),
        ({"devices": 9}, "--devices"),
        ({"image": Path("1"), "more_images": tuple(Path(str(n)) for n in range(2, 10))}, "--devices"),
        ({"serials": ("S1", "S2")}, "--serial: more"),
        ({"devices": 2, "serials": ("S1", "S1")}, "--serial: Linux refuses"),
        ({"new_identity": True}, "--new-identity"),
        ({"device": guest.Device.soc, "geometry": "2x2x64x8x4"}, "--geometry: the soc"),
    ],
)
def test_wrong_options_are_named(change: dict[str, object], flag: str) -> None:
    guest.check(guest.Options())
    with pytest.raises(OptionError, match=flag):
        guest.check(replace(guest.Options(), **change))  # type: ignore[arg-type]


def test_commands_say_what_the_options_do(tmp_path: Path) -> None:
    options = guest.Options(device=guest.Device.rtl, image=tmp_path, memory=1024, smp=4, seed=7).machine
    device = guest_machine.device_command(options, "/s")
    doorbells = ("--shadow-doorbells", "--hold-interrupts")
    assert device[1:] == ["--device", "rtl", "--socket", "/s", *doorbells, "--seed", "7", "--image", str(tmp_path)]
    packages = guest_packages.Packages(tmp_path)
    qemu = guest_machine.qemu_command(options, packages, "/s", tmp_path / "initrd", interactive=False)
    assert qemu[qemu.index("-smp") + 1] == "4"
    assert "memory-backend-memfd,id=memory,size=1024M,share=on" in qemu
    assert '"path":"/s"' in qemu[-1]
    assert "openremap.shell" not in qemu[qemu.index("-append") + 1]
    assert "--geometry" in guest_machine.device_command(guest.Options().machine, "/s")
    reserved = guest.Options(image=tmp_path, reserve_image=True).machine
    assert "--reserve-image" in guest_machine.device_command(reserved, "/s")


def test_a_copy_of_an_image_is_named(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two", "copy", "new")]
    for folder, serial in zip(folders, ("S1", "S2", "S1", None), strict=True):
        folder.mkdir()
        if serial:
            (folder / "identity").write_text(f"# text\nversion 1\nserial {serial}\neui64 0200000000000001\n")
    one, two, copy, new = folders
    guest.check(guest.Options(image=one, more_images=(two, new)))
    options = guest.Options(image=one, more_images=(two, copy))
    with pytest.raises(OptionError, match=f"{copy} is a copy of {one}: start it once with --new-identity"):
        guest.check(options)
    guest.check(replace(options, new_identity=True))


def test_each_disk_is_a_device(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    options = guest.Options(image=one, more_images=(two,), devices=3, serials=("S1",), new_identity=True, seed=7)
    device = ["--device", "model", "--socket", "/s", "--shadow-doorbells", "--hold-interrupts", "--seed", "7"]
    shape = ["--geometry", guest.MODEL_GEOMETRY]
    machine = options.machine
    assert [guest_machine.device_command(disk, "/s")[1:] for disk in machine.disks] == [
        [*device, "--image", str(one), "--serial", "S1", *shape, "--new-identity"],
        [*device, "--image", str(two), *shape, "--new-identity"],
        [*device, *shape],
    ]
    packages = guest_packages.Packages(tmp_path)
    qemu = guest_machine.qemu_command(machine, packages, "/s", tmp_path / "initrd", interactive=False)
    sockets = [word for word in qemu if "vfio-user-pci" in word]
    assert [socket.split('"path":')[1].split("}")[0] for socket in sockets] == ['"/s"', '"/s2"', '"/s3"']


def test_only_the_first_disk_writes_a_waveform(tmp_path: Path) -> None:
    options = guest.Options(device=guest.Device.rtl, devices=2, trace=tmp_path / "w.fst").machine
    assert ["--trace" in guest_machine.device_command(disk, "/s") for disk in options.disks] == [True, False]


def test_scripts_come_with_their_settings(tmp_path: Path) -> None:
    with guest.scripts([guest.LIBRARY], guest.Options(seed=3, smp=1)) as folder:
        assert (folder / "lib.sh").read_text() == guest.LIBRARY.read_text()
        assert (folder / "settings.sh").read_text() == (
            'SEED=3\nCPUS=1\nDEVICE=model\nMODES="off base retain fill skip blend"\n'
        )
    assert not folder.exists()


# ---------------------------------------------------------------- a Python script in place of a guest

GUEST = r"""
import sys
def say(text): print(text, flush=True)
say("[ 1.2] nvme nvme1: a reason")
say("openremap: up 1.5 s, /dev/nvme0n1")
say("openremap: ready")
for line in sys.stdin:
    word, *name = line.split()
    if word == "poweroff": sys.exit(0)
    if word == "reboot": say("openremap: up 2.5 s, /dev/nvme0n1\nopenremap: ready")
    elif name[0] == "good": say("some\noutput without end openremap: end 0")
    elif name[0] == "bad.sh": say("FAILED: x\nopenremap: end 3")
    elif name[0] == "cut.sh":
        say("synced 8\nopenremap: cut now\nsynced 9")
        sys.stdout.write("synced 10"); sys.stdout.flush()
    elif name[0] == "early.sh": say("openremap: cut now")
    elif name[0] == "say.sh": say(f"told {' '.join(name[1:])}\nopenremap: end 0")
    elif name[0] == "dies": sys.exit(9)
"""
DEVICE = r"""
import socket, sys, time
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1])
time.sleep(CODE[0]); sys.exit(CODE[1])
"""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    (tmp_path / "base").write_bytes(b"")
    device = DEVICE.replace("CODE[0]", "0.5").replace("CODE[1]", "0")
    python = [sys.executable, "-c"]
    monkeypatch.setattr(guest_machine, "device_command", lambda _, socket: [*python, device, socket])
    monkeypatch.setattr(guest_machine, "qemu_command", lambda *_: [*python, GUEST])
    monkeypatch.setattr(guest_image, "base", lambda _: tmp_path / "base")
    return Machine(guest_machine.Options(), guest_packages.Packages(tmp_path), tmp_path / "logs")


def test_a_guest_does_what_it_is_told(machine: Machine) -> None:
    with machine:
        machine.start()
        assert machine.disk_seconds == 1.5
        ended = machine.run("good", 300)
        assert (ended.code, ended.output) == (0, ["some", "output without end "])
        assert machine.run("bad.sh", 300).code == 3
        machine.reboot()
        assert machine.disk_seconds == 2.5
        machine.power_off()
    assert "output without end" in (machine.folder / "serial.log").read_text()


def test_a_guest_that_ends_is_told(machine: Machine) -> None:
    with machine, pytest.raises(GuestFailed, match="QEMU ended"):
        machine.start()
        machine.run("dies", 300)


def test_a_guest_that_hangs_is_told(machine: Machine) -> None:
    with machine, pytest.raises(GuestFailed, match="did not end in time"):
        machine.start()
        machine.run("hangs", 0.2)


def test_every_device_is_started_and_ended(machine: Machine) -> None:
    machine.options = replace(machine.options, more=(guest_machine.Disk(serial="S2"),))
    with machine, pytest.raises(GuestFailed, match=r"1 of 2 disks \(\[ 1.2\] nvme nvme1: a reason\)"):
        machine.start()
    assert len(machine._devices) == 2
    assert all(device.poll() is not None for device in machine._devices)
    assert [log.name for log in sorted(machine.folder.glob("device*"))] == ["device.log", "device2.log"]


def test_a_later_device_that_does_not_start_is_told(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.options = replace(machine.options, more=(guest_machine.Disk(serial="S2"),))
    command = guest_machine.device_command
    broken = [sys.executable, "-c", "print('no such serial number'); raise SystemExit(1)"]
    monkeypatch.setattr(guest_machine, "device_command", lambda o, s: broken if o.serial == "S2" else command(o, s))
    with machine, pytest.raises(GuestFailed, match="no such serial number"):
        machine.start()


def test_a_device_that_does_not_start_is_told(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = [sys.executable, "-c", "print('no such flash'); raise SystemExit(1)"]
    monkeypatch.setattr(guest_machine, "device_command", lambda *_: broken)
    with machine, pytest.raises(GuestFailed, match="no such flash"):
        machine.start()


# What a device does when it is up, and what the user is told.
ENDS = {
    "os.kill(os.getpid(), signal.SIGKILL)": "the device failed: killed by SIGKILL; it said nothing",
    "print('vfio_device: flash.img: full'); raise SystemExit(1)": "the device failed: vfio_device: flash.img: full",
    "print('vfio_device: x', flush=True); os.abort()": "the device failed: killed by SIGABRT; vfio_device: x",
    "raise SystemExit(4)": "the device failed: exit code 4; it said nothing",
}


@pytest.mark.parametrize(("end", "told"), ENDS.items())
@pytest.mark.parametrize("waits", [False, True])
def test_how_a_device_ends_is_told(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, end: str, told: str, waits: bool
) -> None:
    monkeypatch.setattr(guest_machine, "_LAST_WORDS_SECONDS", 0.1)
    listens = "import os, signal, socket, sys, time; print('vfio_device: listening', flush=True)\n"
    bound = "s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); time.sleep(0.3)\n"
    program = [sys.executable, "-c", listens + bound + end]
    monkeypatch.setattr(guest_machine, "device_command", lambda _, socket: [*program, socket])
    begun = time.monotonic()
    with machine, pytest.raises(GuestFailed, match=told + "$"):
        machine.start()
        if waits:
            machine.wait()
        else:
            machine.run("hangs", 100)
    assert time.monotonic() - begun < 60


STARTS = {
    "os.kill(os.getpid(), signal.SIGBUS)": (
        GuestFailed,
        "the device did not start: killed by SIGBUS; it said nothing$",
    ),
    "print('vfio_device: a: b'); raise SystemExit(1)": (GuestFailed, "the device did not start: vfio_device: a: b$"),
    "print('vfio_device: geometry: b'); raise SystemExit(2)": (OptionError, "^geometry: b$"),
}


@pytest.mark.parametrize(("end", "told"), STARTS.items())
def test_why_a_device_does_not_start_is_told(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, end: str, told: tuple[type[Exception], str]
) -> None:
    program = [sys.executable, "-c", "import os, signal\n" + end]
    monkeypatch.setattr(guest_machine, "device_command", lambda *_: program)
    with machine, pytest.raises(told[0], match=told[1]):
        machine.start()


def test_steps_become_cases(machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(guest_packages, "ensure", lambda: guest_packages.Packages(tmp_path))
    monkeypatch.setattr(guest_tests, "Machine", lambda *_: machine)
    settings: list[list[str]] = []

    def last_synced(lines: list[str]) -> int:
        settings.append(list(lines))
        return 9

    monkeypatch.setattr(guest_tests, "last_synced", last_synced)
    steps = ("boot", "bad", "say a b", "reboot", "cut:cut", "good", "never")
    cases = guest_tests.run(guest_tests.Scenario("x", guest.Options(), steps), 1, tmp_path / "cases")
    assert [(case.name, bool(case.failure)) for case in cases] == [
        ("guest.x.boot", False),
        ("guest.x.bad", True),
        ("guest.x.say a b", False),
        ("guest.x.reboot", False),
        ("guest.x.cut:cut", False),
        ("guest.x.good", True),  # no guest is running after the cut
    ]
    assert cases[1].output == ["FAILED: x"]
    assert cases[2].output == ["told a b"]
    assert cases[4].output == ["synced 9"]
    assert settings[0][0] == "synced 8"
    assert "synced 10" not in settings[0], "a line that was cut off"
    guest_tests.write_junit(cases, tmp_path / "report.xml")
    totals = read_junit(tmp_path / "report.xml")
    assert totals.passed == 4
    assert totals.failures == ["guest.x.bad", "guest.x.good"]


def test_what_was_synced_is_kept_for_the_next_guest(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(guest_packages, "ensure", lambda: guest_packages.Packages(tmp_path))
    monkeypatch.setattr(guest_tests, "Machine", lambda *_: machine)
    seen = []
    end = guest_tests._Runner.end

    def look(runner: guest_tests._Runner) -> None:
        seen.append((runner._scripts / "settings.sh").read_text())
        end(runner)

    monkeypatch.setattr(guest_tests._Runner, "end", look)
    cases = guest_tests.run(guest_tests.Scenario("x", guest.Options(), ("boot", "cut:cut")), 1, tmp_path / "cases")
    assert not cases[1].failure
    assert seen[-1].splitlines()[-1] in (
        "SYNCED=8",
        "SYNCED=9",
    )  # depends on how much of the pipe had been read at the kill
    cases = guest_tests.run(guest_tests.Scenario("x", guest.Options(), ("boot", "cut:early")), 1, tmp_path / "cases")
    assert "nothing was synced" in cases[1].failure


def test_the_last_whole_line_counts() -> None:
    assert guest_tests.last_synced(["synced 8", "synced 9", "x synced 10", "synced 1x"]) == 9
    with pytest.raises(GuestFailed, match="nothing was synced"):
        guest_tests.last_synced(["sync"])


def test_every_step_is_a_script_that_is_there() -> None:
    words = {"boot", "reboot", "power-on", "power-off"}
    for scenario in (*guest_tests.SHORT, *guest_tests.LONG):
        for step in scenario.steps:
            name = step.removeprefix(guest_tests.CUT).split(" ")[0]
            assert name in words or (guest.SCRIPTS / f"{name}.sh").is_file(), step
    used = {
        step.removeprefix(guest_tests.CUT).split(" ")[0]
        for s in (*guest_tests.SHORT, *guest_tests.LONG)
        for step in s.steps
    }
    assert {path.stem for path in guest.SCRIPTS.glob("*.sh")} - used == {"lib"}
