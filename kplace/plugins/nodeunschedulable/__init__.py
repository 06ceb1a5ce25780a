"""NodeUnschedulable: cordoned nodes."""
