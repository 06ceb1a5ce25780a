"""Settings for the whole suite."""

import os

from hypothesis import HealthCheck, settings

# A first call compiles its kernels: no deadline can tell that from being slow.
settings.register_profile("dev", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("dev"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")
