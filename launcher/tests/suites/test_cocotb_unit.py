# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.cocotb_unit: reading the results of a unit's cocotb cases."""

from pathlib import Path

from launcher.suites.cocotb_unit import read_results


def test_failures_are_named_with_their_reason(tmp_path: Path) -> None:
    path = tmp_path / "results.xml"
    path.write_text(
        "<testsuites><testsuite>"
        '<testcase name="good"/>'
        '<testcase name="bad"><failure message="5 is not 6"/></testcase>'
        '<testcase name="stopped"><error message="assertion in the RTL"/></testcase>'
        '<testcase name="later"><skipped/></testcase>'
        "</testsuite></testsuites>"
    )
    assert read_results(path) == (1, {"bad": "5 is not 6", "stopped": "assertion in the RTL"})
