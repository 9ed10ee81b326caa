# SPDX-License-Identifier: Apache-2.0
"""launcher.hw.formal_table: the page of proofs says what proofs.toml has."""

from __future__ import annotations

from pathlib import Path

import pytest

from launcher.hw import formal, formal_table
from launcher.hw.formal_tools import Proof


def proof(**fields: object) -> Proof:
    entry = {"unit": "Adder", "shows": "adds", "statement": "The sum is\nright", "size": "4 bits"}
    return Proof(**{**entry, "bounded": 7, "cover": 3, "mutants": (), **fields})  # type: ignore[arg-type]


def test_the_page_has_the_table_of_the_proofs() -> None:
    assert formal_table.main(["--check"]) == 0


def test_a_proof_without_induction_is_called_bounded() -> None:
    assert formal_table.method(proof()) == "bounded: 7 cycles from reset"
    assert formal_table.method(proof(induction=2)) == "for ever, k = 2"
    assert formal_table.method(proof(induction=2, leaves=("no_loss",))) == (
        "for ever, k = 2; no_loss: 7 cycles from reset"
    )
    # Each proof of the project that has no induction is named with its bound.
    for unit in formal.known().values():
        assert formal_table.method(unit).startswith("bounded" if unit.induction is None else "for ever")


def test_a_row_has_the_statement_in_one_line() -> None:
    assert "\n| Adder | The sum is right | 4 bits | bounded: 7 cycles from reset |\n" in formal_table.table([proof()])


def test_a_page_that_differs_is_reported_and_written_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "formal.md"
    page.write_text("above\n" + formal_table.BEGIN + "old\n" + formal_table.END + "\nbelow\n")
    assert formal_table.main(["--check"], page) == 1
    assert "run python -m launcher.hw.formal_table" in capsys.readouterr().err
    assert formal_table.main([], page) == 0
    assert formal_table.main(["--check"], page) == 0
    text = page.read_text()
    assert text.startswith("above\n")
    assert text.endswith("\nbelow\n")
    assert "| RemapTable |" in text


def test_a_page_without_the_marks_is_an_error() -> None:
    with pytest.raises(ValueError, match="marks"):
        formal_table.written("no table here", [])


def test_an_unknown_option_is_wrong_use() -> None:
    assert formal_table.main(["--chek"]) == 2
