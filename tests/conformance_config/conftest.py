"""Nothing but the parametrisation of the golden configurations."""

import pytest

from tests.conformance_config.golden import every_config


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "golden" in metafunc.fixturenames:
        configs = every_config()
        metafunc.parametrize("golden", configs, ids=[config.id for config in configs])
