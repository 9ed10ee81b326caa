# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.call_graph: frames, calls, and functions whose addresses are taken."""

from __future__ import annotations

import pytest

from launcher.suites.call_graph import CallGraph, CheckError, addresses_taken


def test_a_call_through_a_pointer_needs_to_be_known() -> None:
    graph = CallGraph()
    graph.add(
        'node: { title: "in" label: "in\\na.c:1:1\\n16 bytes (static)" }\n'
        'edge: { sourcename: "in" targetname: "__indirect_call" label: "a.c:2:3" }\n',
        "a.c",
    )
    assert graph.frames == {"in": 16} and graph.homes == {"in": "a.c"}
    graph.reached = lambda function, unit, place: None  # type: ignore[method-assign]
    with pytest.raises(CheckError, match=r"in calls through a pointer in a\.c, and what it may reach is unknown"):
        graph.deepest("in")
    graph.reached = lambda function, unit, place: ["memcpy"]  # type: ignore[method-assign]
    assert graph.deepest("in") == (16 + 64, ["in", "memcpy"])


def test_calls_take_no_address() -> None:
    listing = """
Disassembly of section .text.in:
   0:\te8 00 00 00 00       \tcall   5 <in+0x5>
\t\t\t1: R_X86_64_PLT32\t.text.called-0x4
   5:\t48 8d 3d 00 00 00 00 \tlea    0x0(%rip),%rdi
\t\t\t8: R_X86_64_PC32\t.text.given-0x4
RELOCATION RECORDS FOR [.text.in]:
0000000000000001 R_X86_64_PLT32    .text.called-0x0000000000000004
RELOCATION RECORDS FOR [.rodata]:
0000000000000000 R_X86_64_64       .text.listed
"""
    assert addresses_taken(listing, {"called", "given", "listed"}) == {"given", "listed"}


def test_calls_of_other_processors_take_no_address() -> None:
    listing = """
Disassembly of section .text.in:
   0:\t00000097          \tauipc\tra,0x0
\t\t\t0: R_RISCV_CALL_PLT\tcalled
   4:\teb000000 \tbl\t0 <called>
\t\t\t4: R_ARM_CALL\tbranched
   8:\t00000000 \t.word\t0x00000000
\t\t\t8: R_ARM_ABS32\t.text.in
   c:\t00000537          \tlui\ta0,0x0
\t\t\tc: R_RISCV_HI20\tgiven
RELOCATION RECORDS FOR [.rodata.table]:
00000000 R_RISCV_32        listed
00000004 R_ARM_ABS32       .text.in
"""
    functions = {"called", "branched", "given", "listed", "in"}
    assert addresses_taken(listing, functions) == {"given", "listed", "in"}
    assert addresses_taken(listing.replace("00000004 R_ARM_ABS32       .text.in", ""), functions) == {"given", "listed"}
