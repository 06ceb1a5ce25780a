"""Nothing but the parametrisation of the golden timelines."""

import pytest

from tests.conformance_queue.golden import refused_timelines, timelines


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for name, cases in (("timeline", timelines()), ("refused", refused_timelines())):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, cases, ids=[case.id for case in cases])
