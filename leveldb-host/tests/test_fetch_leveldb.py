# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/fetch_leveldb.py that need no network."""

from __future__ import annotations

import importlib.util
import io
import tarfile
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SPEC = importlib.util.spec_from_file_location("fetch_leveldb", HERE.parent / "scripts" / "fetch_leveldb.py")
assert SPEC is not None and SPEC.loader is not None
fetch = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(fetch)


class SourceEntries(unittest.TestCase):
    """Source entries are the machine's binary ones with the type changed."""

    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.apt = Path(self.folder.name)
        (self.apt / "sources.list.d").mkdir()

    def test_one_line_and_deb822(self) -> None:
        (self.apt / "sources.list").write_text("# deb old\ndeb [signed-by=k] mirror suite main\ndeb-src m s main\n")
        (self.apt / "sources.list.d" / "a.sources").write_text(
            "# comment\nTypes: deb\nURIs: mirror\nSuites: one two\n\nEnabled: no\nTypes: deb\nURIs: off\n\n"
            "Types: deb deb-src\nURIs: both\n"
        )
        (self.apt / "sources.list.d" / "b.list").write_text("deb other suite main\n")
        (self.apt / "sources.list.d" / "c.list.disabled").write_text("deb disabled suite main\n")
        one_line, deb822 = fetch.source_entries(self.apt)
        self.assertEqual(one_line, "deb-src [signed-by=k] mirror suite main\ndeb-src other suite main\n")
        self.assertEqual(deb822, "Types: deb-src\nURIs: mirror\nSuites: one two\n\nTypes: deb-src\nURIs: both\n")

    def test_nothing_configured(self) -> None:
        lock = {"package": "p", "version": "1", "orig_tarball": "p.tar.gz", "orig_sha256": "0"}
        with self.assertRaisesRegex(fetch.FetchError, "no Debian package source"):
            fetch.download(lock, self.apt / "x", self.apt)


class Tarball(unittest.TestCase):
    """What is unpacked is what was pinned, and stays inside its folder."""

    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def pack(self, members: dict[str, bytes]) -> Path:
        tarball = self.path / "x.tar.gz"
        with tarfile.open(tarball, "w:gz") as archive:
            for name, content in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        return tarball

    def test_wrong_hash_is_refused(self) -> None:
        tarball = self.pack({"top/a": b"1"})
        with self.assertRaisesRegex(fetch.FetchError, "expected 00"):
            fetch.check(tarball, {"orig_sha256": "00"})

    def test_members_outside_are_refused(self) -> None:
        for name in ("../evil", "/evil", "top/../../evil"):
            with self.assertRaisesRegex(fetch.FetchError, "unsafe archive member"):
                fetch.unpack(self.pack({name: b"1"}), self.path / "out")

    def test_mirror_touches_only_what_differs(self) -> None:
        tree = self.path / "tree"
        (tree / "sub").mkdir(parents=True)
        (tree / "sub" / "same").write_text("same")
        (tree / "changed").write_text("old")
        target = self.path / "target"
        fetch.mirror(tree, target)
        before = (target / "sub" / "same").stat().st_mtime_ns
        (target / "stray").write_text("stray")
        (tree / "changed").write_text("new")
        fetch.mirror(tree, target)
        self.assertEqual((target / "changed").read_text(), "new")
        self.assertEqual((target / "sub" / "same").stat().st_mtime_ns, before)
        self.assertFalse((target / "stray").exists())


class Patches(unittest.TestCase):
    """The series as it lies in the repository."""

    def test_numbered_with_a_reason_and_few_context_lines(self) -> None:
        patches = sorted((HERE.parent / "patches").glob("*.patch"))
        self.assertTrue(patches)
        for number, patch in enumerate(patches, start=1):
            self.assertRegex(patch.name, rf"^{number:04}-[a-z0-9-]+\.patch$")
            text = patch.read_text(encoding="utf-8")
            self.assertFalse(text.startswith("diff"), f"{patch.name}: says no reason")
            self.assertLess(len(text.splitlines()), 80, f"{patch.name}: hooks only")

    def test_patch_that_does_not_apply_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            patch = Path(name) / "0009-wrong.patch"
            patch.write_text("why\n\n--- a/file\n+++ b/file\n@@ -1 +1 @@\n-not there\n+new\n")
            (Path(name) / "file").write_text("other\n")
            with self.assertRaisesRegex(fetch.FetchError, "0009-wrong"):
                fetch.apply_patches(Path(name), [patch])


if __name__ == "__main__":
    unittest.main()
