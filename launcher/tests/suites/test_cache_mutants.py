# SPDX-License-Identifier: Apache-2.0
"""The firmware's calls that move cache lines, and the mutants that leave one of them out."""

from __future__ import annotations

import re
from pathlib import Path

from launcher.env.paths import ROOT
from launcher.suites import crash

SOURCES = ROOT / "firmware" / "src"
HAL = "hal"  # defines them
TESTS = ROOT / "verify" / "tests" / "device"
_FUNCTION = re.compile(r"^[a-z][^;={]*?\b(\w+)\([^;{]*\) \{", re.MULTILINE)  # its definition, up to the brace
_CALL = re.compile(r"\bhal_(clean|invalidate)\(")


def calls_of(path: Path) -> list[str]:
    """call/file/function of each call in a source, as FW_CACHE_MUTANT_LIST names them."""
    text = path.read_text()
    functions = [(match.start(), match[1]) for match in _FUNCTION.finditer(text)]
    return [
        f"{call[1]}/{path.stem}/{[name for begin, name in functions if begin < call.start()][-1]}"
        for call in _CALL.finditer(text)
    ]


def test_a_call_is_named_after_its_function(tmp_path: Path) -> None:
    source = tmp_path / "unit.c"
    source.write_text(
        "static void one(struct fw *fw,\n                uint32_t a) {\n  if (a) hal_clean(fw->p, a, 1);\n}\n\n"
        "bool two(void) {\n  hal_invalidate(p, 1, 1);\n  hal_clean(p, 1, 1);\n}\n"
    )
    assert calls_of(source) == ["clean/unit/one", "invalidate/unit/two", "clean/unit/two"]


def test_each_call_has_a_mutant() -> None:
    calls = [call for path in sorted(SOURCES.rglob("*.[ch]")) if path.stem != HAL for call in calls_of(path)]
    assert len(calls) >= 16
    assert len(set(calls)) == len(calls), "a function has two of the same kind: they need names of their own"
    listed = crash.listed_mutants("firmware/include/fw_mutant.h", "FW_CACHE_MUTANT_LIST")
    assert sorted(name for name, _, _ in listed) == sorted(calls)


def test_each_mutant_names_a_test_of_cached_devices() -> None:
    sources = "\n".join(path.read_text() for path in TESTS.glob("*.cc"))
    for name, test, what in crash.listed_mutants("firmware/include/fw_mutant.h", "FW_CACHE_MUTANT_LIST"):
        suite, case = test.split(".")
        assert f"TEST_P({suite}, {case})" in sources, name
        assert f"INSTANTIATE_TEST_SUITE_P(Cached, {suite}," in sources, name
        assert what, name
