"""PrioritySort: higher priority first, then who came first."""
