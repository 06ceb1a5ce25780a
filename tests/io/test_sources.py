"""Files, folders, patterns and standard input."""

import gzip
import io
import os
import sys
import threading
from pathlib import Path

import pytest
import zstandard

from kplace.errors import Fault
from kplace.io.sources import STDIN, FoundSources, Source, SourceError, find_sources

TEXT = b'{"kind": "List", "items": []}'


def tree(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(name.encode())
    return root


def found_names(found: FoundSources, root: Path) -> list[str]:
    return [source.name.replace(f"{root}/", "") for source in found.sources]


def test_files_come_in_the_order_of_the_arguments(tmp_path):
    tree(tmp_path, "b.json", "a.yaml", "c.txt")
    found = find_sources([tmp_path / "b.json", tmp_path / "c.txt", str(tmp_path / "a.yaml")])
    assert found_names(found, tmp_path) == ["b.json", "c.txt", "a.yaml"]
    assert all(source.named for source in found.sources)
    assert not found.faults


def test_folders_are_read_recursively_by_name(tmp_path):
    tree(tmp_path, "b/2.yml", "b/1.json.gz", "a.yaml.zst", "b/c/x.JSON", "z.yaml", "LICENSE", "b/values.tpl")
    found = find_sources([tmp_path])
    assert found_names(found, tmp_path) == ["a.yaml.zst", "b/1.json.gz", "b/2.yml", "b/c/x.JSON", "z.yaml"]
    assert not any(source.named for source in found.sources)
    assert [name.replace(f"{tmp_path}/", "") for name in found.skipped] == ["LICENSE", "b/values.tpl"]


def test_hidden_files_and_folders_are_left_out_in_silence(tmp_path):
    tree(tmp_path, ".git/x.yaml", ".hidden.yaml", "a.yaml")
    found = find_sources([tmp_path])
    assert (found_names(found, tmp_path), found.skipped) == (["a.yaml"], [])


def test_a_pattern(tmp_path):
    tree(tmp_path, "1/pods.json", "2/pods.json", "2/nodes.json", "2/notes.txt", "3/deep/er.yaml")
    assert found_names(find_sources([f"{tmp_path}/*/pods.json"]), tmp_path) == ["1/pods.json", "2/pods.json"]
    found = find_sources([f"{tmp_path}/**/*"])
    assert found_names(found, tmp_path) == ["1/pods.json", "2/nodes.json", "2/pods.json", "3/deep/er.yaml"]
    assert [Path(name).name for name in found.skipped] == ["notes.txt"]


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path):
    tree(tmp_path, "a[1].yaml", "a1.yaml")
    assert found_names(find_sources([tmp_path / "a[1].yaml"]), tmp_path) == ["a[1].yaml"]


def test_each_file_is_read_once(tmp_path):
    tree(tmp_path, "a.yaml", "b.yaml")
    (tmp_path / "c.yaml").symlink_to(tmp_path / "a.yaml")
    found = find_sources([tmp_path / "b.yaml", tmp_path, tmp_path / "a.yaml", "-", "-"])
    assert found_names(found, tmp_path) == ["b.yaml", "a.yaml", STDIN]


def test_folders_given_again_are_no_fault(tmp_path):
    tree(tmp_path, "a/b/x.yaml")
    found = find_sources([tmp_path / "a/b", tmp_path / "a", tmp_path, f"{tmp_path}/*", f"{tmp_path}/a/b/*.yaml"])
    assert (found_names(found, tmp_path), found.faults) == (["a/b/x.yaml"], [])


def test_links_in_a_circle_end(tmp_path):
    tree(tmp_path, "a/b/x.yaml")
    (tmp_path / "a/b/up").symlink_to(tmp_path / "a", target_is_directory=True)
    (tmp_path / "self").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    found = find_sources([tmp_path])
    assert found_names(found, tmp_path) == ["a/b/x.yaml"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.yaml", "does not exist"),
        ("none-*.yaml", "matches no file"),
        ("unreadable", "holds no file that can be read (*.json, *.yaml, *.yml, also .gz or .zst)"),
        ("empty", "holds no files, hidden ones aside"),
    ],
)
def test_what_stands_for_nothing_is_a_fault(tmp_path, name, message):
    tree(tmp_path, "unreadable/README.md", "empty/.x.yaml")
    (fault,) = find_sources([tmp_path / name]).faults
    assert fault.source == str(tmp_path / name)
    assert fault.message == message


def test_all_such_faults_at_once(tmp_path):
    found = find_sources(["no-1", "no-2*", tmp_path])
    assert [fault.source for fault in found.faults] == ["no-1", "no-2*", str(tmp_path)]
    assert found.faults[0] == Fault("no-1", "", "", "does not exist")


def compressed(form: str) -> bytes:
    if form == "gzip":
        return gzip.compress(TEXT[:10]) + gzip.compress(TEXT[10:])
    return zstandard.compress(TEXT[:10]) + zstandard.compress(TEXT[10:])


@pytest.mark.parametrize("form", ["gzip", "zstd"])
@pytest.mark.parametrize("name", ["x.json", "x.json.gz", "x.json.zst", "x"])
def test_compression_is_told_by_content_and_may_have_several_members(tmp_path, form, name):
    (tmp_path / name).write_bytes(compressed(form))
    assert Source(name, tmp_path / name).read() == TEXT


@pytest.mark.parametrize("form", ["gzip", "zstd"])
def test_damaged_compression_is_told(tmp_path, form):
    (tmp_path / "x").write_bytes(compressed(form) + b"\xff" * 20)
    with pytest.raises(SourceError, match=f"is damaged {form} data"):
        Source("x", tmp_path / "x").read()


@pytest.mark.parametrize("form", ["gzip", "zstd"])
def test_cut_off_compression_is_told(tmp_path, form):
    (tmp_path / "x").write_bytes(compressed(form)[:-5])
    with pytest.raises(SourceError, match=f"is damaged {form} data"):
        Source("x", tmp_path / "x").read()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PK\x03\x04rest", "is a zip archive"),
        (b"\0" * 257 + b"ustar\0", "is a tar archive"),
        (gzip.compress(b"\0" * 257 + b"ustar\0", mtime=0), "is a tar archive"),
        (b"\xff\xfe\x00", "begins as UTF-16"),
    ],
)
def test_other_formats_are_named(tmp_path, data, message):
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(SourceError, match=message):
        Source("x", tmp_path / "x").read()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-8"])
def test_byte_order_marks(tmp_path, encoding):
    (tmp_path / "x").write_bytes('name: "é"'.encode(encoding))
    assert Source("x", tmp_path / "x").read() == 'name: "é"'.encode()


def test_standard_input(monkeypatch):
    class Stdin:
        buffer = io.BytesIO(gzip.compress(TEXT))

    monkeypatch.setattr(sys, "stdin", Stdin)
    (source,) = find_sources(["-"]).sources
    assert (source.name, source.read()) == ("<stdin>", TEXT)


def test_a_pipe_is_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (source,) = find_sources([tmp_path / "pipe"]).sources
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=[TEXT])
    writer.start()
    assert source.read() == TEXT
    writer.join()


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("target", ["gone.yaml", "x.yaml"])
def test_a_link_that_leads_nowhere_is_called_one(tmp_path, target, named):
    (tmp_path / "x.yaml").symlink_to(target)
    (source,) = find_sources([tmp_path / "x.yaml" if named else tmp_path]).sources
    with pytest.raises(SourceError, match=f"is a link to {target}, which leads nowhere"):
        source.read()


def test_a_folder_that_may_not_be_read_is_one_fault(tmp_path, monkeypatch):
    (tmp_path / "locked").mkdir()

    def refuse(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    (fault,) = find_sources([tmp_path / "locked"]).faults
    assert str(fault) == f"{tmp_path / 'locked'}: cannot be read: Permission denied"


@pytest.mark.parametrize(
    ("name", "is_yaml"),
    [("a.yaml", True), ("a.YML.gz", True), ("a.yaml.zst", True), ("a.json", False), ("yaml", False), (STDIN, False)],
)
def test_yaml_by_name(name, is_yaml):
    assert Source(name).is_yaml is is_yaml
