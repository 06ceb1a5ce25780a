"""ImageLocality: the arithmetic by hand, and all of it against an oracle."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace.plugins.imagelocality.plugin import ImageLocality
from tests.naive import image_locality as naive
from tests.plugins.clusters import cycle_of, node

MIB = 1024 * 1024


def holding(name: str, **images: int) -> dict:
    """A node with images, their sizes in MiB; ``_`` in a name stands for its tag's colon."""
    listed = [{"names": [key.replace("_", ":")], "sizeBytes": size * MIB} for key, size in images.items()]
    return node(name, images=listed)


def containers(*images: str) -> list[dict]:
    return [{"name": f"c{number}", "image": image} for number, image in enumerate(images)]


def scores(nodes: list[dict], **spec: list) -> list[int]:
    cycle = cycle_of(nodes, spec)
    return ImageLocality().score(cycle, cycle.state.all_nodes).tolist()


@pytest.mark.parametrize(
    ("nodes", "spec", "expected"),
    [
        # 500 * 1/2 = 250 MiB; 100*(250-23)/(1000-23) = 23.2
        ([holding("a", web_1=500), holding("b")], {"containers": containers("web:1")}, [23, 0]),
        # on both nodes: 500 * 2/2 = 500 MiB; 100*(500-23)/977 = 48.8
        ([holding("a", web_1=500), holding("b", web_1=500)], {"containers": containers("web:1")}, [48, 48]),
        # the size is the first node's: 500 again, though b says 900
        ([holding("a", web_1=500), holding("b", web_1=900)], {"containers": containers("web:1")}, [48, 48]),
        # 23 MiB is still nothing, 33 MiB is 100*10/977 = 1.02
        ([holding("a", web_1=23)], {"containers": containers("web:1")}, [0]),
        ([holding("a", web_1=33)], {"containers": containers("web:1")}, [1]),
        # no more than 1000 MiB a container count
        ([holding("a", web_1=4000)], {"containers": containers("web:1")}, [100]),
        # two containers, one image held: 100*(1000-23)/(2000-23) = 49.4
        ([holding("a", web_1=1000)], {"containers": containers("web:1", "db:1")}, [49]),
        # an image counts for every container that uses it: 100*(600-23)/1977 = 29.2
        ([holding("a", web_1=300)], {"containers": containers("web:1", "web:1")}, [29]),
        # init containers count on both sides: 100*(300+400-23)/1977 = 34.2
        (
            [holding("a", web_1=300, init_1=400)],
            {"containers": containers("web:1"), "initContainers": containers("init:1")},
            [34],
        ),
        # no tag means latest; a port in the registry's name is no tag
        ([holding("a", web_latest=1000)], {"containers": containers("web")}, [100]),
        (
            [node("a", images=[{"names": ["r:5000/web:latest"], "sizeBytes": 1000 * MIB}])],
            {"containers": containers("r:5000/web")},
            [100],
        ),
        # other spellings of the same image do not match
        ([holding("a", web_1=1000)], {"containers": containers("docker.io/library/web:1")}, [0]),
        ([holding("a", web=1000)], {"containers": containers("web")}, [0]),
    ],
)
def test_scores(nodes: list, spec: dict, expected: list):
    assert scores(nodes, **spec) == expected


def test_one_third_of_the_nodes_is_a_float64():
    # 1000 MiB * float64(1/3) = 349525333.33 bytes; 100*(349525333 - 23 MiB)/(977 MiB) = 31.76
    assert scores([holding("a", web_1=1000), holding("b"), holding("c")], containers=containers("web:1")) == [31, 0, 0]


def test_scores_follow_the_order_of_the_given_nodes():
    cycle = cycle_of([holding("a"), holding("b", web_1=1000)], {"containers": containers("web:1")})
    assert ImageLocality().score(cycle, np.array([1, 0], np.int32)).tolist() == [48, 0]


NAMES = ["a:1", "a", "a:latest", "r:5/a", "r:5/a:latest", "b@sha256:0"]
SIZES = st.integers(0, 3000 * MIB)
IMAGES = st.lists(
    st.fixed_dictionaries({"names": st.lists(st.sampled_from(NAMES), max_size=2), "sizeBytes": SIZES}), max_size=3
)


@given(
    st.lists(IMAGES, min_size=1, max_size=7),
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3),
    st.lists(st.sampled_from(NAMES), max_size=2),
)
def test_against_the_oracle(fleet: list, images: list, init_images: list):
    nodes = [node(f"n{number}", images=listed) for number, listed in enumerate(fleet)]
    spec = {"containers": containers(*images), "initContainers": containers(*init_images)}
    assert scores(nodes, **spec) == [naive.score(spec, item, nodes) for item in nodes]
