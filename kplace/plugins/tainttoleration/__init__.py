"""TaintToleration: taints that a pod does not tolerate."""
