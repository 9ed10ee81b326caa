# SPDX-License-Identifier: Apache-2.0
"""`./openremap guest`: a stock Linux in QEMU with the device as its NVMe disk; a shell in it, or a script."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from pathlib import Path

from launcher.bench import flash_options
from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import LIMITS, Limit, OptionError
from launcher.boards import db_bench
from launcher.env import steps
from launcher.env.paths import BUILD, ROOT
from launcher.guest import guest_machine, guest_packages

LOGS = BUILD / "guest"
SCRIPTS = ROOT / "testing" / "guest"
LIBRARY = SCRIPTS / "lib.sh"
MEMORY = Limit(256, 65536)
CPUS = Limit(1, 8)  # as many as the controller has queues for
DEVICES = Limit(1, 8)  # more than a test needs; each is a process that simulates
# 1 GiB: enough for a file system, and quick to start.
MODEL_GEOMETRY = "8x4x64x128"
SCRIPT_SECONDS = 24 * 60 * 60


class Device(StrEnum):
    """The device behind the guest's disk."""

    model = "model"
    rtl = "rtl"
    soc = "soc"


@dataclass(frozen=True)
class Options:
    """See the help texts of the command."""

    device: Device = Device.model
    image: Path | None = None
    more_images: tuple[Path, ...] = ()  # of the further devices
    devices: int = 1  # at least; there are no fewer than images
    serials: tuple[str, ...] = ()
    new_identity: bool = False
    reserve_image: bool = False
    memory: int = 512
    smp: int = 2
    run: Path | None = None
    geometry: str | None = None
    trace: Path | None = None
    seed: int = 1

    @property
    def images(self) -> tuple[Path, ...]:
        return (*((self.image,) if self.image else ()), *self.more_images)

    @property
    def count(self) -> int:
        """The number of devices."""
        return max(self.devices, len(self.images))

    @property
    def machine(self) -> guest_machine.Options:
        geometry = self.geometry
        if geometry is None and self.device == Device.model:
            geometry = MODEL_GEOMETRY
        images = [image.absolute() for image in self.images]
        given = zip_longest(range(self.count), images, self.serials)
        disks = [guest_machine.Disk(image, serial) for _, image, serial in given]
        return guest_machine.Options(
            device=self.device.value,
            reserve_image=self.reserve_image,
            image=disks[0].image,
            serial=disks[0].serial,
            new_identity=self.new_identity,
            more=tuple(disks[1:]),
            memory_mb=self.memory,
            cpus=self.smp,
            geometry=geometry,
            seed=self.seed,
            trace=self.trace.absolute() if self.trace else None,
        )


def check(options: Options) -> None:
    """Raises OptionError for a number out of range and for a file that does not exist."""
    for flag, number, limit in (
        ("--memory", options.memory, MEMORY),
        ("--smp", options.smp, CPUS),
        ("--seed", options.seed, LIMITS["seed"]),
        ("--devices", options.count, DEVICES),
    ):
        limit.check(flag, number)
    if options.geometry is not None and (wrong := flash_options.wrong_geometry(options.geometry)):
        raise OptionError(f"--geometry: {wrong}")
    if options.geometry is not None and options.device == Device.soc:
        raise OptionError("--geometry: the soc has that of the rtl without a geometry")
    for serial in options.serials:
        if not re.fullmatch("[!-~]{1,20}", serial):
            raise OptionError(f"--serial: '{serial}' is not 1 to 20 characters of ASCII without spaces")
    if options.run is not None and not options.run.is_file():
        raise OptionError(f"--run: {options.run} is not a file")
    if options.trace is not None and options.device == Device.model:
        raise OptionError("--trace: needs --device rtl or soc; the model has no waveforms")
    if options.reserve_image and not options.images:
        raise OptionError("--reserve-image: needs --image")
    for image in options.images:
        if image.exists() and not image.is_dir():
            raise OptionError(f"--image: {image} is not a folder")
    if len({image.resolve() for image in options.images}) < len(options.images):
        raise OptionError("--image: two devices cannot be in one folder")
    _check_copies(options)
    if len(options.serials) > options.count:
        raise OptionError("--serial: more serial numbers than devices")
    if len(set(options.serials)) < len(options.serials):
        raise OptionError("--serial: Linux refuses the second of two devices with one serial number")
    if options.new_identity and not options.images:
        raise OptionError("--new-identity: needs --image; a device in memory is another one in each run")


def _check_copies(options: Options) -> None:
    """Raises OptionError for images with one serial number, unless they get others."""
    seen: dict[str, Path] = {}
    for image in () if options.new_identity else options.images:
        serial = guest_machine.serial_of(image)
        if serial in seen:
            raise OptionError(
                f"--image: {image} is a copy of {seen[serial]}: start it once with --new-identity, "
                "because Linux refuses the second of two devices with one serial number"
            )
        if serial is not None:
            seen[serial] = image


@contextmanager
def scripts(files: list[Path], options: Options) -> Iterator[Path]:
    """Yields a temporary folder with these scripts and the settings that they read."""
    with tempfile.TemporaryDirectory(prefix="openremap-scripts-") as name:
        folder = Path(name)
        for path in files:
            shutil.copyfile(path, folder / path.name)
        settings = {"SEED": options.seed, "CPUS": options.smp, "DEVICE": options.device, "MODES": f'"{" ".join(Mode)}"'}
        (folder / "settings.sh").write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        for script, text in db_bench.guest_scripts().items():
            (folder / script).write_text(text)
        yield folder


def shell(options: Options) -> int:
    """Runs the guest on this terminal until it is powered off. Returns the exit code of the device, or QEMU's."""
    packages = guest_packages.ensure()
    print("Shell of the guest. `poweroff` or Ctrl-A X ends it.", flush=True)
    with (
        scripts([LIBRARY], options) as folder,
        guest_machine.Machine(options.machine, packages, LOGS, folder, interactive=True) as machine,
    ):
        machine.start()
        return machine.wait()


def run(options: Options) -> int:
    """Boots, runs the script and powers off; prints the guest's output. Returns the script's exit code."""
    assert options.run is not None
    packages = guest_packages.ensure()
    title = f"guest on {options.device.value}"
    with scripts([LIBRARY], options) as folder:
        shutil.copyfile(options.run, folder / "run")
        with guest_machine.Machine(options.machine, packages, LOGS, folder) as machine:
            with steps.Ticker(f"{title}: boot"):
                machine.start()
            steps.done(f"{title}: boot", machine.boot_seconds, f"disk after {machine.disk_seconds:.1f} s")
            machine.on_line = lambda line: print(line, flush=True)
            ended = machine.run("run", SCRIPT_SECONDS)
            machine.on_line = None
            machine.power_off()
    steps.done(f"{title}: {options.run.name}", ended.seconds, f"exit code {ended.code}")
    return ended.code
