"""Pods of a service near each other or apart: upstream's ServiceAffinity, of v1beta1 and policies."""
