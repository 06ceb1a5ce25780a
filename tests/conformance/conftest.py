"""Nothing but the parametrisation of the golden cases."""

import pytest

from tests.conformance.golden import every_case


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        cases = every_case()
        metafunc.parametrize("case", cases, ids=[case.id for case in cases])
