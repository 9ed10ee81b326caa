# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.firmware_check: the checks of the call graph and the includes, on small programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from launcher.suites.call_graph import CheckError
from launcher.suites.firmware_check import (
    LAYERS,
    SOURCES,
    Graph,
    circles,
    includes,
    layers,
    limit,
    main,
    owners,
    read_graph,
    upward,
)

# Functions that read from and write to a frame, so that GCC cannot remove it.
LIBRARY = "unsigned long strlen(const char *); void *memmove(void *, const void *, unsigned long);"


def graph_of(tmp_path: Path, **units: str) -> Graph:
    sources = []
    for name, text in units.items():
        sources.append(tmp_path / f"{name}.c")
        sources[-1].write_text(text)
    return read_graph(sources, tmp_path)


def test_the_deepest_path_is_found(tmp_path: Path) -> None:
    graph = graph_of(
        tmp_path,
        one="int far(int); int near(int x) { return x + 1; }\nint in(int x) { return near(x) + far(x); }\n",
        two=f"{LIBRARY} int far(int x) {{ char b[400]; memmove(b, (void *)(long)x, 400); return (int)strlen(b); }}\n",
    )
    depth, path = graph.deepest("in")
    assert path[:2] == ["in", "far"] and len(path) == 3
    assert 400 + 64 < depth < 600


def test_tables_of_functions_are_followed(tmp_path: Path) -> None:
    text = f"""
        {LIBRARY}
        static int small(int x) {{ return x; }}
        static int large(int x) {{ char b[999]; memmove(b, (void *)(long)x, 999); return (int)strlen(b); }}
        static int (*const table[])(int) = {{small, large}};
        int in(int x) {{ return table[x & 1](x) + 1; }}
    """
    graph = graph_of(tmp_path, one=text)
    assert graph.deepest("in")[1][:2] == ["in", "one.c:large"]


def test_tables_may_name_functions_of_other_units(tmp_path: Path) -> None:
    table = """
        int far(int);
        static int near(int x) { return x; }
        static int (*const volatile table[])(int) = {near, far};
        int in(int x) { return table[x & 1](x) + 1; }
    """
    far = f"{LIBRARY} int far(int x) {{ char b[999]; memmove(b, (void *)(long)x, 999); return (int)strlen(b); }}\n"
    graph = graph_of(tmp_path, one=table, two=far)
    assert graph.deepest("in")[1][:2] == ["in", "far"]
    assert graph.between_files() == {"one.c": {"two.c"}, "two.c": set()}


def test_recursion_is_refused_through_a_table_too(tmp_path: Path) -> None:
    direct = graph_of(
        tmp_path, one="int b(int); int a(int x) { return b(x) + 1; }\nint b(int x) { return a(x) * 3; }\n"
    )
    with pytest.raises(CheckError, match="recursion: a -> b -> a"):
        direct.deepest("a")
    text = """
        int in(int);
        static int again(int x) { return in(x) + 1; }
        static int (*const volatile table[])(int) = {again};
        int in(int x) { return table[x](x) + 1; }
    """
    with pytest.raises(CheckError, match=r"recursion: in -> two\.c:again -> in"):
        graph_of(tmp_path, two=text).deepest("in")


def test_what_is_unknown_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckError, match="in calls puts, whose frame is unknown"):
        graph_of(tmp_path, one='int puts(const char *); int in(void) { return puts("") + 1; }\n').deepest("in")
    with pytest.raises(CheckError, match="calls through a pointer"):
        graph_of(tmp_path, two="int in(int (*f)(void)) { return f() + 1; }\n").deepest("in")
    with pytest.raises(CheckError, match="not bounded"):
        graph_of(tmp_path, three="void use(char *); void in(int n) { char b[n]; use(b); }\n")


def test_the_port_is_not_followed(tmp_path: Path) -> None:
    assert graph_of(tmp_path, one="int hal_read(int (*f)(void)) { return f() + 1; }\n").deepest("hal_read")[1] == [
        "hal_read"
    ]


def test_a_circle_of_files_is_found(tmp_path: Path) -> None:
    # b reaches c through a table only; d is called, and calls nobody.
    units = {
        "a": "int b(int); int d(int); int a(int x) { return b(x) + d(x); }\n",
        "b": "int c(int); int (*const volatile table[])(int) = {c};\nint b(int x) { return table[0](x) + 1; }\n",
        "c": "int a(int); int c(int x) { return a(x) * 3; }\n",
        "d": "int d(int x) { return x + 2; }\n",
    }
    calls = graph_of(tmp_path, **units).between_files()
    assert circles(calls) == ["circle: a.c -> b.c -> c.c -> a.c"]
    calls["c.c"].clear()
    assert circles(calls) == []


def test_an_edge_upward_is_found() -> None:
    order = ("low", "high")
    assert upward([("high/a.c", "low/b.c"), ("low/b.c", "low/c.c")], order) == []
    assert upward([("low/b.c", "high/a.c")], order) == ["upward: low/b.c -> high/a.c"]
    assert upward([("high/a.c", "new/b.c")], order) == ["folder 'new' is in no layer: high/a.c -> new/b.c"]


def test_an_include_upward_is_found(tmp_path: Path) -> None:
    for folder in LAYERS[:2]:
        (tmp_path / folder).mkdir()
    low, high = LAYERS[:2]
    (tmp_path / high / "x.h").write_text('#include <stdint.h>\n#include "orm_regs.h"\n')
    (tmp_path / low / "y.c").write_text(f'#include "fw.h"\n#include "{high}/x.h"\n')
    assert upward(includes(tmp_path)) == [f"upward: {low}/y.c -> {high}/x.h"]


def test_the_firmware_has_layers_and_owners() -> None:
    assert {path.name for path in SOURCES.iterdir() if path.is_dir()} == set(LAYERS)
    assert "no circle" in layers()
    assert "each is written where it belongs" in owners()


def test_there_is_a_limit_and_a_usage() -> None:
    assert limit() > 1024
    assert main([]) == 2
    assert main(["heap"]) == 2
