"""Nothing but the parametrisation of the golden cases."""

import pytest

from tests.conformance.golden import cases_without_volumes


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        cases = cases_without_volumes()
        metafunc.parametrize("case", cases, ids=[case.id for case in cases])
