"""Reports on studies: tables of the best, effects, curves and fronts, and their figures."""

from kplace.sweeps.report.report import StudyReport, make_report

__all__ = ["StudyReport", "make_report"]
