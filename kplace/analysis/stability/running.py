"""One run: the cluster as it is told, through `kplace.place`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kplace.analysis.stability.drawing import Told
from kplace.analysis.trial import Scheduling
from kplace.api import Cluster, Placements, place, read_config
from kplace.config import Configuration
from kplace.config.versions import DEFAULT_VERSION

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Runner:
    """Places a cluster again and again by one scheduler.

    Attributes
    ----------
    settings : dict
        Arguments of `kplace.place` that are the same for all runs.
    """

    settings: dict[str, Any]

    @staticmethod
    def of(scheduling: Scheduling, preemption: str | None) -> "Runner":
        """Settle what all runs are told; a configuration is read once.

        Raises
        ------
        ConfigError
            It cannot be used.
        """
        settings: dict[str, Any] = {"extenders": "ask", **scheduling, "preemption": preemption}
        settings.pop("seed", None)
        config = settings.get("config")
        if config is not None and not isinstance(config, Configuration):
            version = settings.get("kube_version", DEFAULT_VERSION)
            settings["config"] = read_config(config, plugins=settings.get("plugins", ()), kube_version=version)
        return Runner(settings)

    def place(self, cluster: Cluster, told: Told, progress: Progress | None = None) -> Placements:
        """Do a run."""
        return place(
            told.cluster(cluster), **self.settings, seed=told.seed, start_index=told.start_index, progress=progress
        )
