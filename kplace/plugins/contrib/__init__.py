"""Plugins outside the default set, for real use and as examples of how one is written.

None of them is known to a configuration unless it is given with it:
``kplace place --config scheduler.yaml --plugin kplace.plugins.contrib:Coscheduling``.
"""

from kplace.plugins.contrib.coscheduling.plugin import Coscheduling
from kplace.plugins.contrib.gpushare.plugin import GpuShare
from kplace.plugins.contrib.nodemetadata.plugin import NodeMetadata

__all__ = ["Coscheduling", "GpuShare", "NodeMetadata"]
