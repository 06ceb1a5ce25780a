"""Clusters that can be shown to others: every name, label value and image hashed, the structure as it was."""

from kplace.io.redact.cluster import Redactor

__all__ = ["Redactor"]
