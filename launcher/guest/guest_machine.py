# SPDX-License-Identifier: Apache-2.0
"""A running guest: the process of the device, QEMU, and the serial line between launcher and guest.

The first process of the guest (guest_init.sh) reads commands from the serial line and writes their results to it.
"""

from __future__ import annotations

import queue
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType

from launcher.bench.bench_options import OptionError
from launcher.env import steps
from launcher.env.paths import RELEASE
from launcher.guest import guest_image, guest_packages

PROGRAM = "vfio_device"
_FAILED, _BAD_OPTION = 1, 2  # its exit codes after a line that says why
_LISTENS = f"{PROGRAM}: listening"
# Programs of this build that the guest gets: the name in the guest, and the program.
TOOLS = {"openremap-cli": "openremap-cli-node", "db_bench": "db_bench-node", "pagefs": "pagefs-node"}
PROGRAMS = (PROGRAM, *TOOLS.values())  # programs to build
START_SECONDS = 300  # takes seconds on an idle machine
END_SECONDS = 300  # likewise
# A register read of a Verilated controller can take long on a busy machine; QEMU's default limit is 5 s.
_MESSAGE_TIMEOUT_MS = 600_000
_SAID = "openremap: "
_LOOK_SECONDS = 0.2  # between two looks at the device while the guest says nothing
_LAST_WORDS_SECONDS = 2.0  # QEMU ends soon after its device; what it says then is worth reading
# On an overloaded machine the timer of an emulated guest is late, and the kernel's timer check would fail. Mitigations
# are detours around faults that an emulated processor does not have, and each is more to translate.
KERNEL_OPTIONS = "console=ttyS0 panic=-1 quiet no_timer_check mitigations=off"
# All that TCG has but page tables of five levels, which every miss of its TLB would walk.
_PROCESSOR = "max,la57=off"


class GuestFailed(Exception):  # noqa: N818 - reads as what happened
    """The guest, QEMU or the device failed. The message is for the user."""


@dataclass(frozen=True)
class Disk:
    """A disk beside the machine's first one. The two differ in nothing but this."""

    image: Path | None = None
    serial: str | None = None


@dataclass(frozen=True)
class Options:
    """The machine and its disk, or its first one."""

    device: str = "model"
    image: Path | None = None  # folder of the flash and NVRAM images; None: in memory
    reserve_image: bool = False
    serial: str | None = None  # None: that of the image; a random one for a new image and in memory
    new_identity: bool = False  # give each image another identity
    more: tuple[Disk, ...] = ()
    memory_mb: int = 512
    cpus: int = 2
    geometry: str | None = None  # flash geometry of the model
    superblocks: int | None = None
    seed: int = 1
    trace: Path | None = None  # of the first disk

    @property
    def disks(self) -> list[Options]:
        """The options of each disk's process."""
        return [self, *(replace(self, image=disk.image, serial=disk.serial, trace=None) for disk in self.more)]


@dataclass(frozen=True)
class Ended:
    """The result of a script in the guest."""

    code: int
    output: list[str]
    seconds: float


@dataclass
class Machine:
    """A guest from `start` to power-off. Use it as a context manager: all processes end with the context."""

    options: Options
    packages: guest_packages.Packages
    folder: Path  # folder of the logs
    scripts: Path | None = None  # files that the guest finds as /scripts
    interactive: bool = False
    on_line: Callable[[str], None] | None = None
    boot_seconds: float = 0
    disk_seconds: float = 0  # time in the guest until the disk appeared
    _devices: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _qemu: subprocess.Popen[bytes] | None = None
    _lines: queue.Queue[str | None] = field(default_factory=queue.Queue)
    _place: str = ""

    def __enter__(self) -> Machine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    # ---------------------------------------------------------------- processes

    def start(self) -> None:
        """Starts the devices and QEMU and waits for the boot, unless the guest is interactive."""
        self.folder.mkdir(parents=True, exist_ok=True)
        # Socket paths have a length limit, which paths below the build folder may exceed.
        self._place = tempfile.mkdtemp(prefix="openremap-")
        socket = f"{self._place}/vfio"
        self._devices = []
        for number, disk in enumerate(self.options.disks):
            self._start_device(disk, numbered(socket, number), self._log_of(number))
        for number in range(len(self._devices)):
            self._wait_for(numbered(socket, number), number)
        initrd = Path(self._place) / "initramfs.cpio"
        tools = {name: RELEASE / "bin" / program for name, program in TOOLS.items()}
        own = guest_image.own(self.scripts, tools) if self.scripts else b""
        initrd.write_bytes(guest_image.base(self.packages).read_bytes() + own)
        command = qemu_command(self.options, self.packages, socket, initrd, self.interactive)
        if self.interactive:
            self._qemu = subprocess.Popen(command)
            return
        with open(self.folder / "qemu.log", "wb") as log:
            self._qemu = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True
            )
        threading.Thread(target=self._read, args=(self._qemu, self._lines), daemon=True).start()
        begun = time.monotonic()
        self._await_ready(START_SECONDS)
        self.boot_seconds = time.monotonic() - begun

    def _start_device(self, disk: Options, socket: str, path: Path) -> None:
        # In sessions of their own, so that Ctrl-C reaches only the launcher, which then ends them.
        with open(path, "wb") as log:
            self._devices.append(
                subprocess.Popen(
                    device_command(disk, socket),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )

    def _log_of(self, number: int) -> Path:
        return self.folder / f"{numbered('device', number)}.log"

    def _wait_for(self, socket: str, number: int) -> None:
        give_up = time.monotonic() + START_SECONDS
        while not Path(socket).exists():
            if self._devices[number].poll() is not None:
                if self._devices[number].returncode == _BAD_OPTION:
                    raise OptionError(self._end_of_device(number).removeprefix(f"{PROGRAM}: "))
                raise GuestFailed(f"the device did not start: {self._end_of_device(number)}")
            if time.monotonic() > give_up:
                raise GuestFailed(f"the device did not start within {START_SECONDS} s: {self._end_of_device(number)}")
            time.sleep(0.02)

    def kill(self) -> None:
        """Kills QEMU and the devices, which is a power cut for these."""
        for process in (self._qemu, *self._devices):
            if process is not None and process.poll() is None:
                process.kill()
            if process is not None:
                process.wait()
        if self._place:
            shutil.rmtree(self._place, ignore_errors=True)

    def wait(self, timeout: float | None = None) -> int:
        """Waits until QEMU and the devices end. Returns QEMU's exit code.

        Raises GuestFailed if a device fails, or if one of them is killed or does not end in time.
        """
        assert self._qemu is not None
        give_up = None if timeout is None else time.monotonic() + timeout
        while self._qemu.poll() is None:
            if self._failed() is not None:
                with suppress(subprocess.TimeoutExpired):
                    self._qemu.wait(_LAST_WORDS_SECONDS)
                self._qemu.terminate()  # it leaves the terminal as it was, which a kill would not
                raise GuestFailed(self._failure())
            if give_up is not None and time.monotonic() > give_up:
                raise GuestFailed(f"QEMU did not end within {timeout:.0f} s; logs in {self.folder}")
            time.sleep(_LOOK_SECONDS)
        try:
            for device in self._devices:
                device.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            raise GuestFailed(
                f"a device did not end within {END_SECONDS} s of QEMU; {self._ends_of_devices()}"
            ) from None
        if self._failed() is not None:
            raise GuestFailed(self._failure())
        if self._qemu.returncode < 0:
            raise GuestFailed(f"QEMU: {steps.exit_text(self._qemu.returncode)}; logs in {self.folder}")
        return self._qemu.returncode

    def _failed(self) -> int | None:
        """The number of the first device that has failed."""
        return next((n for n, device in enumerate(self._devices) if device.poll() not in (None, 0)), None)

    def _failure(self) -> str:
        number = self._failed()
        assert number is not None
        return f"{self._name_of(number)} failed: {self._end_of_device(number)}"

    def _name_of(self, number: int) -> str:
        return "the device" if len(self._devices) == 1 else f"device {number + 1}"

    def _end_of_device(self, number: int) -> str:
        """How a device ended, or that it runs, and its last lines."""
        code = self._devices[number].poll()
        words = _end_of(self._log_of(number)).removeprefix(_LISTENS).strip(" /")
        if code in (_FAILED, _BAD_OPTION) and words:  # its own words are enough
            return words
        state = "it runs" if code is None else steps.exit_text(code)
        return f"{state}; {words}" if words else f"{state}; it said nothing"

    def _ends_of_devices(self) -> str:
        ends = (f"{self._name_of(n)}: {self._end_of_device(n)}" for n in range(len(self._devices)))
        return "; ".join(ends)

    # ---------------------------------------------------------------- the line

    def _read(self, qemu: subprocess.Popen[bytes], lines: queue.Queue[str | None]) -> None:
        assert qemu.stdout is not None
        with open(self.folder / "serial.log", "ab") as log:
            for raw in qemu.stdout:
                log.write(raw)
                log.flush()
                if not raw.endswith(b"\n"):
                    break  # QEMU was killed: an incomplete line may be misread
                lines.put(raw.decode(errors="replace").rstrip("\r\n"))
        lines.put(None)

    def _next(self, give_up: float, what: str) -> str:
        """The next line of the guest, until this time of the monotonic clock. Ends earlier if the device fails."""
        failed_at: float | None = None
        while True:
            now = time.monotonic()
            try:
                line = self._lines.get(timeout=max(0.0, min(_LOOK_SECONDS, give_up - now)))
                break
            except queue.Empty:
                pass
            if failed_at is None and self._failed() is not None:
                failed_at = now
            if failed_at is not None and now - failed_at >= _LAST_WORDS_SECONDS:
                raise GuestFailed(f"{what}: {self._failure()}")
            if now >= give_up:
                log = self.folder / "serial.log"
                raise GuestFailed(f"{what}: did not end in time; see {log}; {self._ends_of_devices()}")
        if line is None and self._failed() is not None:  # QEMU's words are about what followed
            raise GuestFailed(f"{what}: {self._failure()}")
        if line is None:
            qemu = _end_of(self.folder / "qemu.log")
            raise GuestFailed(f"{what}: QEMU ended. {qemu} {self._ends_of_devices()}")
        if self.on_line and not line.startswith(_SAID):
            self.on_line(line)
        return line

    def _await_ready(self, seconds: float) -> None:
        give_up = time.monotonic() + seconds
        told = ""  # what the kernel said of a disk first
        while True:
            line = self._next(give_up, "boot")
            if re.search(r"\bnvme\d*\b", line) and not line.startswith(_SAID):
                told = told or f" ({line.strip()})"
            if up := re.search(_SAID + r"up ([0-9.]+) s, (.*)", line):
                self.disk_seconds = float(up[1])
                found, wanted = up[2].count("/dev/"), len(self.options.disks)
                if found < wanted:
                    disks = "no disk" if found == 0 else f"{found} of {wanted} disks"
                    log = self.folder / "serial.log"
                    raise GuestFailed(f"the guest found {disks}{told}; see {log}; {self._ends_of_devices()}")
            if "Kernel panic" in line:
                raise GuestFailed(f"{line}; see {self.folder / 'serial.log'}")
            if _SAID + "ready" in line:
                return

    def _say(self, text: str) -> None:
        assert self._qemu is not None and self._qemu.stdin is not None
        self._qemu.stdin.write(text.encode() + b"\n")
        self._qemu.stdin.flush()

    def run(self, script: str, seconds: float) -> Ended:
        """Runs one of the scripts and waits for its end."""
        begun = time.monotonic()
        self._say(f"run {script}")
        output: list[str] = []
        while True:
            line = self._next(begun + seconds, script)
            # The last line of a script's output may lack a newline.
            before, said, code = line.partition(_SAID + "end ")
            if said and code.strip().isdigit():
                return Ended(int(code), output + ([before] if before else []), time.monotonic() - begun)
            output.append(line)

    def run_until(self, script: str, text: str, seconds: float) -> None:
        """Starts one of the scripts and returns when it has printed `text`, while it runs on."""
        give_up = time.monotonic() + seconds
        self._say(f"run {script}")
        while True:
            line = self._next(give_up, script)
            if text in line:
                return
            if _SAID + "end" in line:
                raise GuestFailed(f"{script} ended without `{text}`; see {self.folder / 'serial.log'}")

    def drain(self) -> None:
        """Passes the lines that the guest printed before it was killed to `on_line`; complete lines only."""
        while (line := self._lines.get(timeout=30)) is not None:
            if self.on_line and not line.startswith(_SAID):
                self.on_line(line)

    def reboot(self) -> None:
        """Reboots the guest on the same device and connection."""
        self._say("reboot")
        self._await_ready(START_SECONDS)

    def power_off(self) -> None:
        """Shuts the guest down. Raises GuestFailed if the guest, QEMU or the device fails."""
        self._say("poweroff")
        if code := self.wait(END_SECONDS):
            raise GuestFailed(f"exit code {code}; logs in {self.folder}")


def serial_of(image: Path) -> str | None:
    """The serial number that an image folder keeps (sim/models/identity.h); None if the device has none yet."""
    try:
        found = re.search(r"^serial (\S+)$", (image / "identity").read_text(errors="replace"), re.MULTILINE)
    except OSError:
        return None  # the device tells what is wrong
    return found[1] if found else None


def numbered(name: str, number: int) -> str:
    """The name of a disk's file: the first disk's has no number, that of the next one is 2."""
    return name if number == 0 else f"{name}{number + 1}"


def device_command(options: Options, socket: str) -> list[str]:
    """The command line of a device's process, that of the first disk of the options."""
    command = [str(RELEASE / "bin" / PROGRAM), "--device", options.device, "--socket", socket]
    # Linux then rings most doorbells without an exit from its emulated processor, and is interrupted less often.
    command += ["--shadow-doorbells", "--hold-interrupts", "--seed", str(options.seed)]
    for name, value in (
        ("--image", options.image),
        ("--serial", options.serial),
        ("--geometry", options.geometry),
        ("--superblocks", options.superblocks),
        ("--trace", options.trace),
    ):
        if value is not None:
            command += [name, str(value)]
    if options.reserve_image and options.image is not None:
        command.append("--reserve-image")
    if options.new_identity and options.image is not None:
        command.append("--new-identity")
    return command


def qemu_command(
    options: Options, packages: guest_packages.Packages, socket: str, initrd: Path, interactive: bool
) -> list[str]:
    """The command line of QEMU: without KVM, with a serial line and the devices; `socket` is that of the first one."""
    share = packages.root / "usr/share/qemu"
    devices = [
        f'{{"driver":"vfio-user-pci","socket":{{"type":"unix","path":"{numbered(socket, number)}"}},'
        f'"x-msg-timeout":{_MESSAGE_TIMEOUT_MS}}}'
        for number in range(len(options.disks))
    ]
    return [
        *packages.start("usr/bin/qemu-system-x86_64"),
        *("-L", str(share), "-nodefaults", "-no-user-config", "-display", "none"),
        # A firmware that does not search disks; another one would drive the device before Linux does.
        *("-bios", str(share / "qboot.rom")),
        *("-accel", "tcg,thread=multi", "-machine", "q35,memory-backend=memory", "-cpu", _PROCESSOR),
        *("-smp", str(options.cpus), "-m", f"{options.memory_mb}M"),
        # Shared, because the device's process maps it.
        *("-object", f"memory-backend-memfd,id=memory,size={options.memory_mb}M,share=on"),
        *("-serial", "mon:stdio" if interactive else "stdio"),
        *("-kernel", str(packages.kernel), "-initrd", str(initrd)),
        *("-append", KERNEL_OPTIONS + (" openremap.shell" if interactive else "")),
        *(word for device in devices for word in ("-device", device)),
    ]


def _end_of(log: Path) -> str:
    return " / ".join(log.read_text(errors="replace").split("\n")[-4:]).strip(" /") if log.exists() else ""
