"""A folder for the time of a study, which is removed in the end even if the study is killed."""

import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PREFIX = "kplace-sweep-"
_LOCK = "in-use"


@contextmanager
def scratch(parent: Path | None = None) -> Iterator[Path]:
    """A new folder, which is removed afterwards, and with it those that killed studies have left.

    Parameters
    ----------
    parent : Path, optional
        Where it is made; by default the system's folder for such things.
    """
    where = Path(tempfile.gettempdir()) if parent is None else parent
    _remove_abandoned(where)
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=where) as name, (Path(name) / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield Path(name)


def _remove_abandoned(where: Path) -> None:
    """Remove folders whose lock nobody holds; the system lets go of those of processes that have died."""
    for path in where.glob(f"{_PREFIX}*/{_LOCK}"):
        try:
            with path.open("r") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path.parent, ignore_errors=True)
        except OSError:
            continue  # it is in use, is somebody else's, or has just been removed
