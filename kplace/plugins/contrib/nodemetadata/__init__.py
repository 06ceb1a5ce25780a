"""NodeMetadata: numbers and times in labels or annotations of nodes."""
