"""Configurations that kube-scheduler 1.34 does not read any more, by the rules of their time."""
