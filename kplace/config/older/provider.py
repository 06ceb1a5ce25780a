"""Algorithm providers: the two sets of plugins that ``--algorithm-provider`` named up to 1.22."""

from dataclasses import replace

from kplace.config.catalogue import Catalogue, DefaultPlugin
from kplace.config.decode import Decoded
from kplace.config.document import Text
from kplace.config.faulting import Faults
from kplace.config.older.read import older_reading
from kplace.config.older.tables import LEAST_ALLOCATED, MOST_ALLOCATED
from kplace.config.older.versions import V1BETA1
from kplace.config.options import Options
from kplace.config.reading import Reading, Stage, StageError
from kplace.config.schema import zero
from kplace.config.stages import run_stages
from kplace.config.wire import KubeSchedulerConfiguration

DEFAULT_PROVIDER, AUTOSCALER_PROVIDER = "DefaultProvider", "ClusterAutoscalerProvider"
PROVIDERS = (DEFAULT_PROVIDER, AUTOSCALER_PROVIDER)


def read_provider(name: str, catalogue: Catalogue, options: Options | None = None) -> Reading:
    """Resolve an algorithm provider: the defaults of v1beta1, packed instead of spread for the cluster autoscaler.

    Parameters
    ----------
    name : str
        One of `PROVIDERS`.
    """
    of_its_time = V1BETA1.catalogue(catalogue)
    if name == AUTOSCALER_PROVIDER:
        score = tuple(map(_packing, of_its_time.defaults["score"]))
        of_its_time = replace(of_its_time, defaults={**of_its_time.defaults, "score": score})
    faults = Faults(name, Text(""))
    options = options or Options()
    outcome = run_stages(
        Decoded(zero(KubeSchedulerConfiguration), {}, ()),
        of_its_time,
        options.gates,
        faults,
        api_version=V1BETA1.api_version,
        allow_unknown_plugins=options.allow_unknown_plugins,
    )
    refusal = StageError(Stage.DECODE, f"kube-scheduler 1.34 knows no algorithm providers, such as {name}")
    return older_reading(outcome, faults, of_its_time, name, refusal, "")


def _packing(plugin: DefaultPlugin) -> DefaultPlugin:
    return replace(plugin, name=MOST_ALLOCATED) if plugin.name == LEAST_ALLOCATED else plugin
