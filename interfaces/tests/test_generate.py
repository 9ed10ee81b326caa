# SPDX-License-Identifier: Apache-2.0
"""The generator end to end: what is committed is what it writes, and it says so when not."""

import subprocess
import sys
from pathlib import Path

import pytest

from interfaces.ormgen.render import OUTPUTS, Interfaces, render

ROOT = Path(__file__).resolve().parents[2]
GENERATE = ROOT / "interfaces" / "generate.py"


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    return render(Interfaces.load(ROOT / "interfaces"))


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(GENERATE), *args], capture_output=True, text=True, check=False)


def test_committed_files_are_current() -> None:
    result = run("--check")
    assert result.returncode == 0, result.stderr


def test_check_names_the_stale_file_and_the_command(tmp_path: Path) -> None:
    assert run("--root", str(tmp_path)).returncode == 0
    stale = tmp_path / "interfaces/gen/c/orm_regs.h"
    stale.write_text(stale.read_text() + "\n")
    result = run("--check", "--root", str(tmp_path))
    assert result.returncode == 1
    assert "interfaces/gen/c/orm_regs.h" in result.stderr
    assert "python interfaces/generate.py" in result.stderr


def test_writes_every_output_once_and_then_nothing(tmp_path: Path) -> None:
    first = run("--root", str(tmp_path))
    assert sorted(first.stdout.splitlines()) == sorted(f"wrote {p}" for p in OUTPUTS.values())
    assert run("--root", str(tmp_path)).stdout == ""


def test_rendering_is_deterministic(files: dict[str, str]) -> None:
    assert files == render(Interfaces.load(ROOT / "interfaces"))


def test_every_file_carries_the_licence_and_a_warning(files: dict[str, str]) -> None:
    for name, content in files.items():
        head = content[:300]
        assert "Do not edit" in head, name
        assert name.endswith(".md") or "SPDX-License-Identifier: Apache-2.0" in head, name


@pytest.mark.parametrize(("compiler", "language"), [("gcc", ["-std=c11"]), ("g++", ["-x", "c++", "-std=c++17"])])
def test_headers_compile_without_warnings(tmp_path: Path, compiler: str, language: list[str]) -> None:
    source = tmp_path / "t.c"
    source.write_text(
        """
        #include "orm_formats.h"
        #include "orm_nvme.h"
        #include "orm_regs.h"
        #include "orm_soc.h"
        #include "orm_version.h"
        #include "orm_zynq.h"
        int main(void) {
          struct orm_remap_entry e = {7, 3, 0x123456789ABCull, 0}, back;
          uint8_t b[ORM_REMAP_ENTRY_BYTES];
          orm_remap_entry_seal(&e, 5, 9, 3, b);
          if (!orm_remap_entry_open(&back, b, 5, 9, 3) || back.seq != e.seq) return 1;
          if (back.lpn != 7 || back.offset != 3) return 6;
          if (orm_remap_entry_open(&back, b, 5, 10, 3) || orm_remap_entry_open(&back, b, 4, 9, 3)) return 2;
          if (orm_remap_entry_open(&back, b, 5, 9, 4)) return 2;
          const uint8_t *check = (const uint8_t *)"123456789";
          if (orm_crc32c_final(orm_crc32c_update(ORM_CRC32C_INIT, check, 9)) != 0xE3069283u) return 3;
          if (orm_crc8_final(orm_crc8_update(ORM_CRC8_INIT, check, 9)) != 0xFBu) return 4;
          if (ORM_GET(ORM_PUT(ORM_FW_CAP_FLASH_PAGES_PER_BLOCK, 32), ORM_FW_CAP_FLASH_PAGES_PER_BLOCK) != 32) return 5;
          for (unsigned i = 0; i < sizeof b; i++) printf("%02x", b[i]);
          return 0;
        }
        """.replace("int main", "#include <stdio.h>\nint main")
    )
    program = tmp_path / "t"
    flags = ["-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wshadow"]
    include = [f"-I{ROOT}/interfaces/include", f"-I{ROOT}/interfaces/gen/c"]
    subprocess.run([compiler, *language, *flags, *include, str(source), "-o", str(program)], check=True)
    result = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert result.returncode == 0
    # C and Python agree on every byte of a salted record.
    namespace: dict[str, object] = {"__name__": "orm_formats"}
    sys.modules["orm_formats"] = sys.modules[__name__]
    exec((ROOT / OUTPUTS["orm_formats.py.j2"]).read_text(), namespace)
    entry = namespace["RemapEntry"](lpn=7, offset=3, seq=0x123456789ABC)  # type: ignore[operator]
    assert result.stdout == entry.pack(5, 9, 3).hex()


def test_scala_counters_are_in_order(files: dict[str, str]) -> None:
    interfaces = Interfaces.load(ROOT / "interfaces")
    scala = files["hw/src/gen/FwRegMap.scala"]
    positions = [scala.index(f'"{n}"') for n in ("hostReadPages", "nandErase", "gcVictims", "stallJournal")]
    assert positions == sorted(positions)
    assert scala.count('"stall') == sum(c.name.startswith("stall") for c in interfaces.counters)
