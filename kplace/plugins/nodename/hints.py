"""Which events may help a pod that NodeName rejected."""

from kplace.framework.events import NODE_ADD, Registration

REGISTRATIONS = (Registration(NODE_ADD),)
