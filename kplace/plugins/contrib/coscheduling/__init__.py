"""Coscheduling: pods of a PodGroup start together or not at all."""
