"""What is wrong with a description although every field is of the right type."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from kplace.columns.node_selectors import is_label_key, is_label_value
from kplace.columns.quantity import QuantityError, value
from kplace.config.misfits import suggestion
from kplace.frames.taints import parse_taints, parse_tolerations
from kplace.io.shape import join_path, key_step
from kplace.io.validate import time_problem
from kplace.io.validate.fields import one_of
from kplace.io.validate.pods import TAINT_EFFECTS, pod_spec
from kplace.objects.core import PodSpec
from kplace.objects.defaulting import BUILT_IN_PRIORITIES
from kplace.synthesis.description import Arrival, Description, Draw, Near, Pool, Quantity, Shape, Workload
from kplace.synthesis.ports import parse_port
from kplace.synthesis.strict import Problem, read_struct
from kplace.synthesis.templates import App, Tailor, app_name

KINDS = ("Deployment", "StatefulSet", "Job", "DaemonSet", "ReplicaSet", "Pod")
LIMITS = ("none", "equal")
PATTERNS = ("poisson", "even", "daily")
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_LONGEST = 40
_MOST_REPLICAS = 1_000_000

Problems = Iterator[Problem]


def faults_of(description: Description, shapes: Mapping[str, Shape]) -> list[Problem]:
    """Find what is wrong with a description.

    Parameters
    ----------
    description : Description
    shapes : mapping of str to Shape
        All types of machines that there are, the description's own included.

    Returns
    -------
    list of (path, message)
    """
    return list(dict.fromkeys(_faults(description, shapes)))


def _faults(description: Description, shapes: Mapping[str, Shape]) -> Problems:
    yield from _whole(description)
    for name, shape in description.shapes.items():
        yield from _under(f"shapes.{key_step(name)}", _shape(shape))
    yield from _names("pools", [pool.name for pool in description.pools])
    for i, pool in enumerate(description.pools):
        yield from _under(f"pools[{i}]", _pool(pool, shapes))
    yield from _names("workloads", [workload.name for workload in description.workloads])
    for i, workload in enumerate(description.workloads):
        problems = list(_workload(workload, description))
        # Only of a workload that is sound so far a pod can be made.
        yield from _under(f"workloads[{i}]", problems or _prototype(workload, description))


def _under(prefix: str, problems: Iterable[Problem]) -> Problems:
    for path, message in problems:
        yield join_path(prefix, path), message


def _whole(description: Description) -> Problems:
    if not description.pools:
        yield "pools", "is empty: a cluster needs nodes"
    for name in ("nodes", "pods"):
        number = getattr(description, name)
        if number is not None and number < 0:
            yield name, f"must not be negative, got {number}"
    for name in ("zones", "racks"):
        number = getattr(description, name)
        if isinstance(number, int) and number < 0:
            yield name, f"must not be negative, got {number}"
    if message := time_problem(description.start):
        yield "start", message
    if description.pods is not None and description.utilisation:
        yield "utilisation", "either pods or utilisation says how many pods there are, not both"
    if len(description.utilisation) > 1:
        yield "utilisation", f"expected one resource, got {', '.join(description.utilisation)}"
    for resource, share in description.utilisation.items():
        yield from _at_least(f"utilisation.{key_step(resource)}", share, 0.0)
    if isinstance(description.zones, tuple):
        for i, zone in enumerate(description.zones):
            yield from _label_value(f"zones[{i}]", zone)
    yield from _label_value("region", description.region)
    for name, number in description.priority_classes.items():
        if name in BUILT_IN_PRIORITIES:
            yield f"priority_classes.{name}", "is a built-in class"
        elif not -(2**31) <= number <= 1_000_000_000:
            yield f"priority_classes.{key_step(name)}", f"must be at most 1000000000, got {number}"
    for name, labels in description.namespaces.items():
        yield from _dns(f"namespaces.{key_step(name)}", name)
        yield from _labels(f"namespaces.{key_step(name)}", labels)


def _names(what: str, names: Sequence[str]) -> Problems:
    for i, name in enumerate(names):
        yield from _dns(f"{what}[{i}].name", name)
        if name in names[:i]:
            yield f"{what}[{i}].name", f'"{name}" is there twice, first in {what}[{names.index(name)}]'


def _dns(path: str, name: str) -> Problems:
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        yield path, f'expected lower-case letters, digits and "-", at most {_LONGEST}, got "{name}"'


def _shape(shape: Shape) -> Problems:
    amounts = {"cpu": shape.cpu, "memory": shape.memory, "storage": shape.storage}
    for group, given in (("", amounts), ("extended", shape.extended), ("allocatable", shape.allocatable or {})):
        for name, quantity in given.items():
            yield from _quantity(join_path(group, key_step(name)), quantity)
    for name in ("pods", "gpu"):
        yield from _at_least(name, getattr(shape, name), 0)
    if shape.allocatable is None and not (shape.cpu and shape.memory):
        yield "", 'needs "cpu" and "memory", or "allocatable"'


def _pool(pool: Pool, shapes: Mapping[str, Shape]) -> Problems:
    yield from _at_least("count", pool.count, 0)
    if bool(pool.shape) == (pool.shapes is not None):
        yield "shape", 'exactly one of "shape" and "shapes" says what the machines are'
    for path, name in [("shape", pool.shape), *((f"shapes.{key_step(name)}", name) for name in pool.shapes or {})]:
        if name and name not in shapes:
            yield path, f'there is no shape "{name}"{suggestion(name, shapes)}'
    for path, weights in (("shapes", pool.shapes), ("zones", pool.zones)):
        if weights is not None:
            yield from _weights(path, weights)
    for zone in pool.zones or {}:
        yield from _label_value(f"zones.{key_step(zone)}", zone)
    yield from _labels("labels", pool.labels)
    for key, mix in pool.label_mix.items():
        yield from _labels(f"label_mix.{key_step(key)}", dict.fromkeys([key], ""))
        yield from _weights(f"label_mix.{key_step(key)}", mix)
        for text in mix:
            yield from _label_value(f"label_mix.{key_step(key)}", text)
    for i, text in enumerate(pool.taints):
        yield from _texts(f"taints[{i}]", text, parse_taints)
    for i, image in enumerate(pool.images):
        yield from _quantity(f"images[{i}].size", image.size)
        yield from _share(f"images[{i}].share", image.share)
    yield from _share("unschedulable", pool.unschedulable)


def _workload(workload: Workload, description: Description) -> Problems:
    for path, word, known in (("kind", workload.kind, KINDS), ("limits", workload.limits, LIMITS)):
        if message := one_of(word, known):
            yield path, message
    yield from _dns("namespace", workload.namespace)
    yield from _labels("labels", workload.labels)
    yield from _labels("node_selector", workload.node_selector)
    yield from _numbers_of_apps(workload, description)
    yield from _requests(workload)
    if isinstance(workload.priority, Draw):
        yield from _draw("priority", workload.priority)
    if workload.lifetime is not None:
        yield from _draw("lifetime", workload.lifetime)
    if workload.priority_class and workload.priority is not None:
        yield "priority", "is said by the priority class"
    known_classes = (*description.priority_classes, *BUILT_IN_PRIORITIES)
    if workload.priority_class and workload.priority_class not in known_classes:
        near = suggestion(workload.priority_class, known_classes)
        yield "priority_class", f'there is no class "{workload.priority_class}"{near}'
    for i, text in enumerate(workload.tolerations):
        yield from _texts(f"tolerations[{i}]", text, parse_tolerations)
    for name in ("affinity", "anti_affinity"):
        for i, near_term in enumerate(getattr(workload, name)):
            yield from _under(f"{name}[{i}]", _near(near_term, description))
    if workload.claims and workload.kind != "StatefulSet":
        yield "claims", "only the pods of a StatefulSet have claims of their own"
    for i, claim in enumerate(workload.claims):
        yield from _quantity(f"claims[{i}].size", claim.size)
    yield from _host_ports(workload)
    if workload.arrival is not None:
        yield from _under("arrival", _arrival(workload.arrival))
    yield from _under("spec", read_struct(workload.spec, PodSpec)[1])


def _host_ports(workload: Workload) -> Problems:
    if workload.host_ports and workload.spec.get("containers"):
        yield "host_ports", "are said by the containers of the spec"
    for i, port in enumerate(workload.host_ports):
        try:
            parse_port(port)
        except ValueError as error:
            yield f"host_ports[{i}]", str(error)


def _numbers_of_apps(workload: Workload, description: Description) -> Problems:
    if workload.kind == "DaemonSet":
        if workload.replicas != 1:
            yield "replicas", "a DaemonSet has a pod on every node"
        if workload.arrival is not None:
            yield "arrival", "the pods of a DaemonSet are there from the start"
    else:
        yield from _draw("replicas", workload.replicas)
        if isinstance(workload.replicas, int) and not 0 <= workload.replicas <= _MOST_REPLICAS:
            yield "replicas", f"must be 0 to {_MOST_REPLICAS:,}, got {workload.replicas}"
        if workload.apps is None and description.pods is None and not description.utilisation:
            yield "apps", 'is missing: neither "pods" nor "utilisation" says how many pods there are'
    if workload.apps is not None:
        yield from _at_least("apps", workload.apps, 0)
    if workload.weight <= 0:
        yield "weight", f"must be above 0, got {workload.weight}"
    yield from _at_least("namespaces", workload.namespaces, 1)


def _requests(workload: Workload) -> Problems:
    if workload.requests and workload.bundles:
        yield "bundles", 'either "requests" or "bundles" says what pods request, not both'
    for name, draw in workload.requests.items():
        yield from _draw(f"requests.{key_step(name)}", draw)
    for i, bundle in enumerate(workload.bundles):
        for name, quantity in bundle.items():
            yield from _quantity(f"bundles[{i}].{key_step(name)}", quantity)
    if not -1 <= workload.correlation <= 1:
        yield "correlation", f"must be -1 to 1, got {workload.correlation}"
    if workload.correlation and not {"cpu", "memory"} <= workload.requests.keys():
        yield "correlation", 'is that of "cpu" and "memory" in requests'


def _near(near: Near, description: Description) -> Problems:
    names = [item.name for item in description.workloads if item.kind not in ("DaemonSet", "Pod")]
    if near.to not in ("self", *names):
        yield "to", f'there is no workload "{near.to}" with apps{suggestion(near.to, ["self", *names])}'
    if not 1 <= near.weight <= 100:
        yield "weight", f"must be 1 to 100, got {near.weight}"


def _arrival(arrival: Arrival) -> Problems:
    if message := one_of(arrival.pattern, PATTERNS):
        yield "pattern", message
    yield from _at_least("over", arrival.over, 0.0)
    yield from _at_least("start", arrival.start, 0.0)
    yield from _share("swing", arrival.swing)


def _draw(path: str, draw: Quantity | Draw) -> Problems:
    if not isinstance(draw, Draw):
        yield from _quantity(path, draw)
        return
    kinds = ("mix", "lognormal", "zipf", "uniform", "exponential")
    given = [name for name in kinds if getattr(draw, name) is not None]
    if len(given) != 1:
        yield path, f"expected exactly one of {', '.join(kinds)}, got {', '.join(given) or 'none'}"
    for name in ("min", "max", "step"):
        yield from _quantity(join_path(path, name), getattr(draw, name) or 0)
    if draw.step is not None and not draw.step:
        yield join_path(path, "step"), "must be above 0"
    if draw.mix is not None:
        yield from _weights(join_path(path, "mix"), draw.mix)
        for quantity in draw.mix:
            yield from _quantity(join_path(path, f"mix.{key_step(quantity)}"), quantity, negative=True)
    if draw.lognormal is not None:
        yield from _quantity(join_path(path, "lognormal.median"), draw.lognormal.median)
        if not 0 <= draw.lognormal.sigma <= 10:
            yield join_path(path, "lognormal.sigma"), f"must be 0 to 10, got {draw.lognormal.sigma}"
    if draw.zipf is not None and not 1 <= draw.zipf.max <= _MOST_REPLICAS:
        yield join_path(path, "zipf.max"), f"must be 1 to {_MOST_REPLICAS:,}, got {draw.zipf.max}"
    if draw.uniform is not None:
        yield from _quantity(join_path(path, "uniform.low"), draw.uniform.low)
        yield from _quantity(join_path(path, "uniform.high"), draw.uniform.high)
    if draw.exponential is not None:
        yield from _quantity(join_path(path, "exponential.mean"), draw.exponential.mean)


def _quantity(path: str, quantity: Quantity, *, negative: bool = False) -> Problems:
    try:
        number = value(quantity)
    except QuantityError as error:
        yield path, str(error)
        return
    if number < 0 and not negative:
        yield path, f"must not be negative, got {quantity}"


def _weights(path: str, weights: Mapping[str, float]) -> Problems:
    for name, weight in weights.items():
        yield from _at_least(f"{path}.{key_step(name)}", weight, 0.0)
    if not any(weight > 0 for weight in weights.values()):
        yield path, "needs a weight above 0"


def _at_least(path: str, number: float, least: float) -> Problems:
    if number < least:
        yield path, f"must be at least {least:g}, got {number:g}"


def _share(path: str, number: float) -> Problems:
    if not 0 <= number <= 1:
        yield path, f"must be 0 to 1, got {number:g}"


def _labels(path: str, labels: Mapping[str, str]) -> Problems:
    for key, text in labels.items():
        where = f"{path}.{key_step(key)}"
        if not is_label_key(key):
            yield where, f'"{key}" cannot be the key of a label'
        yield from _label_value(where, text)


def _label_value(path: str, text: str) -> Problems:
    if not is_label_value(text):
        yield path, f'"{text}" cannot be the value of a label'


def _texts(path: str, text: str, parse: Callable[[str], Sequence[object]]) -> Problems:
    try:
        items = parse(text)
    except ValueError as error:
        yield path, str(error)
        return
    for item in items:
        effect = getattr(item, "effect", "")
        if effect and (message := one_of(effect, TAINT_EFFECTS)):
            yield path, message


def _prototype(workload: Workload, description: Description) -> Problems:
    """What the API server would say of a workload's pods."""
    app = App(app_name(workload.name, 0), 0, workload.namespace, 1, {}, 0)
    n_apps = {item.name: 1 for item in description.workloads}
    try:
        spec = Tailor(description, workload, n_apps).spec(app)
    except msgspec.ValidationError as error:  # pragma: no cover - `read_struct` has said it before
        yield "spec", str(error)
        return
    yield from _under("spec", pod_spec(spec))
