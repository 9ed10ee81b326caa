# SPDX-License-Identifier: Apache-2.0
"""Digests: what changes one and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from launcher.figures import sources

CODE = 'int a = 1;  /* one */\nconst char *b = "// no comment";  // two\n'


def digest(root: Path, name: str, text: str) -> str:
    path = root / "part" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    found = sources.digest(["part"], root)
    path.unlink()
    return found


@pytest.mark.parametrize(
    ("name", "text", "other", "same"),
    [
        ("a.cc", CODE, CODE.replace("one", "1").replace("two", "2"), True),
        ("a.cc", CODE, CODE.replace("int a", "int  a\n"), True),
        ("a.cc", CODE, CODE.replace("= 1", "= 2"), False),
        ("a.cc", CODE, CODE.replace("// no comment", "// other text"), False),
        ("a.py", "a = 1  # one\n", "# more\na = 1\n\n", True),
        ("a.py", 'a = "# one"\n', 'a = "# two"\n', False),
        ("a.py", "if a:\n    b()\n", "if a:\n  b()\n", False),
        ("a.yaml", "a: 1 # one\n", "a: 1\n", True),
        ("a.S", "  nop /* one */\n", "nop\n", True),
        ("a.S", "  nop\n", "  ret\n", False),
        ("a.ld.in", "/* one */ ENTRY(a)\n", "ENTRY(a)\n", True),
        ("a.ld.in", "ENTRY(a)\n", "ENTRY(b)\n", False),
        ("a.patch", "+int a;  // one\n", "+int a;  // two\n", False),
        ("notes.md", "one\n", "two\n", True),
    ],
)
def test_comments_and_layout_do_not_count(tmp_path: Path, name: str, text: str, other: str, same: bool) -> None:
    assert (digest(tmp_path, name, text) == digest(tmp_path, name, other)) is same


def test_names_count_and_tests_do_not(tmp_path: Path) -> None:
    one = digest(tmp_path, "a.cc", CODE)
    assert digest(tmp_path, "b.cc", CODE) != one
    (tmp_path / "part" / "tests").mkdir(parents=True)
    (tmp_path / "part" / "tests" / "a_test.cc").write_text("int main() {}\n")
    assert digest(tmp_path, "a.cc", CODE) == one
    assert len(one) == sources.DIGITS


def test_a_set_whose_path_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        sources.digest(["gone"], tmp_path)


@pytest.mark.parametrize("name", sources.read_sets())
def test_every_set_has_sources(name: str) -> None:
    assert sources.files(sources.read_sets()[name])
