# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.firmware_owners finds writes to the struct of another unit, in small sources and in the firmware."""

from __future__ import annotations

import pytest

from launcher.suites.call_graph import CheckError
from launcher.suites.firmware_check import owners
from launcher.suites.firmware_owners import SHARED, Declarations, foreign_writes


def writes(line: str, unit: str = "pump", more: str = "") -> int:
    """How many foreign writes a function of `unit` has whose body is `line`, in a file that begins with `more`."""
    declared = Declarations()
    for name, text in {
        "fw": "struct fw {\n  int phase;\n  struct pump pump;\n  struct valve valve[4];\n};\n",
        "pump": """
struct pump {
  int speed;
  struct pump_oil oil;
  struct range range;
};
void pump_range(struct range *r);
""",
        "pump_oil": "struct pump_oil {\n  int level;\n};\n",
        "range": (
            "void range_put(struct range *r,\n               int n);\nint range_size(const struct range *r, int n);\n"
        ),
        "valve": """
struct valve {
  int open;
  int log[4];
  struct range range;
};
struct range {
  int from;
};
static inline void valve_turn(struct fw *fw, struct valve *v) { v->open = fw->phase; }
""",
    }.items():
        declared.add(text, name)
    return len(foreign_writes(f"{more}void f(struct fw *fw) {{\n  {line}\n}}\n", unit, declared))


def test_a_write_to_the_struct_of_another_unit_is_found() -> None:
    for line in ("fw->valve[1].open = 2;", "fw->valve[i].open++;", "--fw->valve[0].open;", "fw->valve[0].open |= 1;"):
        assert writes(line) == 1, line
    assert writes("struct valve *v = &fw->valve[0]; v->open = 1;") == 1
    assert writes("fw->pump.oil.level = 3;") == 1  # of pump_oil, whatever it is a part of
    assert writes("fw->pump.oil.level = 3;", "pump_oil") == 0
    for line in (
        "if (fw->valve[1].open == 2) return;",
        "fw->pump.speed = 1;",
        "fw->pump.range.from = 1;",
        "/* fw->valve[1].open = 1; */",
    ):
        assert writes(line) == 0, line


def test_the_members_of_the_context_that_are_no_structs_belong_to_its_own_unit() -> None:
    assert writes("fw->phase = 1;") == 1
    assert writes("fw->phase = 1;", "fw") == 0


def test_a_pointer_that_a_function_may_write_through_is_a_write() -> None:
    for line in (
        "memset(&fw->valve[0], 0, sizeof fw->valve[0]);",
        "memset(fw->valve[0].log, 0, sizeof fw->valve[0].log);",
        "memset(fw, 0, sizeof *fw);",
        "range_put(&fw->valve[i].range, 1);",
        "range_put(&fw->valve[i].range,\n            range_size(&fw->valve[i].range, 1));",
        "struct valve *v = &fw->valve[0]; range_put(&v->range, 2);",
        "struct valve *v = &fw->valve[0]; memset(v, 0, sizeof *v);",
    ):
        assert writes(line) == 1, line
    for line in (
        "valve_turn(fw, &fw->valve[0]);",  # the owner's
        "range_size(&fw->valve[0].range, fw->valve[0].open);",
        "memcpy(&fw->pump.speed, fw->valve[0].log, 4);",
        "range_put(&fw->pump.range, fw->valve[0].open);",
        "pump_range(&fw->pump.range);",
        "return memcmp(&fw->valve[0], &fw->valve[1], 4);",
    ):
        assert writes(line) == 0, line
    assert writes("valve_turn(fw, &fw->valve[0]);", "valve") == 0
    assert writes("pump_range(&fw->valve[0].range);") == 1  # not the owner of this one


def test_functions_of_the_same_file_are_looked_into() -> None:
    helper = "static void turn(struct valve *v, struct range *r) {\n  %s\n}\n"
    line = "struct valve *v = &fw->valve[0]; turn(v, &fw->pump.range);"
    assert writes(line, more=helper % "r->from = v->open;") == 0
    assert writes(line, more=helper % "v->open = r->from;") == 1
    assert writes("turn(NULL, &fw->valve[0].range);", more=helper % "r->from = 1;") == 1


@pytest.mark.parametrize(("home", "unit"), [(home, unit) for home, (units, _) in SHARED.items() for unit in units])
def test_each_exception_is_needed_and_has_a_reason(home: str, unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    units, reason = SHARED[home]
    assert reason
    monkeypatch.setitem(SHARED, home, (tuple(other for other in units if other != unit), reason))
    with pytest.raises(CheckError, match=rf"^{unit}\.c:\d+ writes struct \w+ of {home}\.h"):
        owners()
