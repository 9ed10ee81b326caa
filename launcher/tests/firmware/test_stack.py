# SPDX-License-Identifier: Apache-2.0
"""launcher.firmware.stack: the deepest path through an image, on small programs of this machine."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from launcher.firmware import stack
from launcher.suites.call_graph import CheckError

USE = "void *memmove(void *, const void *, unsigned long);"
PLATFORM = "struct p { int (*log)(int); }; struct m { int (*wait)(int); };"


def read(folder: Path, mains: tuple[str, ...] = ("port.c",), **units: str) -> stack.CallGraph:
    """Compiles units, NAME_c or NAME_h for a header, and reads the graph."""
    objects = []
    for name, text in units.items():
        path = folder / name.replace("_c", ".c").replace("_h", ".h")
        path.write_text(text)
    for source in sorted(folder.glob("*.c")):
        made = folder / f"{source.name}.obj"
        flags = ["-O2", "-fno-pic", "-fno-ipa-icf", "-ffunction-sections", "-fcallgraph-info=su"]
        subprocess.run(["gcc", *flags, "-c", str(source), "-o", str(made)], check=True)
        objects.append(made)
    return stack.read(objects, [folder / name for name in mains], "")


def large(name: str, size: int, scope: str = "static") -> str:
    return (
        f"{USE}\n{scope} __attribute__((noinline)) int {name}(int x)"
        f" {{ char b[{size}]; memmove(b, (void *)(long)x, {size}); return b[x & 7]; }}\n"
    )


def test_a_call_of_the_platform_reaches_what_the_port_hands_over(tmp_path: Path) -> None:
    graph = read(
        tmp_path,
        hal_h=f"#pragma once\n{PLATFORM}\nstatic inline int hal_log(struct p *p, int x) {{ return p->log(x) + 1; }}\n",
        fw_c='#include "hal.h"\nint fw_poll(struct p *p, int x) { return hal_log(p, x) * 3; }\n',
        port_c='#include "hal.h"\n'
        + large("log_line", 700)
        + large("unused", 3000)
        + "int fw_poll(struct p *, int); int keep(int x) { return unused(x) + 1; }\n"
        + "static struct p platform;\n"
        + "int port_main(int x) { platform.log = log_line; return fw_poll(&platform, x) + 1; }\n",
    )
    depth, path = graph.deepest("port_main")
    assert path[:3] == ["port_main", "fw_poll", "port.c:log_line"]
    assert 600 < depth < 1000


def test_tables_of_the_same_file_are_followed(tmp_path: Path) -> None:
    graph = read(
        tmp_path,
        port_c=large("small", 100)
        + large("big", 900)
        + "static int (*const volatile table[])(int) = {small, big};\n"
        + "int port_main(int x) { return table[x & 1](x) + 1; }\n",
    )
    assert graph.deepest("port_main")[1][:2] == ["port_main", "port.c:big"]


def test_what_has_no_bound_is_refused(tmp_path: Path) -> None:
    graph = read(
        tmp_path,
        port_c="int puts(const char *);\n"
        + "int again(int); __attribute__((noinline)) int once(int x) { return again(x + 1) * 3; }\n"
        + '__attribute__((noinline)) int again(int x) { return x > 9 ? x : once(x) + puts("") * 5; }\n'
        + "int other(int x) { return puts((char *)(long)x) + 1; }\n"
        + "int through(int (*f)(int), int x) { return f(x) + 1; }\n",
    )
    with pytest.raises(CheckError, match="recursion: "):
        graph.deepest("once")
    with pytest.raises(CheckError, match="other calls puts, whose frame is unknown"):
        graph.deepest("other")
    with pytest.raises(CheckError, match=r"through calls through a pointer in port\.c"):
        graph.deepest("through")
    dynamic = 'node: { title: "f" label: "f\\na.c:1:1\\n48 bytes (dynamic)" }'
    with pytest.raises(CheckError, match="not bounded"):
        stack.CallGraph().add(dynamic, "a.c")
