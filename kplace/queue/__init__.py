"""The scheduling queue: waiting pods in order, those in backoff, those that wait for an event, and what wakes them."""

from kplace.queue.backoff import Backoff
from kplace.queue.clock import SECOND, Clock
from kplace.queue.entry import Place, QueuedPod
from kplace.queue.nominator import Nominator
from kplace.queue.rules import Rules
from kplace.queue.scheduling_queue import SchedulingQueue

__all__ = ["SECOND", "Backoff", "Clock", "Nominator", "Place", "QueuedPod", "Rules", "SchedulingQueue"]
