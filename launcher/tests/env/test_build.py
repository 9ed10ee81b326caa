# SPDX-License-Identifier: Apache-2.0
"""launcher.env.build: the steps of a build, their order and their failures. The tools are stand-ins."""

from pathlib import Path

import pytest

from launcher.env import build, steps
from launcher.env.paths import RELEASE, RTL, SANITIZED, THREADS
from launcher.firmware import images
from launcher.hw import rtl, soc


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """Records the commands instead of running them."""
    seen: list[list[str]] = []
    monkeypatch.setattr(steps, "must", lambda title, command, log, **_: seen.append(command))
    monkeypatch.setattr(build, "BUILD", tmp_path)
    monkeypatch.setattr(rtl, "controller_is_current", lambda: True)
    monkeypatch.setattr(rtl, "soc_controller_is_current", lambda: True)
    monkeypatch.setattr(rtl, "emit_soc_controller", lambda: seen.append(["emit soc"]))
    monkeypatch.setattr(soc, "is_current", lambda: True)
    monkeypatch.setattr(soc, "generate", lambda: seen.append(["soc"]))
    monkeypatch.setattr(soc, "is_there", lambda: ["soc"] in seen)
    monkeypatch.setattr(images, "build", lambda ports=images.ALL: seen.append(["image", *(p.name for p in ports)]))
    return seen


def test_a_build_generates_emits_configures_and_compiles_in_this_order(
    commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rtl, "controller_is_current", lambda: False)
    monkeypatch.setattr(rtl, "emit_controller", lambda: commands.append(["emit"]))
    build.everything(("db_bench",))
    assert [Path(command[0]).name for command in commands][1:] == ["emit", "image", "cmake", "ninja"]
    assert commands[0][-1].endswith("interfaces/generate.py")
    assert commands[-1][-1] == "db_bench"


def test_the_soc_is_built_on_its_first_use_and_from_then_on(
    commands: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(soc, "is_current", lambda: ["soc"] in commands)
    build.everything()
    assert ["image", "zynq"] in commands and ["emit soc"] not in commands
    assert "soc" not in capsys.readouterr().err.lower()
    commands.clear()
    build.everything(with_soc=True)
    assert [Path(command[0]).name for command in commands][1:] == ["emit soc", "soc", "image", "cmake", "ninja"]
    assert ["image", "litex", "zynq"] in commands
    assert "the device soc is used for the first time" in capsys.readouterr().err
    build.everything()
    assert commands.count(["soc"]) == 1, "it is current"
    assert commands.count(["image", "litex", "zynq"]) == 2, "it follows the sources"
    assert "for the first time" not in capsys.readouterr().err


def test_a_controller_that_is_current_is_not_emitted_again(
    commands: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> None:
        raise AssertionError("nothing has changed")

    monkeypatch.setattr(rtl, "emit_controller", refuse)
    build.verilog()
    assert commands == []
    assert "unchanged" in capsys.readouterr().err


def test_only_the_sanitizer_build_has_sanitizers(commands: list[list[str]]) -> None:
    build.native(RELEASE)
    build.native(SANITIZED, ("one", "two"))
    build.native(THREADS)
    image, configured, compiled, configured_asan, compiled_asan, configured_tsan, _ = commands
    assert image == ["image", "zynq"], "the other builds have no QEMU"
    assert "-DOPENREMAP_SANITIZE=OFF" in configured
    assert "-DOPENREMAP_SANITIZE=ON" in configured_asan
    assert "-DOPENREMAP_SANITIZE=THREADS" in configured_tsan
    assert not any("SOC_TRACE" in word for word in configured)
    for command in (configured, configured_asan):
        assert f"-DOPENREMAP_RTL_DIR={RTL}" in command
    assert compiled == ["ninja", "-C", str(RELEASE), "-j", str(build.JOBS)], "no target: all of them"
    assert compiled_asan[2:3] + compiled_asan[-2:] == [str(SANITIZED), "one", "two"]


def test_waveforms_of_the_soc_are_compiled_when_they_are_asked_for(commands: list[list[str]]) -> None:
    build.everything(("db_bench",), soc_waveforms=True)
    assert "-DOPENREMAP_SOC_TRACE=fst" in commands[-2]


def test_a_step_that_fails_ends_the_build(commands: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(title: str, command: list[str], log: Path, **_: object) -> None:
        commands.append(command)
        if command[0] == "cmake":
            raise steps.StepFailed(f"{title} failed")

    monkeypatch.setattr(steps, "must", fail)
    with pytest.raises(steps.StepFailed, match="configure"):
        build.everything()
    assert commands[-1][0] == "cmake", "nothing is compiled after that"


def test_an_emitter_that_fails_ends_the_build(commands: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise rtl.EmitError("no such module")

    monkeypatch.setattr(rtl, "controller_is_current", lambda: False)
    monkeypatch.setattr(rtl, "emit_controller", fail)
    with pytest.raises(rtl.EmitError, match="no such module"):
        build.everything()
    assert [command[0] for command in commands if command[0] in ("cmake", "ninja")] == []
