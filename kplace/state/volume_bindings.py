"""What has been settled about claims and volumes since the input: which volume is for whom, where one is to be made.

All of it is by name: it outlives a change of the nodes. Upstream keeps it in assume caches in front of the API's
objects; what a pod's PreBind has written there is no assumption any more.
"""

import copy
from typing import NamedTuple

from kplace.columns.storage.claims import ClaimKey


class SettledClaim(NamedTuple):
    """What was settled for a claim.

    Attributes
    ----------
    pod : int
        The pod that it was settled for.
    volume : str
        The volume that it gets; empty if one is to be made.
    node : str
        The pod's node.
    """

    pod: int
    volume: str
    node: str


class VolumeBindings:
    """Volumes promised to claims, and nodes chosen for claims that wait for a volume to be made.

    Attributes
    ----------
    settled : dict of (str, str) to SettledClaim
        By claim, in the order in which they were settled.
    claim_of : dict of str to (str, str)
        By volume the claim that gets it.
    promised : list of str
        Volumes in the order in which they were promised.
    n_withdrawn : int
        How often a promise was withdrawn.
    """

    def __init__(self) -> None:
        self.settled: dict[ClaimKey, SettledClaim] = {}
        self.claim_of: dict[str, ClaimKey] = {}
        self.promised: list[str] = []
        self.n_withdrawn = 0
        self._written: set[ClaimKey] = set()

    def fork(self) -> "VolumeBindings":
        """The same settled, to go on apart."""
        twin = copy.copy(self)
        twin.settled, twin.claim_of = dict(self.settled), dict(self.claim_of)
        twin.promised, twin._written = list(self.promised), set(self._written)
        return twin

    def volume_for(self, claim: ClaimKey) -> str:
        """The volume that a claim was promised; empty if none."""
        found = self.settled.get(claim)
        return found.volume if found is not None else ""

    def node_for(self, claim: ClaimKey) -> str | None:
        """The node that a claim's volume is to be made for; None if none is."""
        found = self.settled.get(claim)
        return found.node if found is not None and not found.volume else None

    def settle(self, claim: ClaimKey, settled: SettledClaim) -> None:
        """Let a claim have a volume, or have one made where its pod's node can reach it."""
        self.settled[claim] = settled
        if settled.volume:
            self.claim_of[settled.volume] = claim
            self.promised.append(settled.volume)

    def write(self, claim: ClaimKey) -> None:
        """Make what was settled for a claim final: `withdraw` no longer undoes it."""
        self._written.add(claim)

    def withdraw(self, claim: ClaimKey) -> None:
        """Undo what was settled for a claim, unless it was written."""
        if claim not in self._written:
            self.drop_claim(claim)

    def drop_claim(self, claim: ClaimKey) -> None:
        """Forget about a claim: another version of it, or its end, is known."""
        self._written.discard(claim)
        found = self.settled.pop(claim, None)
        if found is not None and found.volume:
            self.n_withdrawn += 1
            del self.claim_of[found.volume]

    def drop_volume(self, volume: str) -> None:
        """Forget about a volume: another version of it, or its end, is known."""
        claim = self.claim_of.get(volume)
        if claim is not None:
            self.drop_claim(claim)
