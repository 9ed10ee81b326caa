# SPDX-License-Identifier: Apache-2.0
"""The project folder for Vivado: Verilog, Tcl, constraints, the firmware's ELF, and what the board boots from."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from launcher.boards import deploy, identity, sidecar
from launcher.boards.board import BoardFailed
from launcher.boards.cosmos import (
    block_design,
    board_facts,
    boot,
    design,
    names,
    tcl_record,
    tiger4,
    wrapper,
    xdc,
)
from launcher.boards.cosmos.block_design import BlockDesign
from launcher.boards.cosmos.board_facts import Facts
from launcher.boards.cosmos.configs import BITSTREAM, NAME
from launcher.boards.cosmos.wrapper import Wrapper
from launcher.env import steps
from launcher.firmware import images
from launcher.hw import facts as hardware
from launcher.hw import rtl
from launcher.suites import verified
from launcher.suites.verified import Digests

FSBL = "fsbl.elf"
BIF = "boot.bif"
RECORD = "board.bin"
FIRMWARE = "firmware.elf"
IMAGE = "boot.bin"
STAMP = "stamp.txt"  # for bootgen: what boot.bin is made of
_MARK = ".openremap-project"  # a folder that has it may be written again

_PROJECT = """\
# SPDX-License-Identifier: Apache-2.0
# Makes the project: vivado -mode batch -source project.tcl. settings.tcl names the user's clone with Tiger4.
set here [file dirname [file normalize [info script]]]
source [file join $here settings.tcl]
if {$tiger4 eq ""} { error "settings.tcl: set tiger4 to your clone of Cosmos-plus-OpenSSD" }
set ips [file join $tiger4 @IPS@]
set microcode [file join $tiger4 @MICROCODE@]
foreach needed [list $ips $microcode] {
  if {![file exists $needed]} { error "settings.tcl: there is no $needed" }
}
create_project @NAME@ [file join $here vivado] -part @PART@
set_property ip_repo_paths [list $ips] [current_project]
update_ip_catalog
add_files -norecurse [lsort [glob [file join $here verilog *]]]
foreach name {@XDC@} { add_files -fileset constrs_1 -norecurse [file join $here constraints $name] }
# They name cells inside of IPs, which are only there after synthesis.
foreach name {@LATE@} { set_property used_in_synthesis false [get_files $name] }
source [file join $here design.tcl]
add_files -norecurse [make_wrapper -files [get_files @NAME@.bd] -top]
set_property top @NAME@_wrapper [get_filesets sources_1]
update_compile_order -fileset sources_1
"""
_BUILD = """\
# SPDX-License-Identifier: Apache-2.0
# Makes project and bitstream: vivado -mode batch -source build.tcl
source [file join [file dirname [file normalize [info script]]] project.tcl]
launch_runs impl_1 -to_step write_bitstream -jobs 4
wait_on_run impl_1
open_run impl_1
report_timing_summary -file [file join $here timing.txt]
report_cdc -details -file [file join $here cdc.txt]
report_utilization -hierarchical -file [file join $here utilization.txt]
# Tells `./openremap board build cosmos` which sources the bitstream is of.
set_property BITSTREAM.CONFIG.USERID @USER_ID@ [current_design]
write_bitstream -force [file join $here @BITSTREAM@]
# For the first boot stage.
write_hw_platform -fixed -include_bit -force -file [file join $here @NAME@.xsa]
"""


@dataclass(frozen=True)
class Project:
    """A project's parts before they are written."""

    facts: Facts
    config: str
    emitted: Path  # folder with the Verilog of CosmosTop
    wrapper: Wrapper

    @property
    def channels(self) -> int:
        return hardware.params(self.config)["channels"]

    def scripts(self, clone: tiger4.Clone | None) -> dict[str, str]:
        """The Tcl, by file name."""
        files = xdc.files_of(self.channels)
        for_name = {
            "@NAME@": names.DESIGN,
            "@PART@": self.facts.part,
            "@IPS@": self.facts.nand["ip_folder"],
            "@MICROCODE@": self.facts.nand["microcode"],
            "@XDC@": " ".join(files),
            "@LATE@": " ".join(name for name in files if name != xdc.PCIE),
            "@BITSTREAM@": BITSTREAM,
            "@USER_ID@": f"0x{user_id(self.config, verified.digests()):08X}",
        }
        settings = (
            "# SPDX-License-Identifier: Apache-2.0\n"
            "# The user's clone of github.com/Cosmos-OpenSSD/Cosmos-plus-OpenSSD.\n"
            f"set tiger4 {{{clone.folder if clone else ''}}}\n"
        )
        return {
            "settings.tcl": settings,
            "project.tcl": _filled(_PROJECT, for_name),
            "design.tcl": design.text(self.facts, self.config, self.wrapper),
            "build.tcl": _filled(_BUILD, for_name),
        }

    def write(self, out: Path, clone: tiger4.Clone | None) -> None:
        """Verilog, constraints and Tcl. What was there of them before is replaced."""
        self.write_scripts(out, clone)
        for source in rtl.verilog_sources(self.emitted):
            shutil.copyfile(source, out / "verilog" / source.name)

    def write_scripts(self, out: Path, clone: tiger4.Clone | None) -> None:
        """All of that but the Verilog of CosmosTop, which no script reads."""
        for name in ("verilog", "constraints"):
            shutil.rmtree(out / name, ignore_errors=True)
            (out / name).mkdir(parents=True)
        (out / "verilog" / f"{names.CORE_MODULE}.v").write_text(self.wrapper.text)
        texts = xdc.texts(self.facts)
        for name in xdc.files_of(self.channels):
            (out / "constraints" / name).write_text(texts[name])
        for name, text in self.scripts(clone).items():
            (out / name).write_text(text)


def _filled(text: str, for_name: dict[str, str]) -> str:
    for name, value in for_name.items():
        text = text.replace(name, value)
    return text


def user_id(config: str, built: Digests) -> int:
    """Of the bitstream, which has no firmware in it."""
    return sidecar.user_id(NAME, config, built.rtl)


def prepare(config: str) -> Project:
    """Emits the Verilog, which takes a minute when it has changed. Raises BoardFailed, EmitError."""
    facts = board_facts.load()
    with steps.Ticker(f"emit {wrapper.TOP} of {config}"):
        emitted = rtl.emit_unit(wrapper.TOP, config)
    return Project(facts, config, emitted, wrapper.make(wrapper.emitted_ports(emitted)))


def recorded(project: Project, out: Path | None = None) -> tuple[BlockDesign, list[list[str]]]:
    """Runs build.tcl, and so all Tcl of a project, against stubs; then its constraints.

    Returns the design and the calls of the constraints. `out` has the scripts; without it they are written for this.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "project"
        stand_in = Path(scratch) / "clone"  # the stubs read no IP, but the script looks for the files
        clone = tiger4.Clone(
            stand_in, stand_in / project.facts.nand["ip_folder"], stand_in / project.facts.nand["microcode"]
        )
        clone.ips.mkdir(parents=True)
        clone.microcode.parent.mkdir(parents=True)
        clone.microcode.write_text("")
        if out is None:
            project.write_scripts(folder, clone)
        else:
            shutil.copytree(out, folder)
            (folder / "settings.tcl").write_text(project.scripts(clone)["settings.tcl"])
        ips, core = tcl_record.load_ips(), block_design.core_of(project.wrapper)
        modules = {names.CORE_MODULE: core}
        calls = tcl_record.run([folder / "build.tcl"], ips, modules)
        built = block_design.build(calls, ips, modules)
        listed = [Path(call[-1]) for call in calls if call[0] == "add_files" and "constrs_1" in call]
        return built, tcl_record.run(listed, ips, modules)


def build(out: Path, config: str, path: Path | None, fsbl: Path | None, bitstream: Path | None) -> list[str]:
    """Fills the project folder; `path` is the clone with Tiger4. Returns what to tell the user. Raises BoardFailed."""
    facts = board_facts.load()
    clone = tiger4.find(facts, path) if path is not None else None
    different = tiger4.differences(facts, clone, tcl_record.load_ips()) if clone else []
    if different:
        raise BoardFailed("--tiger4: the IPs are not those that the project is for:\n  " + "\n  ".join(different))
    if out.exists() and any(out.iterdir()) and not (out / _MARK).is_file():
        raise BoardFailed(f"--out: {out} is not empty, and no project of this command")
    built = verified.digests()
    project = prepare(config)
    out.mkdir(parents=True, exist_ok=True)
    (out / _MARK).write_text(f"{config}\n")
    project.write(out, clone)
    images.build((images.ZYNQ,))
    shutil.copyfile(images.ZYNQ.elf(images.ZYNQ_FIRMWARE), out / FIRMWARE)
    shutil.copyfile(images.ZYNQ.elf(images.ZYNQ_SELF_TEST), out / "selftest.elf")
    parts = [boot.stamp_part(STAMP), f"[bootloader] {FSBL}", BITSTREAM, FIRMWARE, boot.record_part(RECORD)]
    (out / BIF).write_text(boot.bif(parts))
    _describe(out, facts, built)
    (out / "README.md").write_text(_readme(project, clone))
    deploy.require_unchanged_project(out, built)
    for name, given in ((FSBL, fsbl), (BITSTREAM, bitstream)):
        if given is not None and given.resolve() != out / name:
            shutil.copyfile(given, out / name)
    told = []
    if (out / BITSTREAM).is_file():
        told.append(deploy.note_bitstream(out / BITSTREAM, NAME, config, built, user_id(config, built)))
        if (out / FSBL).is_file():
            told += _boot_image(out, facts, config, built)
    return [f"built: {out}", *told, _missing(clone, out)]


def _describe(out: Path, facts: Facts, built: Digests) -> bytes:
    """Writes what boot.bin says of these sources: the record for the firmware, and the stamp of its header. Returns the
    stamp."""
    is_verified = not deploy.judge_sources(out / IMAGE, built).why
    serial = identity.serial_of(out / "serial.txt")
    (out / RECORD).write_bytes(boot.board_record(facts, serial, unverified=not is_verified))
    stamp = sidecar.stamp(built, is_verified)
    (out / STAMP).write_text(stamp.hex() + "\n")
    return stamp


def _boot_image(out: Path, facts: Facts, config: str, built: Digests) -> list[str]:
    """Makes boot.bin of what only Vivado can make, and the firmware of the sources at hand."""
    known = sidecar.fitting(out / BITSTREAM)
    rtl_digest = known.built.rtl if known and known.built else sidecar.UNKNOWN
    built = Digests(rtl_digest, built.firmware)
    stamp = _describe(out, facts, built)
    boot.make_image(out / BIF, out / IMAGE)
    image = (out / IMAGE).read_bytes()
    wrong = boot.image_problems(image, (out / FIRMWARE).read_bytes(), (out / RECORD).read_bytes())
    wrong += boot.stamp_problems(image, stamp)
    if wrong:
        raise BoardFailed("\n".join(wrong))
    sidecar.path_of(out / IMAGE).unlink(missing_ok=True)
    if rtl_digest != sidecar.UNKNOWN:
        sidecar.write(out / IMAGE, NAME, config, built)
    return [f"built: {out / IMAGE}", deploy.judge(out / IMAGE, NAME).text]


def _missing(clone: tiger4.Clone | None, out: Path) -> str:
    wanted = [] if clone else ["the clone with Tiger4 (--tiger4 PATH)"]
    wanted += [] if shutil.which("vivado") else ["Vivado"]
    wanted += [name for name in (FSBL, BITSTREAM) if not (out / name).is_file()]
    return f"missing here: {', '.join(wanted)}" if wanted else "nothing is missing here"


def _readme(project: Project, clone: tiger4.Clone | None) -> str:
    params = hardware.params(project.config)
    where = "" if clone else " Set the path of your clone in `settings.tcl` first."
    return f"""# OpenRemap on a Cosmos+ OpenSSD: {project.config}

{params["channels"]} channels of {params["diesPerChannel"]} ways, {params["superblocks"]} superblocks. \
docs/boards/cosmos.md of OpenRemap says what was checked of this project, and how to bring a board up.

| file | what |
|---|---|
| `project.tcl`, `design.tcl` | make the Vivado project and its block design |
| `build.tcl` | makes the project, then `{BITSTREAM}`, reports, and `cosmos.xsa` |
| `settings.tcl` | the path of your clone of Cosmos-plus-OpenSSD, whose NAND controller is used |
| `verilog/` | the controller as SystemVerilog, and its wrapper `{names.CORE_MODULE}.v` |
| `constraints/` | pins, clocks, times |
| `{FIRMWARE}` | the firmware; `selftest.elf` tests the processing system instead |
| `{RECORD}`, `serial.txt` | identity of this device |
| `{BIF}`, `{STAMP}` | what goes into `boot.bin`; digests of the sources, for its header |

1. `vivado -mode batch -source build.tcl`.{where} It ends with `{BITSTREAM}` and `cosmos.xsa`. Look into `timing.txt`:
   no path may fail. Look into `cdc.txt`: between the clocks of controller and PCIe core there may only be paths of
   synchronisers and of their memories.
2. Make the first boot stage from `cosmos.xsa` (Vitis or XSCT: template Zynq FSBL) as `{FSBL}`.
3. `./openremap board build cosmos --config {project.config} --out THIS_FOLDER --fsbl {FSBL} --bitstream {BITSTREAM}`
   makes `boot.bin`, and says whether the tests were green on the sources that bitstream and firmware are of. What it
   knows of them is in `{BITSTREAM}.json` and `boot.bin.json`. Copy `boot.bin` to the SD card.
"""
