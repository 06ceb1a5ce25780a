"""Preemption of pods of lower priority: upstream's DefaultPreemption."""
