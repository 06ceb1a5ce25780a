"""kplace: the Kubernetes scheduler as an array program.

The public names are imported on first use, so that ``import kplace`` loads neither numba nor pandas.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kplace.version import __version__

if TYPE_CHECKING:
    from kplace.analysis import plots as plot
    from kplace.analysis.bench import bench
    from kplace.analysis.capacity import capacity
    from kplace.analysis.compare import compare
    from kplace.analysis.drain import drain
    from kplace.analysis.provision import provision
    from kplace.analysis.rescore import rescore
    from kplace.analysis.sampling import Sampling, sampling
    from kplace.analysis.stability import Stability, stability
    from kplace.analysis.tuning import Tuning, tune
    from kplace.analysis.why import why
    from kplace.api import (
        Cluster,
        History,
        Placements,
        Scores,
        explain,
        place,
        read,
        read_config,
        read_history,
        read_placements,
        read_trace,
        redact,
        score,
        simulate,
        synth,
    )
    from kplace.errors import InputError, KplaceError
    from kplace.framework import plugin
    from kplace.sweeps import read_sweep, sweep

__all__ = [
    "Cluster",
    "History",
    "InputError",
    "KplaceError",
    "Placements",
    "Sampling",
    "Scores",
    "Stability",
    "Tuning",
    "__version__",
    "bench",
    "capacity",
    "compare",
    "drain",
    "explain",
    "place",
    "plot",
    "plugin",
    "provision",
    "read",
    "read_config",
    "read_history",
    "read_placements",
    "read_sweep",
    "read_trace",
    "redact",
    "rescore",
    "sampling",
    "score",
    "simulate",
    "stability",
    "sweep",
    "synth",
    "tune",
    "why",
]

_HOME = {
    "Cluster": "kplace.api",
    "History": "kplace.api",
    "Placements": "kplace.api",
    "Scores": "kplace.api",
    "Sampling": "kplace.analysis.sampling",
    "Stability": "kplace.analysis.stability",
    "Tuning": "kplace.analysis.tuning",
    "bench": "kplace.analysis.bench",
    "capacity": "kplace.analysis.capacity",
    "compare": "kplace.analysis.compare",
    "drain": "kplace.analysis.drain",
    "provision": "kplace.analysis.provision",
    "rescore": "kplace.analysis.rescore",
    "sampling": "kplace.analysis.sampling",
    "stability": "kplace.analysis.stability",
    "why": "kplace.analysis.why",
    "explain": "kplace.api",
    "place": "kplace.api",
    "plugin": "kplace.framework",
    "read": "kplace.api",
    "read_config": "kplace.api",
    "read_history": "kplace.api",
    "read_placements": "kplace.api",
    "score": "kplace.api",
    "read_trace": "kplace.api",
    "redact": "kplace.api",
    "read_sweep": "kplace.sweeps",
    "sweep": "kplace.sweeps",
    "simulate": "kplace.api",
    "synth": "kplace.api",
    "tune": "kplace.analysis.tuning",
    "InputError": "kplace.errors",
    "KplaceError": "kplace.errors",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    if name == "plot":
        return import_module("kplace.analysis.plots")
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    msg = f"module 'kplace' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted(__all__)
