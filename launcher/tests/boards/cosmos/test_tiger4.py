# SPDX-License-Identifier: Apache-2.0
"""The user's clone is compared with what the design expects of its IPs."""

from __future__ import annotations

from pathlib import Path

import pytest

from launcher.boards.board import BoardFailed
from launcher.boards.cosmos import board_facts, tcl_record, tiger4

FACTS = board_facts.load()
IPS = tcl_record.load_ips()
_SPACE = 'xmlns:s="http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009"'


def description(name: str, version: str) -> str:
    """An IP's description as a packager writes it, made from what the design expects."""
    ip = IPS[f"ENCLab:ip:{name}"]
    buses = "".join(
        f'<s:busInterface><s:name>{bus}</s:name><s:busType s:vendor="v" s:name="{of.kind}"/><s:{of.mode}/>'
        "</s:busInterface>"
        for bus, of in ip.interfaces.items()
    )
    ports = "".join(
        f"<s:port><s:name>{pin}</s:name><s:wire><s:direction>{of.direction}</s:direction>"
        + (f"<s:vector><s:left>{of.bits - 1}</s:left><s:right>0</s:right></s:vector>" if of.bits > 1 else "")
        + "</s:wire></s:port>"
        for pin, of in ip.pins.items()
    )
    return (
        f"<s:component {_SPACE}><s:vendor>ENCLab</s:vendor><s:library>ip</s:library><s:name>{name}</s:name>"
        f"<s:version>{version}</s:version><s:busInterfaces>{buses}</s:busInterfaces>"
        f"<s:model><s:ports>{ports}</s:ports></s:model></s:component>"
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the shape of the authors' repository."""
    for name, version in FACTS.nand["versions"].items():
        place = tmp_path / FACTS.nand["ip_folder"] / f"folder-of-{name}"
        place.mkdir(parents=True)
        (place / "component.xml").write_text(description(name, version))
    code = tmp_path / FACTS.nand["microcode"]
    code.parent.mkdir(parents=True)
    code.write_text("")
    return tmp_path


def differences(folder: Path) -> list[str]:
    return tiger4.differences(FACTS, tiger4.find(FACTS, folder), IPS)


def edit(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / FACTS.nand["ip_folder"] / f"folder-of-{name}" / "component.xml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_a_clone_with_these_ips_is_taken(folder: Path) -> None:
    assert differences(folder) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "found"),
    [
        ("Tiger4NSC", "1.2.5", "1.2.3", "version 1.2.3, the facts are of 1.2.5"),
        ("Tiger4NSC", ">D_AXI<", ">E_AXI<", "interface D_AXI is None"),
        ("V2NFC100DDR", ">O_NAND_CE<", ">O_NAND_CEN<", "pin O_NAND_CE is ''"),
        ("V2NFC100DDR", "<s:left>7</s:left>", "<s:left>3</s:left>", "of 4 bits"),
        ("Tiger4SharedKES", "<s:slave/>", "<s:master/>", "not slave SharedKESInterface"),
        ("Tiger4SharedKES", "<s:name>Tiger4SharedKES</s:name>", "<s:name>Other</s:name>", "no such IP"),
    ],
)
def test_another_ip_is_found(folder: Path, name: str, old: str, new: str, found: str) -> None:
    edit(folder, name, old, new)
    wrong = differences(folder)
    assert any(found in line for line in wrong), wrong


def test_a_description_that_is_none_is_refused(folder: Path) -> None:
    edit(folder, "Tiger4NSC", "</s:component>", "")
    with pytest.raises(BoardFailed, match=r"component\.xml"):
        differences(folder)
    edit(folder, "Tiger4NSC", "<s:component", '<!DOCTYPE x [<!ENTITY a "b">]><s:component')
    with pytest.raises(BoardFailed, match="document type"):
        differences(folder)


def test_a_folder_that_is_no_clone_is_refused(folder: Path) -> None:
    with pytest.raises(BoardFailed, match="has no folder"):
        tiger4.find(FACTS, folder / "project")
    (folder / FACTS.nand["microcode"]).unlink()
    with pytest.raises(BoardFailed, match="has no file"):
        tiger4.find(FACTS, folder)
