"""Reading ``performance-config.yaml``: test cases, their operations, and workloads of certain sizes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from kplace.analysis.scheduler_perf.templates import ObjectTemplate
from kplace.errors import Fault, InputError

SUPPORTED = (
    *("createNodes", "createNamespaces", "createPods", "createPodSets", "createAny", "deletePods", "churn"),
    *("updateAny", "barrier", "sleep", "startCollectingMetrics", "stopCollectingMetrics"),
)
"""Operations that are run."""
_COUNTED = ("createNodes", "createNamespaces", "createPods", "createPodSets", "createAny", "updateAny")
_ONCE = ("createAny", "updateAny")
"""Operations that are done once if nothing is said."""
_TEMPLATES = ("nodeTemplatePath", "podTemplatePath", "namespaceTemplatePath", "templatePath")
_VOLUMES = ("persistentVolumeTemplatePath", "persistentVolumeClaimTemplatePath")


@dataclass(frozen=True, slots=True)
class Workload:
    """One workload of a test case, its parameters filled in.

    Attributes
    ----------
    case, name : str
    labels : frozenset of str
        Its own and those of its case.
    threshold : float or None
        Pods per second that upstream demands of it; None for none, or for another metric than the throughput.
    operations : tuple of dict
        As they stand in the file, with ``count`` as a number and templates as paths.
    config : Path or None
        The scheduler configuration.
    obstacles : tuple of str
        Why it cannot be run; empty if it can.
    folder : Path
        What paths in it are relative to.
    """

    case: str
    name: str
    labels: frozenset[str]
    threshold: float | None
    operations: tuple[dict[str, Any], ...]
    config: Path | None
    obstacles: tuple[str, ...]
    folder: Path

    @property
    def title(self) -> str:
        """Case and name, as upstream writes them."""
        return f"{self.case}/{self.name}"


def own_workloads() -> list[Workload]:
    """Kplace's own descriptions of the well-known workloads, at the sizes that upstream has published."""
    return read_workloads(Path(str(files("kplace.analysis.scheduler_perf") / "workloads" / "performance-config.yaml")))


def read_workloads(path: Path) -> list[Workload]:
    """Read a file.

    Raises
    ------
    InputError
        With every fault of the file; an operation that is not supported is none, see `Workload.obstacles`.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        why = getattr(error, "strerror", None) or " ".join(str(error).split())
        raise InputError([Fault(str(path), "", "", f"cannot be read: {why}")]) from error
    reader = _Reader(path)
    found = list(reader.cases(content))
    if reader.faults:
        raise InputError(reader.faults)
    return found


@dataclass(slots=True)
class _Reader:
    path: Path
    faults: list[Fault] = field(default_factory=list)
    _hindered: dict[Path, str] = field(default_factory=dict)

    def complain(self, subject: str, where: str, message: str) -> None:
        self.faults.append(Fault(str(self.path), subject, where, message))

    def cases(self, content: object) -> Iterator[Workload]:
        if not isinstance(content, list) or not content:
            self.complain("", "", "expected a list of test cases")
            return
        for number, case in enumerate(content):
            name = case.get("name") if isinstance(case, dict) else None
            if not isinstance(case, dict) or not isinstance(name, str):
                self.complain(f"[{number}]", "name", "expected a test case with a name")
                continue
            yield from self._case(case, name)

    def _case(self, case: dict[str, Any], name: str) -> Iterator[Workload]:
        operations, workloads = case.get("workloadTemplate"), case.get("workloads")
        for key, value in (("workloadTemplate", operations), ("workloads", workloads)):
            if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
                self.complain(name, key, "expected a list of objects")
                return
        assert isinstance(operations, list)
        assert isinstance(workloads, list)
        for number, workload in enumerate(workloads):
            own = workload.get("name")
            if not isinstance(own, str):
                self.complain(name, f"workloads[{number}].name", "expected a text")
                continue
            yield self._workload(case, operations, workload)

    def _workload(self, case: dict[str, Any], operations: list[dict[str, Any]], workload: dict[str, Any]) -> Workload:
        subject = f"{case['name']}/{workload['name']}"
        params = workload.get("params") or {}
        obstacles: list[str] = []
        made = []
        for number, operation in enumerate(operations):
            where = f"workloadTemplate[{number}]"
            made.append(self._operation(operation, params, (subject, where), obstacles))
        default = case.get("defaultPodTemplatePath")
        for operation in made:
            target = operation.get("createPodsOp", operation)
            if target.get("opcode") == "createPods":
                if default is not None:
                    target.setdefault("podTemplatePath", self._path(default))
                if target.get("steadyState"):
                    obstacles.append("createPods with steadyState is not supported")
            obstacles += self._hindrances(target)
        config = case.get("schedulerConfigPath")
        return Workload(
            case=case["name"],
            name=workload["name"],
            labels=frozenset([*(case.get("labels") or []), *(workload.get("labels") or [])]),
            threshold=self._threshold(case, workload, subject),
            operations=tuple(made),
            config=None if config is None else self._path(config),
            obstacles=tuple(dict.fromkeys(obstacles)),
            folder=self.path.parent,
        )

    def _path(self, name: object) -> Path:
        """A path of the file; those of Kubernetes up to 1.31 are relative to the folder above."""
        beside, above = self.path.parent / str(name), self.path.absolute().parent.parent / str(name)
        return above if not beside.exists() and above.exists() else beside

    def _hindrances(self, operation: Mapping[str, Any]) -> Iterator[str]:
        """Why its templates stand in the way, if they do; one that is not there is told when it is needed."""
        for key in (*_TEMPLATES, *_VOLUMES):
            path = operation.get(key)
            if isinstance(path, Path) and path.is_file():
                if path not in self._hindered:
                    self._hindered[path] = ObjectTemplate.read(path).hindrance()
                if self._hindered[path]:
                    yield f"{path.name}: {self._hindered[path]}"

    def _operation(
        self, operation: dict[str, Any], params: Mapping[str, Any], place: tuple[str, str], obstacles: list[str]
    ) -> dict[str, Any]:
        subject, where = place
        opcode = operation.get("opcode")
        if not isinstance(opcode, str):
            self.complain(subject, f"{where}.opcode", "expected the name of an operation")
            return {}
        if opcode not in SUPPORTED:
            obstacles.append(f"the operation {opcode} is not supported")
            return dict(operation)
        made = dict(operation)
        for key in [key for key in made if key.endswith("Param")]:
            made[key.removesuffix("Param")] = self._param(made[key], params, (subject, f"{where}.{key}"))
        if "templateParams" in made:
            given = made["templateParams"].items()
            place = (subject, f"{where}.templateParams")
            made["templateParams"] = {name: self._value(value, params, place) for name, value in given}
        for key in (*_TEMPLATES, *_VOLUMES):
            if key in made:
                made[key] = self._path(made[key])
        if "templatePaths" in made:
            made["templatePaths"] = [self._path(item) for item in made["templatePaths"]]
        if opcode in _COUNTED:
            made["count"] = self._count(made, (subject, where))
        if opcode == "createPodSets":
            inner = made.get("createPodsOp")
            if not isinstance(inner, dict):
                self.complain(subject, f"{where}.createPodsOp", "expected an operation createPods")
                inner = {"opcode": "createPods", "count": 0}
            made["createPodsOp"] = self._operation(inner, params, (subject, f"{where}.createPodsOp"), obstacles)
        return made

    def _count(self, made: Mapping[str, Any], place: tuple[str, str]) -> int:
        count = made.get("count", 1 if made["opcode"] in _ONCE else None)
        times = made.get("countMultiplier", 1)
        for value in (count, times):
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                self.complain(
                    place[0], f"{place[1]}.count", f"expected a number from 0 on, or countParam: got {value!r}"
                )
                return 0
        assert isinstance(count, int)
        return count * int(times)

    def _param(self, name: object, params: Mapping[str, Any], place: tuple[str, str]) -> Any:  # noqa: ANN401
        """What a parameter such as ``$initNodes`` stands for."""
        key = str(name)
        if not key.startswith("$") or key[1:] not in params:
            known = ", ".join(f"${item}" for item in params) or "none"
            self.complain(*place, f"there is no parameter {key}; the workload has {known}")
            return 0
        return params[key[1:]]

    def _value(self, value: object, params: Mapping[str, Any], place: tuple[str, str]) -> Any:  # noqa: ANN401
        return self._param(value, params, place) if isinstance(value, str) and value.startswith("$") else value

    def _threshold(self, case: Mapping[str, Any], workload: Mapping[str, Any], subject: str) -> float | None:
        given = workload.get("threshold")
        selector = workload.get("thresholdMetricSelector") or case.get("defaultThresholdMetricSelector") or {}
        if isinstance(given, dict):
            given = next(iter(given.values()), None)
        if given is None or selector.get("name", "SchedulingThroughput") != "SchedulingThroughput":
            return None
        if isinstance(given, bool) or not isinstance(given, int | float) or given < 0:
            self.complain(subject, "threshold", f"expected pods per second, got {given!r}")
            return None
        return float(given) or None
