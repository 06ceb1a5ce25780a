"""SchedulingGates: a pod with gates does not enter the queue."""
