"""Node labels that must or must not be there: upstream's NodeLabel, of v1beta1 and policies."""
