#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""db_bench_refused.py DB_BENCH: tests the errors of db_bench for files that options name.

An error that is found before the run prints one line and ends with exit code 2. An error during the run ends with 1.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HEAD = "openremap-operations 1 ycsba 1000 1 16 100 0 1\n"
FAILED, REFUSED = 1, 2


def complaints(program: str, folder: Path) -> list[str]:
    """What is wrong with what the program does; it works in `folder`."""
    found: list[str] = []

    def run(*arguments: str) -> tuple[int, str]:
        command = [program, "--device=mem", "--num=1000", "--value-size=100", *arguments]
        child = subprocess.run(
            command,
            cwd=folder,
            env=os.environ | {"OPENREMAP_PROGRESS": "every"},  # a run that begins tells at once
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
        )
        return child.returncode, child.stderr

    def expect(code: int, said: str, *arguments: str) -> None:
        before = sorted(folder.rglob("*"))
        got, errors = run(*arguments)
        lines = [line for line in errors.splitlines() if not line.startswith("progress ")]
        if got != code or len(lines) != 1 or said not in lines[0]:
            found.append(f"{' '.join(arguments)}: code {got}, {lines}; expected {code}, '{said}'")
        if code == REFUSED and "progress " in errors:
            found.append(f"{' '.join(arguments)}: ran before it was refused")
        if sorted(folder.rglob("*")) != before:
            found.append(f"{' '.join(arguments)}: left something")

    def replay(contents: str) -> str:
        (folder / "operations.txt").write_text(contents)
        return "--replay=operations.txt"

    expect(REFUSED, "--json=nowhere/a.json: No such file", "--json=nowhere/a.json")
    expect(REFUSED, "--trace=nowhere/a.txt: No such file", "--trace=nowhere/a.txt", "--workload=ycsba")
    expect(REFUSED, "--trace=.: Is a directory", "--trace=.", "--workload=ycsba")
    expect(REFUSED, "--replay=nowhere.txt: ", "--replay=nowhere.txt")
    for head in (
        HEAD.replace("1000", "1" + 15 * "0"),
        HEAD.replace(" 16 ", " 1 "),
        HEAD.replace(" 100 ", " 99999999999 "),
    ):
        expect(REFUSED, "line 1: --", replay(head + "get 5\nend\n"))
    with (folder / "zeros").open("wb") as zeros:
        zeros.truncate(1 << 36)  # sparse: 64 GiB without an end of a line
    expect(REFUSED, "--replay=zeros: ", "--replay=zeros")
    (folder / "zeros").unlink()
    for json in ("operations.txt", "./operations.txt"):
        given = replay(HEAD + "get 5\nend\n")
        expect(REFUSED, f"{given}: is the file of --json={json}", given, f"--json={json}")
    for name in ("json", "trace"):
        for path in ("images/nvram.img", "./images", "images/../images/off/x"):
            said = f"--{name}={path}: lies in --image-dir=images/"
            expect(REFUSED, said, "--image-dir=images/", f"--{name}={path}", "--workload=ycsba")
    for name in ("trace", "record-file", "trace-pages"):
        same = (f"--{name}=new.txt", f"--json=../{folder.name}/new.txt", "--workload=ycsba")
        expect(REFUSED, f"--{name}=new.txt: is the file of --json=", *same)
    (folder / "result.json.tmp").write_text("another's")
    code, errors = run("--json=result.json")
    if code != 0 or (folder / "result.json.tmp").read_text() != "another's":
        found.append(f"a file of the name of a temporary: code {code}, {errors}")
    for name in ("result.json", "result.json.tmp"):
        (folder / name).unlink()
    expect(REFUSED, "readrandom is no stream", replay(HEAD.replace("ycsba", "readrandom") + "get 5\nend\n"))
    expect(
        REFUSED,
        "--check=1: does not apply to ycsba, only to fillrandom, fillseq",
        replay(HEAD + "get 5\nend\n"),
        "--check=1",
    )
    expect(FAILED, "line 2: 'scan 5 -1' is no operation", replay(HEAD + "scan 5 -1\nend\n"))
    expect(FAILED, "line 4: 'get 6' after the end", replay(HEAD + "get 5\nend\nget 6\n"))
    for arguments in ((replay(HEAD + "get 5\nend\n"),), ("--workload=ycsba", "--trace=operations.txt")):
        code, errors = run("--json=result.json", *arguments)
        if code != 0 or not (folder / "result.json").is_file():
            found.append(f"{' '.join(arguments)}: code {code}, {errors}")
        (folder / "result.json").unlink(missing_ok=True)

    with (folder / "log").open("w") as log:
        log.write("before\n")
        log.flush()
        command = [program, "--device=mem", "--num=100", "--json=/dev/stdout"]
        subprocess.run(command, stdout=log, stderr=subprocess.DEVNULL, timeout=600, check=True)
    if not (folder / "log").read_text().startswith("before\n{"):
        found.append("--json=/dev/stdout > log: what the log had is gone")

    for json in ("-", "/dev/stdout"):
        with (folder / "log").open("a") as log:
            command = [
                program,
                "--device=mem",
                "--num=100",
                "--workload=ycsba",
                f"--json={json}",
                "--trace=/dev/stdout",
            ]
            child = subprocess.run(command, stdout=log, stderr=subprocess.PIPE, text=True, timeout=600)
        if child.returncode != REFUSED or "is the file of --json=/dev/stdout" not in child.stderr:
            found.append(f"--trace=/dev/stdout --json={json} > log: code {child.returncode}, {child.stderr}")

    pipe = folder / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDWR)  # for both, so that none of them waits
    code, errors = run("--json=pipe")
    if code != 0 or not pipe.is_fifo() or not os.read(reader, 1 << 16).startswith(b"{"):
        found.append(f"--json=pipe: code {code}, {errors}")
    os.close(reader)
    return found


def main(program: str) -> int:
    """Prints what is wrong; 1 when something is."""
    with tempfile.TemporaryDirectory() as folder:
        found = complaints(str(Path(program).resolve()), Path(folder))
    for complaint in found:
        print(complaint, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
