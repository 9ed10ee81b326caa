# SPDX-License-Identifier: Apache-2.0
"""Every test's files and sockets are its own: tests run side by side, and so do builds of one tree.

C++ tests use testing/temp_dir.h, Python tests pytest's `tmp_path` or the module tempfile, and a test that CTest runs
by a command line names files that no other test of its folder names.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from launcher.env.paths import ROOT

# Names in a folder that tests share.
SHARED = {
    ".cc": re.compile(
        r"""\bTempDir\(\)                                  # gtest's, the same for all tests
          | \btemp_directory_path\b | \bmkdtemp\b | \btmpnam\b | \bGetTestDirectory\b | \bP_tmpdir\b
          | "/(?:tmp|var/tmp|dev/shm)\b
          | \b(?:fopen|ofstream|ifstream|fstream|open|creat|mkfifo|freopen)\b(?:\s+\w+)?[({]
            \s*"(?!/proc|/dev/null|/dev/zero)""",
        re.X,
    ),
    ".py": re.compile(
        r"""["'f]/(?:tmp|var/tmp|dev/shm)\b | \bgettempdir\(\) | \bmktemp\(
          | (?<!\.)\bopen\(\s*["'](?!/proc|/dev/null)
          | (?<!\w)Path\(\s*["'](?!/proc|/dev/null)[^"']*["']\)\.(?:write|touch|mkdir|open)
          | \.bind\(\s*f?["']""",
        re.X,
    ),
}
SHARED[".h"] = SHARED[".cc"]
HELPER = "testing/temp_dir.h"


def sources_of_tests() -> list[Path]:
    """The tests in C++ and Python, and what they include."""
    found = [ROOT / HELPER]
    for folder in ("common", "firmware", "host-driver", "interfaces", "launcher", "leveldb-host", "sim", "verify"):
        for path in sorted((ROOT / folder).rglob("*")):
            parts = path.relative_to(ROOT).parts
            if path.suffix in SHARED and "gen" not in parts and ("tests" in parts or "cocotb" in parts):
                found.append(path)
    return found


def shared_names(path: Path, text: str) -> list[str]:
    """The lines of a test that name a file in a folder of all tests."""
    pattern = SHARED[path.suffix]
    return [f"{path.name}:{n}: {line.strip()}" for n, line in enumerate(text.splitlines(), 1) if pattern.search(line)]


def test_no_test_names_a_shared_file() -> None:
    files = sources_of_tests()
    assert len(files) > 400  # or the search found nothing to judge
    found = [
        line
        for path in files
        if path != Path(__file__) and path != ROOT / HELPER
        for line in shared_names(path, path.read_text())
    ]
    assert found == []


@pytest.mark.parametrize(
    ("suffix", "line"),
    [
        (".cc", 'const std::string path_ = ::testing::TempDir() + "/operations.txt";'),
        (".cc", 'std::ofstream out("result.txt");'),
        (".cc", 'std::ofstream("result.txt") << 1;'),
        (".cc", 'FILE *file = std::fopen("result.txt", "w");'),
        (".cc", 'options.image_dir = "/tmp/image";'),
        (".h", 'std::string folder = std::filesystem::temp_directory_path() / "x";'),
        (".py", 'with open("result.txt", "w") as out:'),
        (".py", 'Path("result.txt").write_text("x")'),
        (".py", 'server.bind("/run/socket")'),
        (".py", 'folder = Path(tempfile.gettempdir()) / "x"'),
        (".py", "SOCKET = '/tmp/socket'"),
    ],
)
def test_a_shared_name_is_found(suffix: str, line: str) -> None:
    assert shared_names(Path("test" + suffix), line) == [f"test{suffix}:1: {line}"]


@pytest.mark.parametrize(
    ("suffix", "line"),
    [
        (".cc", "const orm::TempDir folder;"),
        (".cc", 'std::ofstream out(folder.path + "/result.txt");'),
        (".cc", 'FILE *status = std::fopen("/proc/self/status", "r");'),
        (".py", 'with open(tmp_path / "result.txt", "w") as out:'),
        (".py", "with tempfile.TemporaryDirectory() as folder:"),
    ],
)
def test_a_name_of_its_own_is_not(suffix: str, line: str) -> None:
    assert shared_names(Path("test" + suffix), line) == []


# Options by which a program of CTest is told to write a file.
_WRITES = re.compile(r"--(?:json|output|reproducer|record|record-file|trace-file|image-dir|image)[= ]\"?([^\s\")]+)")


def written(folder: Path) -> list[str]:
    """The files that the tests of a CMake file write, as it names them. Variables make a name a test's own."""
    text = re.sub(r"^\s*#.*$", "", (folder / "CMakeLists.txt").read_text(), flags=re.M)
    commands = re.findall(r"add_test\((.*?)\n?\)", text, re.S)
    return [name for command in commands for name in _WRITES.findall(command)]


def test_no_two_commands_of_ctest_write_one_file() -> None:
    folders = [path.parent for path in ROOT.glob("*/**/CMakeLists.txt") if "build" not in path.relative_to(ROOT).parts]
    seen = 0
    for folder in folders:
        names = written(folder)
        seen += len(names)
        again = [name for name, count in Counter(names).items() if count > 1 and "${" not in name]
        assert again == [], folder
    assert seen > 5  # or the search found nothing to judge
