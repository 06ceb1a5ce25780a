"""What a worker process does: get at the study's clusters, see that kernels are compiled once, do runs."""

import fcntl
import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import zstandard

from kplace._jit import JIT_DISABLED, KEEPS_KERNELS, cache_directory
from kplace.api.warming import call_kernels, load_kernels
from kplace.io.atomic import writing
from kplace.sweeps.bundle import BundleError
from kplace.sweeps.runs import Batch, Planned, runner_of


@dataclass(frozen=True, slots=True)
class Shipment:
    """A bundle on its way to workers.

    Attributes
    ----------
    path : str
        Where it lies, on the machines that see the same files.
    digest : str
        Of its content.
    packed : bytes
        Itself, for machines that do not; empty if all do.
    """

    path: str
    digest: str
    packed: bytes = b""

    @staticmethod
    def by_path(bundle: Path) -> "Shipment":
        """For workers that see the file."""
        with bundle.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return Shipment(str(bundle.resolve()), digest)

    @staticmethod
    def of_bytes(bundle: Path) -> "Shipment":
        """For workers some of which do not."""
        return replace(Shipment.by_path(bundle), packed=zstandard.compress(bundle.read_bytes()))

    def without_bytes(self) -> "Shipment":
        """The same, for those that have unpacked it."""
        return replace(self, packed=b"")

    def unpack(self) -> None:
        """Write it to where `find` looks, once for all processes of this machine."""
        place = self._own_place()
        if not self.packed or Path(self.path).exists() or place.exists():
            return
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with writing(place) as file:
            file.write(zstandard.decompress(self.packed))

    def find(self) -> str:
        """Where it lies on this machine.

        Raises
        ------
        BundleError
            Nowhere.
        """
        for place in (Path(self.path), self._own_place()):
            if place.exists():
                return str(place)
        msg = f"{self.path}: cannot be seen by the worker on {os.uname().nodename}"
        raise BundleError(msg)

    def _own_place(self) -> Path:
        return Path(tempfile.gettempdir()) / f"kplace-sweep-{os.getuid()}" / f"{self.digest[:32]}.bundle"


def is_there(path: str) -> bool:
    """Whether this machine sees a file."""
    return Path(path).exists()


def prepare(shipment: Shipment) -> None:
    """Get everything ready in a worker process, so that its first run is as quick as the others."""
    compile_once()
    load_kernels()
    runner_of(shipment.find())


def do(shipment: Shipment, planned: list[Planned]) -> Batch:
    """Do runs in a worker process."""
    compile_once()
    return runner_of(shipment.find()).batch(planned)


@cache
def compile_once() -> None:
    """See that kernels are compiled; of all processes on a machine, the first does it and the others wait."""
    if JIT_DISABLED or not KEEPS_KERNELS:
        return
    done = cache_directory() / "all-kernels"
    with _alone(cache_directory() / "compiling.lock"):
        if not done.exists():
            call_kernels()
            done.touch()


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
