# SPDX-License-Identifier: Apache-2.0
"""Limits of `bench`'s options, and the command line that is built from them."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from launcher.bench.bench_description import Mode, Workload
from launcher.bench.bench_options import (
    LIMITS,
    BenchOptions,
    Device,
    OptionError,
    check,
    flash_bytes,
    parse_modes,
    sizes,
    usual_value,
)
from launcher.env.paths import BUILD


def with_number(options: BenchOptions, name: str, value: int | str) -> BenchOptions:
    changed: dict[str, Any] = {name: value}
    return replace(options, **changed)


def test_defaults_are_within_their_own_limits() -> None:
    check(BenchOptions())


def test_every_choice_and_switch_is_passed_on() -> None:
    options = replace(BenchOptions(), separate="on", compactions="late", trace_verify="off", mkfs_discard="off")
    given = options.arguments(Mode.off, Path("r.json"))
    assert {"--separate=on", "--compactions=late", "--trace-verify=off", "--mkfs-discard=off"} <= set(given)
    with pytest.raises(OptionError, match="--separate: 'maybe' is none of on, off"):
        check(replace(options, separate="maybe"))


MIX = [name for name in LIMITS if name.startswith("mix_")]


@pytest.mark.parametrize("name", LIMITS)
def test_a_number_beside_its_limits_is_refused_with_its_range(name: str) -> None:
    for value in (LIMITS[name].low - 1, LIMITS[name].high + 1):
        with pytest.raises(OptionError) as error:
            check(with_number(BenchOptions(), name, value))
        message = str(error.value)
        assert message.startswith("--" + name.replace("_", "-"))
        assert str(value) in message
        assert "\n" not in message


@pytest.mark.parametrize("name", LIMITS)
def test_a_number_at_its_limits_is_taken(name: str) -> None:
    roomy = replace(BenchOptions(), key_size=10)
    for value in (LIMITS[name].low, LIMITS[name].high):
        if name in MIX:
            other = next(share for share in MIX if share != name)
            roomy = replace(roomy, workload=Workload.mix)
            for share in MIX:
                roomy = with_number(roomy, share, 100 - value if share == other else 0)
        if name.startswith("utxo_"):
            roomy = replace(roomy, workload=Workload.utxo)
        check(with_number(replace(roomy, num=1), name, value))


def test_the_shares_of_a_mix_add_up() -> None:
    mix = replace(BenchOptions(), workload=Workload.mix)
    check(mix)
    with pytest.raises(OptionError, match="add up to 101 %"):
        check(replace(mix, mix_delete=1))
    with pytest.raises(OptionError, match="--mix-delete: does not apply to fillrandom, only to mix"):
        check(replace(BenchOptions(), mix_delete=1))


def test_knobs_of_the_device_need_it(tmp_path: Path) -> None:
    check(replace(BenchOptions(), placement="table", deallocate="off", allocation="next", mapping_unit=8))
    with pytest.raises(OptionError, match="--deallocate: 'no' is none of on, off"):
        check(replace(BenchOptions(), deallocate="no"))
    for name, value in (("mapping_unit", 2), ("placement", "off"), ("precondition", True), ("over_provisioning", 7)):
        flag = "--" + name.replace("_", "-")
        with pytest.raises(OptionError, match=f"{flag}: does not apply over reflinks"):
            check(with_number(replace(BenchOptions(), reflink=tmp_path), name, value))


def test_a_choice_is_one_of_its_names() -> None:
    mix = replace(BenchOptions(), workload=Workload.mix)
    check(replace(mix, mix_keys="latest"))
    with pytest.raises(OptionError, match="--mix-keys: 'hot' is none of uniform, zipfian, latest"):
        check(replace(mix, mix_keys="hot"))


def test_more_keys_than_digits_is_refused() -> None:
    with pytest.raises(OptionError, match="--num"):
        check(replace(BenchOptions(), num=10**8 + 1, key_size=8))


def test_sizes_follow_the_data() -> None:
    small = sizes(Device.rtl, 6000, 16, 984)
    assert small == sizes(Device.model, 6000, 16, 984), "figures of the two kinds must be comparable"
    assert small == sizes(Device.rtl, 4_000_000, 16, 984), "the hardware has the flash it was built for"
    large = sizes(Device.model, 4_000_000, 16, 984)
    assert (large.write_buffer, large.max_file_size, large.level1_bytes, large.level_ratio) == (
        4 << 20,
        2 << 20,
        10 << 20,
        10,
    ), "LevelDB's own"
    flash = flash_bytes(replace(BenchOptions(), device=Device.model, geometry=large.geometry, superblocks=0))
    assert 10e9 <= flash < 10.1e9
    assert flash_bytes(BenchOptions()) == 0
    for text in ("8x4x512x256", "8x4x512x64x4"):
        assert flash_bytes(replace(BenchOptions(), device=Device.model, geometry=text, superblocks=0)) == 16 << 30, text


@pytest.mark.parametrize("text", ["8x4x64", "8x4x64x", "axbxcxd", "8x4x64x256x", "8x4x64x256x4x1", " 8x4x64x256"])
def test_geometries_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(OptionError, match="--geometry"):
        check(replace(BenchOptions(), device=Device.model, geometry=text))


def test_only_the_model_takes_a_geometry() -> None:
    check(replace(BenchOptions(), device=Device.model, geometry="8x4x64x256", superblocks=64))
    check(replace(BenchOptions(), device=Device.model, geometry="8x4x64x64x4", superblocks=64))
    with pytest.raises(OptionError, match="--geometry"):
        check(replace(BenchOptions(), geometry="8x4x64x256"))
    with pytest.raises(OptionError, match="--superblocks: 65 is not between 0 and 64"):
        check(replace(BenchOptions(), device=Device.model, geometry="8x4x64x256", superblocks=65))


def test_operations_are_traced_by_one_mode_and_replayed_by_all(tmp_path: Path) -> None:
    path = tmp_path / "operations.txt"
    options = replace(BenchOptions(), workload=Workload.ycsba, modes=(Mode.off, Mode.skip), trace=path)
    check(options)
    assert f"--trace={path}" in options.arguments(Mode.off, tmp_path)
    assert "--trace=" in options.arguments(Mode.skip, tmp_path)
    with pytest.raises(OptionError, match=r"--trace: does not apply to fillseq, only to fillzipfian, .*mixprefixdist"):
        check(replace(options, workload=Workload.fillseq))
    with pytest.raises(OptionError, match="--replay: there is no file"):
        check(replace(BenchOptions(), replay=path))
    for text in ("", "openremap-operations 2 ", "another's"):
        path.write_text(text)
        with pytest.raises(OptionError, match=r"--replay: .* is not an operation trace"):
            check(replace(BenchOptions(), replay=path))
    path.write_text("openremap-operations 1 ycsba 1000 1 16 100 0 1\nend\n")
    check(replace(BenchOptions(), replay=path))
    assert f"--replay={path}" in replace(BenchOptions(), replay=path).arguments(Mode.skip, tmp_path)
    with pytest.raises(OptionError, match=r"--replay: .* is where the results are written"):
        check(replace(BenchOptions(), replay=path, json=tmp_path / "." / path.name))
    with pytest.raises(OptionError, match=r"--trace: .* is where the results are written"):
        check(replace(options, json=path))
    with pytest.raises(OptionError, match=r"--trace: .* is where the files of a mode are written"):
        check(replace(options, trace=BUILD / "bench" / "skip.log"))
    with pytest.raises(OptionError, match=r"--plot: .* is where the results are written"):
        check(replace(options, json=tmp_path / "a.png", plot=tmp_path / "a.png"))
    with pytest.raises(OptionError, match="--last-level-ratio: 1 is neither 0 nor between 2 and 1000"):
        check(replace(options, last_level_ratio=1))
    with pytest.raises(OptionError, match="--trace: cannot be combined with --replay"):
        check(replace(options, replay=path))


def test_some_workloads_have_values_of_their_own() -> None:
    assert usual_value(Workload.mixalldist, 984, 2000) == 35
    assert usual_value(Workload.utxo, 984, 0) == 31
    assert usual_value(Workload.ycsba, 984, 0) == 984
    assert usual_value(Workload.ycsba, 984, 2000) == 2000


def test_the_largest_value_is_not_less_than_the_smallest() -> None:
    check(replace(BenchOptions(), value_size=100, value_size_max=100))
    with pytest.raises(OptionError, match="--value-size-max: 99 is smaller"):
        check(replace(BenchOptions(), value_size=100, value_size_max=99))


def test_modes_keep_their_order() -> None:
    assert parse_modes("retain, off") == (Mode.retain, Mode.off)


@pytest.mark.parametrize("text", ["", "off,", "fast", "off,off", "OFF"])
def test_bad_modes_are_refused(text: str) -> None:
    with pytest.raises(OptionError, match="--mode"):
        parse_modes(text)


def test_results_need_a_place(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(OptionError, match="--json"):
        check(replace(BenchOptions(), json=tmp_path))
    with pytest.raises(OptionError, match="--json"):
        check(replace(BenchOptions(), json=file / "below" / "a.json"))
    with pytest.raises(OptionError, match="--plot"):
        check(replace(BenchOptions(), plot=tmp_path / "picture.svg"))
    check(replace(BenchOptions(), json=tmp_path / "new" / "folder" / "a.json"))


def test_paths_are_relative_to_where_the_user_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("kept")
    check(replace(BenchOptions(), json=Path("new/a.json"), image_dir=Path("images"), trace_dir=Path("waves")))
    check(replace(BenchOptions(), json=Path("file")))
    assert (tmp_path / "file").read_text() == "kept"
    assert [path.name for path in tmp_path.iterdir()] == ["file"], "trying leaves nothing behind"
    changes: list[dict[str, Any]] = [
        {"json": Path("file/a.json")},
        {"plot": Path("file/a.png")},
        {"image_dir": Path("file")},
        {"reserve_image": True},
        {"trace_dir": Path("file/below")},
    ]
    for change in changes:
        with pytest.raises(OptionError) as error:
            check(replace(BenchOptions(), **change))
        flag = "--" + next(iter(change)).replace("_", "-")
        assert str(error.value).startswith(flag)
        assert "\n" not in str(error.value)


def test_a_place_that_takes_no_file_is_refused() -> None:
    # Not readable by anybody, including root.
    changes: list[dict[str, Any]] = [
        {"json": Path("/proc/a.json")},
        {"image_dir": Path("/proc/images")},
        {"trace_dir": Path("/proc")},
    ]
    for change in changes:
        with pytest.raises(OptionError, match="cannot write to"):
            check(replace(BenchOptions(), **change))


def test_a_pipe_is_taken_without_being_opened(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    check(replace(BenchOptions(), json=pipe))  # opening it would block until there is a reader
    assert pipe.is_fifo()


def test_a_link_is_judged_by_where_it_leads(tmp_path: Path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to("/proc/a.json")
    with pytest.raises(OptionError, match="cannot write to /proc"):
        check(replace(BenchOptions(), json=link))
    link.unlink()
    link.symlink_to(link)
    with pytest.raises(OptionError, match="--json"):
        check(replace(BenchOptions(), json=link))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_write_permission_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    with pytest.raises(OptionError, match="--json"):
        check(replace(BenchOptions(), json=tmp_path / "a.json"))


def test_a_folder_in_place_of_a_waveform_is_refused(tmp_path: Path) -> None:
    (tmp_path / "off.fst").mkdir()
    with pytest.raises(OptionError, match=r"--trace-dir: model has no waveform"):
        check(replace(BenchOptions(), device=Device.model, trace_dir=tmp_path))
    with pytest.raises(OptionError, match=r"--trace-dir: .*off\.fst is a folder"):
        check(replace(BenchOptions(), trace_dir=tmp_path))
    check(replace(BenchOptions(), device=Device.soc, modes=(Mode.base,), trace_dir=tmp_path))


def test_images_of_an_earlier_run_are_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    check(replace(BenchOptions(), image_dir=tmp_path))
    (tmp_path / "base" / "flash.img").write_text("")
    with pytest.raises(OptionError, match=r"--image-dir: .*base already holds an image"):
        check(replace(BenchOptions(), image_dir=tmp_path))
    check(replace(BenchOptions(), image_dir=tmp_path, modes=(Mode.off,)))


def test_every_option_reaches_db_bench() -> None:
    options = replace(BenchOptions(), num=77, seed=5, image_dir=Path("images"), trace_dir=Path("waves"))
    arguments = dict(argument[2:].split("=", 1) for argument in options.arguments(Mode.base, Path("r.json")))
    assert arguments["mode"] == "base"
    assert arguments["num"] == "77"
    assert arguments["seed"] == "5"
    assert arguments["json"] == "r.json"
    assert arguments["image-dir"] == "images/base"
    assert arguments["trace-file"] == "waves/base.fst"
    plain = BenchOptions().arguments(Mode.off, Path("r.json"))
    assert "--image-dir=" in plain and "--reserve-image=off" in plain
    assert "--reserve-image=on" in replace(options, reserve_image=True).arguments(Mode.base, Path("a"))
    assert "--trace-file=" in plain and not [one for one in plain if one.startswith("--trace-pages")]
    recorded = replace(options, trace_pages=Path("pages")).arguments(Mode.base, Path("r.json"))
    assert "--trace-pages=pages/base.pages" in recorded


def test_traces_of_pages_are_of_pagefs_and_lie_in_a_folder(tmp_path: Path) -> None:
    check(replace(BenchOptions(), trace_pages=tmp_path / "new"))
    (tmp_path / "file").touch()
    with pytest.raises(OptionError, match="--trace-pages: cannot write to"):
        check(replace(BenchOptions(), trace_pages=tmp_path / "file"))
    (tmp_path / "off.pages").mkdir()
    with pytest.raises(OptionError, match=r"--trace-pages: .*off\.pages is a folder"):
        check(replace(BenchOptions(), trace_pages=tmp_path))
    with pytest.raises(OptionError, match="--trace-pages: does not apply over reflinks"):
        check(replace(BenchOptions(), trace_pages=tmp_path, reflink=tmp_path))
