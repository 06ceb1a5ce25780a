import gzip
import io
import os
import stat

import pytest
import zstandard

from kplace.errors import OutputError
from kplace.io.atomic import writing, writing_folder


def test_a_file_is_there_when_all_of_it_is(tmp_path):
    path = tmp_path / "out.json"
    with writing(path) as file:
        file.write(b"one")
        assert not path.exists()
        file.write(b" two")
    assert path.read_bytes() == b"one two"
    assert list(tmp_path.iterdir()) == [path]


def test_new_files_have_the_usual_permissions(tmp_path):
    mask = os.umask(0o027)
    try:
        with writing(tmp_path / "out") as file:
            file.write(b"x")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_after_an_error_the_old_file_is_there_and_nothing_else(tmp_path, error):
    path = tmp_path / "out.json.gz"
    path.write_bytes(b"old")

    def fail():
        with writing(path) as file:
            file.write(b"half")
            raise error

    with pytest.raises(error):
        fail()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_names_say_how_to_compress(tmp_path):
    for name in ("a.gz", "b.zst", "c.json"):
        with writing(tmp_path / name) as file:
            file.write(b"text" * 100)
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"text" * 100
    with (tmp_path / "b.zst").open("rb") as packed:
        assert zstandard.ZstdDecompressor().stream_reader(packed).read() == b"text" * 100
    assert (tmp_path / "c.json").read_bytes() == b"text" * 100


def test_the_same_content_gives_the_same_bytes(tmp_path):
    for name in ("a.gz", "b.gz"):
        with writing(tmp_path / name) as file:
            file.write(b"text")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_open_files_are_written_to_and_left_open():
    buffer = io.BytesIO()
    with writing(buffer) as file:
        file.write(b"x")
    assert buffer.getvalue() == b"x"


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with writing(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_devices_are_written_to_as_they_are():
    with writing(os.devnull) as file:
        file.write(b"x")
    assert not os.path.isfile(os.devnull)


@pytest.mark.parametrize(("name", "why"), [("nowhere/out", "No such file or directory"), ("folder", "Is a directory")])
def test_what_cannot_be_written(tmp_path, name, why):
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError) as caught, writing(tmp_path / name) as file:
        file.write(b"x")
    assert str(caught.value) == f"{tmp_path / name}: cannot be written: {why}"
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_full_disk_names_the_file():
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no device that is always full")
    with (
        pytest.raises(OutputError, match="/dev/full: cannot be written: No space left on device"),
        writing("/dev/full") as file,
    ):
        file.write(b"x" * 100_000)


def test_a_folder_is_there_when_all_of_it_is(tmp_path):
    place = tmp_path / "out"
    for _ in range(2):
        with writing_folder(place) as folder:
            (folder / "a").write_bytes(b"x")
            assert not place.exists() or not any(place.iterdir())
        assert [path.name for path in place.iterdir()] == ["a"]
        assert list(tmp_path.iterdir()) == [place]
        (place / "a").unlink()  # an empty folder is as good as none


def test_a_folder_after_an_error(tmp_path):
    def fail(place):
        with writing_folder(place) as folder:
            (folder / "a").write_bytes(b"x")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail(tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    (tmp_path / "mine").write_bytes(b"x")
    with pytest.raises(OutputError, match="expected a new or an empty folder"), writing_folder(tmp_path):
        pass
    with pytest.raises(OutputError, match="expected a new or an empty folder"), writing_folder(tmp_path / "mine"):
        pass
    assert (tmp_path / "mine").read_bytes() == b"x"
