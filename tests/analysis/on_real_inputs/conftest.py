"""The inputs that the answers are tried on, beside the demo cluster of the other tests of answers.

- open-simulator's example cluster with its "complicate" application: manifests that other people wrote;
- every eighth node and pod of the OpenB trace: GPUs, and pods that stay pending;
- 5,000 made-up nodes, with fewer pods than they would have.

The first two are not part of the repository; without them beside it, their tests are skipped.
"""

from functools import cache
from pathlib import Path

import pytest

import kplace
from tests.analysis.on_real_inputs.plain import Given

SHARED = Path(__file__).parents[3].parent / "shared" / "data"


def open_simulator():
    example = SHARED / "open-simulator" / "example"
    return kplace.read(example / "cluster" / "demo_1", example / "application" / "complicate")


def openb():
    folder = SHARED / "openb-gpu-v2023"
    whole = kplace.read(folder / "openb_node_list_gpu_node.csv", folder / "openb_pod_list_default.csv")
    nodes, pods = whole.nodes["node"].astype("str").tolist(), whole.columns.pods
    gone = [pods.key(pod) for pod in range(len(pods)) if pod % 8]
    return whole.without_pods(gone).without_nodes([name for at, name in enumerate(nodes) if at % 8])


def synthetic():
    return kplace.synth("datacenter-5k", pods=6000)


MAKE = {"open-simulator": open_simulator, "openb": openb, "synthetic": synthetic}
FOLDERS = {"open-simulator": "open-simulator", "openb": "openb-gpu-v2023"}


@cache
def given(name):
    cluster = MAKE[name]()
    return Given(name, cluster, kplace.place(cluster, preemption="off"))


def _needed(name):
    if name in FOLDERS and not (SHARED / FOLDERS[name]).is_dir():
        pytest.skip(f"{SHARED / FOLDERS[name]} is not there")
    return given(name)


@pytest.fixture(params=list(MAKE))
def each(request):
    """Every input, with what placing it comes to."""
    return _needed(request.param)


@pytest.fixture(params=list(FOLDERS))
def small(request):
    """Those that are small enough for many runs."""
    return _needed(request.param)


@pytest.fixture
def trace():
    """OpenB alone, for questions of which the others have little to tell."""
    return _needed("openb")


@pytest.fixture
def large():
    """The 5,000 nodes alone."""
    return _needed("synthetic")
