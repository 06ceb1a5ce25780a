"""An extender behind a URL (upstream ``pkg/scheduler/extender.go``)."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from msgspec import structs

from kplace.columns.templates import Template
from kplace.config import Extender as Settings
from kplace.config.resolve import effective_timeout
from kplace.config.tls import TLSError, tls_material
from kplace.dtypes import I32, I64
from kplace.errors import ConfigError, ExtenderError
from kplace.framework import Cycle
from kplace.framework.extender import Claim, Extender, FilterAnswer
from kplace.framework.preemption import Candidates
from kplace.io.extenders.answers import (
    FilterResult,
    MetaVictims,
    read_binding_result,
    read_filter_result,
    read_host_priorities,
    read_preemption_result,
)
from kplace.io.extenders.arguments import binding_arguments, extender_arguments, preemption_arguments, texts_of
from kplace.io.extenders.tls import tls_context
from kplace.io.extenders.transport import Transport
from kplace.state import ClusterState


def make_extenders(
    settings: Iterable[Settings], *, binds: bool = True, bare_nodes: bool = True
) -> tuple["HTTPExtender", ...]:
    """Extenders of a configuration.

    Parameters
    ----------
    settings : iterable of Extender
        `Configuration.extenders`: in the order in which they are called, with the timeouts that take effect.
    binds : bool
        False: none of them is asked to bind.
    bare_nodes : bool
        See `HTTPExtender`.

    Raises
    ------
    ConfigError
        TLS settings cannot be used. Nobody is called yet.
    """
    kept = settings if binds else (structs.replace(item, bind_verb="") for item in settings)
    return tuple(HTTPExtender(item, bare_nodes=bare_nodes) for item in kept)


@dataclass(slots=True)
class Calls:
    """How the calls of one verb went.

    Attributes
    ----------
    number, failed : int
        Calls made, and those of them that came to nothing.
    first_error : str
        Of the first of these.
    """

    number: int = 0
    failed: int = 0
    first_error: str = ""

    @contextmanager
    def one_more(self) -> Iterator[None]:
        """Count a call that is made meanwhile."""
        self.number += 1
        try:
            yield
        except ExtenderError as error:
            self.failed += 1
            self.first_error = self.first_error or str(error)
            raise


class HTTPExtender:
    """Asks an extender over HTTP or HTTPS.

    Parameters
    ----------
    settings : Extender
        An entry of ``extenders`` of a scheduler configuration.
    bare_nodes : bool
        Whether nodes that an extender sends back as objects, which is what it does if it is not ``nodeCacheCapable``,
        look idle to score plugins, as to kube-scheduler since v1.33 (kubernetes/kubernetes#141781). False: they are
        scored as they are, which is what was meant.

    Attributes
    ----------
    calls : dict of str to Calls
        By ``filter``, ``prioritize``, ``preempt`` and ``bind``.

    Raises
    ------
    ConfigError
        TLS settings cannot be used.

    Notes
    -----
    Of the Node objects that come back only the names are read. A node that does not exist is an error in any case;
    upstream takes one that comes back as an object for what it says it is.
    """

    def __init__(self, settings: Settings, *, bare_nodes: bool = True) -> None:
        self.calls = {verb: Calls() for verb in ("filter", "prioritize", "preempt", "bind")}
        self._settings = settings
        self._bare_nodes = bare_nodes
        self._managed = frozenset(resource.name for resource in settings.managed_resources)
        try:
            material = tls_material(settings)
        except TLSError as error:
            msg = f"couldn't build extenders: {error}"
            raise ConfigError(msg) from error
        self._transport = Transport(
            settings.url_prefix, effective_timeout(settings), tls_context(material), material.server_name
        )

    @property
    def name(self) -> str:
        """Its URL."""
        return self._settings.url_prefix

    @property
    def weight(self) -> int:
        """What its scores are multiplied by."""
        return self._settings.weight

    @property
    def is_ignorable(self) -> bool:
        """Whether pods are scheduled without it if a call comes to nothing."""
        return self._settings.ignorable

    @property
    def filters(self) -> bool:
        """Whether it has a verb for that."""
        return bool(self._settings.filter_verb)

    @property
    def prioritizes(self) -> bool:
        """Whether it has a verb for that."""
        return bool(self._settings.prioritize_verb)

    @property
    def preempts(self) -> bool:
        """Whether it has a verb for that."""
        return bool(self._settings.preempt_verb)

    @property
    def binds(self) -> bool:
        """Whether it has a verb for that."""
        return bool(self._settings.bind_verb)

    def is_interested(self, template: Template) -> bool:
        """Whether a container or an init container has a request or a limit of a managed resource, or none is managed.

        Mirrors ``IsInterested``.
        """
        if not self._managed:
            return True
        containers = (*(template.spec.containers or ()), *(template.spec.init_containers or ()))
        named = (item.resources for item in containers if item.resources is not None)
        return any(self._managed & {*(item.requests or ()), *(item.limits or ())} for item in named)

    def filter(self, cycle: Cycle, nodes: I32) -> FilterAnswer:
        """Say which of ``nodes`` pass.

        Raises
        ------
        ExtenderError
            The call came to nothing, or the answer holds an error or a node that was not asked about.
        """
        with self.calls["filter"].one_more():
            return self._filter(cycle, nodes)

    def _filter(self, cycle: Cycle, nodes: I32) -> FilterAnswer:
        body = self._ask(self._settings.filter_verb, cycle, nodes)
        result = read_filter_result(body)
        if result.error:
            raise ExtenderError(result.error)
        names, are_objects = self._passed(result)
        index = cycle.state.columns.nodes.index
        asked = set(nodes.tolist())
        passed = []
        for name in names:
            if index.get(name) not in asked:
                msg = (
                    f'extender "{self.name}" claims a filtered node "{name}" which is not found in the input node list'
                )
                raise ExtenderError(msg)
            passed.append(index[name])
        return FilterAnswer(
            np.array(passed, np.int32), result.failed, result.unresolvable, is_bare=are_objects and self._bare_nodes
        )

    def prioritize(self, cycle: Cycle, nodes: I32) -> I64:
        """Scores of ``nodes``; 0 for those that the answer lacks, the sum for those that are in it several times.

        Raises
        ------
        ExtenderError
            The call came to nothing.
        """
        with self.calls["prioritize"].one_more():
            body = self._ask(self._settings.prioritize_verb, cycle, nodes)
            listed = read_host_priorities(body)
        index = cycle.state.columns.nodes.index
        given = [(index[host], score) for host, score in listed if host in index]
        where, scores = np.array(given, np.int64).reshape(-1, 2).T
        by_node = np.zeros(cycle.state.n_nodes, np.int64)
        # Sums wrap, as Go's do.
        np.add.at(by_node, where, scores)
        return by_node[nodes]

    def preempt(self, cycle: Cycle, candidates: Candidates) -> Sequence[Claim]:
        """Say on which nodes which pods should leave, in the order of the answer.

        Raises
        ------
        ExtenderError
            The call came to nothing, or the answer holds a node that does not exist or a pod that is not on its node.
        """
        with self.calls["preempt"].one_more():
            arguments = preemption_arguments(cycle, candidates, knows_nodes=self._settings.node_cache_capable)
            body = self._transport.post(self._settings.preempt_verb, arguments)
            return [self._claim(cycle.state, name, victims) for name, victims in read_preemption_result(body).items()]

    def bind(self, cycle: Cycle, node: int) -> None:
        """Bind the pod to a node.

        Raises
        ------
        ExtenderError
            The call came to nothing, or the answer holds an error.
        """
        with self.calls["bind"].one_more():
            body = self._transport.post(self._settings.bind_verb, binding_arguments(cycle, node), once=True)
            error = read_binding_result(body)
            if error:
                raise ExtenderError(error)

    def close(self) -> None:
        """Close the connection that is kept between calls, if there is one; the next call opens another."""
        self._transport.close()

    def _ask(self, verb: str, cycle: Cycle, nodes: I32) -> bytes:
        knows_nodes = self._settings.node_cache_capable
        return self._transport.post(verb, extender_arguments(cycle, nodes, knows_nodes=knows_nodes))

    def _passed(self, result: FilterResult) -> tuple[list[str], bool]:
        """Names of the nodes that pass, and whether they came as objects."""
        if self._settings.node_cache_capable and result.node_names is not None:
            return result.node_names, False
        return result.nodes or [], result.nodes is not None

    def _claim(self, state: ClusterState, name: str, victims: MetaVictims) -> Claim:
        node = state.columns.nodes.index.get(name)
        if node is None:
            msg = f'nodeinfo not found for node name "{name}"'
            raise ExtenderError(msg)
        held = {texts_of(state).uid(pod): pod for pod in state.node_pods.of(node).tolist()}
        pods = []
        for uid in victims.uids:
            if uid not in held:
                msg = (
                    f"extender: {self.name} claims to preempt pod (UID: &{{{uid}}}) on node: {name}, "
                    "but the pod is not found on that node"
                )
                raise ExtenderError(msg)
            pods.append(held[uid])
        return Claim(node, np.array(pods, np.int32), victims.violations)


_: type[Extender] = HTTPExtender
