"""What has been settled about claims and volumes since the input: which volume is for whom, where one is to be made.

All of it is by name: it outlives a change of the nodes. Upstream keeps it in assume caches in front of the API's
objects; what a pod's PreBind has written there is no assumption any more.
"""

from kplace.columns.storage.claims import ClaimKey


class VolumeBindings:
    """Volumes promised to claims, and nodes chosen for claims that wait for a volume to be made.

    Attributes
    ----------
    volume_of : dict of (str, str) to str
        By claim the volume that it gets.
    claim_of : dict of str to (str, str)
        By volume the claim that gets it.
    node_of : dict of (str, str) to str
        By claim the node that its volume is to be made for.
    promised : list of str
        Volumes in the order in which they were promised.
    n_withdrawn : int
        How often a promise was withdrawn.
    """

    def __init__(self) -> None:
        self.volume_of: dict[ClaimKey, str] = {}
        self.claim_of: dict[str, ClaimKey] = {}
        self.node_of: dict[ClaimKey, str] = {}
        self.promised: list[str] = []
        self.n_withdrawn = 0
        self._written: set[ClaimKey] = set()

    def promise(self, claim: ClaimKey, volume: str) -> None:
        """Let a claim have a volume."""
        self.volume_of[claim] = volume
        self.claim_of[volume] = claim
        self.promised.append(volume)

    def select(self, claim: ClaimKey, node: str) -> None:
        """Have a volume made for a claim where a node can reach it."""
        self.node_of[claim] = node

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
        self.node_of.pop(claim, None)
        volume = self.volume_of.pop(claim, None)
        if volume is not None:
            self.n_withdrawn += 1
            del self.claim_of[volume]

    def drop_volume(self, volume: str) -> None:
        """Forget about a volume: another version of it, or its end, is known."""
        claim = self.claim_of.get(volume)
        if claim is not None:
            self.drop_claim(claim)
