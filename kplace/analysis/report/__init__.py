"""One page that says how a cluster or a run is doing."""

from kplace.analysis.report.page import report, write_report

__all__ = ["report", "write_report"]
