"""Nothing but the parametrisation of the golden cases."""

import pytest

from tests.conformance.golden import single_cycle_cases


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        cases = single_cycle_cases()
        metafunc.parametrize("case", cases, ids=[case.id for case in cases])
