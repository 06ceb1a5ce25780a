"""The storage plugins pod by pod and node by node, on plain dicts as they stand in manifests."""

from fractions import Fraction

from kplace.columns.quantity import parse
from tests.naive import node_selectors

ZONE_KEYS = (
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
)
IN_USE = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)


class Storage:
    """All objects, who runs where, and what was settled for claims since."""

    def __init__(self, objects: list[dict]) -> None:
        self.nodes = {item["metadata"]["name"]: item for item in objects if item["kind"] == "Node"}
        self.pods = {item["metadata"]["name"]: item for item in objects if item["kind"] == "Pod"}
        self.where = {name: pod["spec"].get("nodeName") for name, pod in self.pods.items()}
        self.claims = _by_name(objects, "PersistentVolumeClaim")
        self.volumes = _by_name(objects, "PersistentVolume")
        self.classes = _by_name(objects, "StorageClass")
        self.csi_nodes = _by_name(objects, "CSINode")
        self.drivers = _by_name(objects, "CSIDriver")
        self.capacities = [item for item in objects if item["kind"] == "CSIStorageCapacity"]
        self.attachments = [item for item in objects if item["kind"] == "VolumeAttachment"]
        self.promised: dict[str, str] = {}
        self.selected: dict[str, str] = {}

    # What PreFilters say.

    def rejection(self, pod: dict) -> str:
        for name in claims_of(pod):
            if name not in self.claims:
                return f'persistentvolumeclaim "{name}" not found'
        for name in claims_of(pod):
            claim = self.claims[name]
            if claim.get("status", {}).get("phase") == "Lost":
                volume = claim["spec"].get("volumeName", "")
                return f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume "{volume}"'
            if "deletionTimestamp" in claim["metadata"]:
                return f'persistentvolumeclaim "{name}" is being deleted'
        if any(not self.is_bound(name) and not self.is_delayed(name) for name in claims_of(pod)):
            return "pod has unbound immediate PersistentVolumeClaims"
        for name in claims_of(pod):
            volume = self.claims[name]["spec"].get("volumeName")
            if volume and volume not in self.volumes:
                return f'persistentvolume "{volume}" not found'
        return ""

    # What Filters say: the first plugin's reasons.

    def reasons(self, pod: dict, node: str) -> list[str]:
        if any(self._conflicts(pod, other) for other in self._pods_on(node)):
            return ["node(s) had no available disk"]
        if any(self._one_pod(name) and self._users(name) for name in claims_of(pod)):
            return [IN_USE]
        if not self._can_attach(pod, node):
            return ["node(s) exceed max volume count"]
        found = self.bindings(pod, node)
        if isinstance(found, list):
            return found
        return [] if self._in_zone(pod, node) else ["node(s) had no available volume zone"]

    def place(self, pod: dict, node: str) -> dict[str, tuple[str, str]]:
        """Put a pod on a node; what its unbound claims get: the kind, and a volume or the node."""
        found = self.bindings(pod, node)
        assert isinstance(found, dict), found
        for claim, (kind, name) in found.items():
            (self.promised if kind == "volume" else self.selected)[claim] = name
        self.where[pod["metadata"]["name"]] = node
        return found

    def attached(self, node: str, driver: str) -> int:
        """Number of volumes of a driver on a node."""
        names = (
            set().union(*(self._attachments(pod, node) for pod in self._pods_on(node)))
            if self._pods_on(node)
            else set()
        )
        return sum(own == driver for own, _ in names | self._held(node))

    def bindings(self, pod: dict, node: str) -> dict[str, tuple[str, str]] | list[str]:
        """What the pod's unbound claims would get on a node, or why it will not do."""
        reasons = []
        bound = [name for name in claims_of(pod) if self.is_bound(name)]
        for name in bound:
            volume = self.volumes.get(self.claims[name]["spec"]["volumeName"])
            if volume is None:
                reasons.append("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)")
                break
            if not self._reaches(volume, node):
                reasons.append("node(s) didn't match PersistentVolume's node affinity")
                break
        delayed = [name for name in claims_of(pod) if not self.is_bound(name)]
        found, wrong = self._delayed(delayed, node)
        if wrong:
            reasons.append(wrong)
        order = ("didn't match", "didn't find", "did not have", "unavailable")
        reasons.sort(key=lambda text: next(i for i, part in enumerate(order) if part in text))
        return reasons or found

    def _delayed(self, names: list[str], node: str) -> tuple[dict[str, tuple[str, str]], str]:
        no_match = "node(s) didn't find available persistent volumes to bind"
        settled = {name: self.selected.get(name, self._annotation(name)) for name in names}
        if any(chosen is not None and chosen != node for chosen in settled.values()):
            return {}, no_match
        make = [name for name in names if settled[name] is not None]
        found: dict[str, tuple[str, str]] = {}
        taken: set[str] = set()
        for name in sorted((name for name in names if settled[name] is None), key=self._size):
            volume = self._match(name, node, taken)
            if volume is None:
                make.append(name)
            else:
                taken.add(volume)
                found[name] = ("volume", volume)
        for name in make:
            storage_class = self.classes[self.claims[name]["spec"]["storageClassName"]]
            if storage_class["provisioner"] == "kubernetes.io/no-provisioner" or not self._allowed(storage_class, node):
                return {}, no_match
            if not self._has_room(name, storage_class, node):
                return {}, "node(s) did not have enough free storage"
            found[name] = ("node", node)
        return found, ""

    def _match(self, name: str, node: str, taken: set[str]) -> str | None:
        claim = self.claims[name]
        best = None
        for volume_name, volume in self.volumes.items():
            spec = volume["spec"]
            if volume_name in taken or spec["storageClassName"] != claim["spec"]["storageClassName"]:
                continue
            owner = self._owner(volume_name)
            if owner is not None and owner != name:
                continue
            size = parse(spec["capacity"]["storage"])
            if size < self._size(name) or spec.get("volumeMode", "Filesystem") != claim["spec"].get(
                "volumeMode", "Filesystem"
            ):
                continue
            if owner == name:
                return volume_name if self._reaches(volume, node) else None
            if volume["status"]["phase"] != "Available" or not self._reaches(volume, node):
                continue
            wanted = claim["spec"].get("selector", {}).get("matchLabels", {})
            labels = volume["metadata"].get("labels", {})
            if any(labels.get(key) != value for key, value in wanted.items()):
                continue
            if not set(claim["spec"]["accessModes"]) <= set(spec["accessModes"]):
                continue
            if best is None or size < parse(self.volumes[best]["spec"]["capacity"]["storage"]):
                best = volume_name
        return best

    def _owner(self, volume: str) -> str | None:
        promised = [claim for claim, name in self.promised.items() if name == volume]
        if promised:
            return promised[0]
        reference = self.volumes[volume]["spec"].get("claimRef")
        return reference["name"] if reference else None

    def is_bound(self, name: str) -> bool:
        claim = self.claims[name]
        annotations = claim["metadata"].get("annotations", {})
        return bool(claim["spec"].get("volumeName")) and "pv.kubernetes.io/bind-completed" in annotations

    def is_delayed(self, name: str) -> bool:
        claim = self.claims[name]
        storage_class = self.classes.get(claim["spec"].get("storageClassName", ""))
        waits = storage_class is not None and storage_class.get("volumeBindingMode") == "WaitForFirstConsumer"
        return waits and not claim["spec"].get("volumeName")

    def _annotation(self, name: str) -> str | None:
        return self.claims[name]["metadata"].get("annotations", {}).get("volume.kubernetes.io/selected-node")

    def _size(self, name: str) -> int | Fraction:
        return parse(self.claims[name]["spec"]["resources"]["requests"]["storage"])

    def _labels(self, node: str) -> dict[str, str]:
        return self.nodes[node]["metadata"].get("labels", {})

    def _reaches(self, volume: dict, node: str) -> bool:
        affinity = volume["spec"].get("nodeAffinity")
        if affinity is None:
            return True
        terms = affinity["required"]["nodeSelectorTerms"]
        return any(node_selectors.term_matches(term, node, self._labels(node)) for term in terms)

    def _allowed(self, storage_class: dict, node: str) -> bool:
        terms = storage_class.get("allowedTopologies")
        if not terms:
            return True
        labels = self._labels(node)
        return any(
            all(labels.get(item["key"]) in item["values"] for item in term["matchLabelExpressions"]) for term in terms
        )

    def _has_room(self, name: str, storage_class: dict, node: str) -> bool:
        driver = self.drivers.get(storage_class["provisioner"])
        if driver is None or not driver["spec"].get("storageCapacity"):
            return True
        for item in self.capacities:
            if item["storageClassName"] != storage_class["metadata"]["name"] or "nodeTopology" not in item:
                continue
            limit = item.get("maximumVolumeSize", item.get("capacity"))
            wanted = item["nodeTopology"].get("matchLabels", {})
            reaches = all(self._labels(node).get(key) == value for key, value in wanted.items())
            if limit is not None and parse(limit) >= self._size(name) and reaches:
                return True
        return False

    def _in_zone(self, pod: dict, node: str) -> bool:
        labels = self._labels(node)
        if not any(key in labels for key in ZONE_KEYS):
            return True
        for name in claims_of(pod):
            volume = self.volumes.get(self.claims[name]["spec"].get("volumeName", ""), {})
            for key, text in volume.get("metadata", {}).get("labels", {}).items():
                if key in ZONE_KEYS:
                    held = labels.get(key, labels.get(key.replace("failure-domain.beta", "topology")))
                    if held not in text.split("__"):
                        return False
        return True

    def _conflicts(self, pod: dict, other: dict) -> bool:
        pairs = [(one, two) for one in pod["spec"].get("volumes", ()) for two in other["spec"].get("volumes", ())]
        for one, two in pairs:
            ebs = [item["awsElasticBlockStore"] for item in (one, two) if "awsElasticBlockStore" in item]
            gce = [item["gcePersistentDisk"] for item in (one, two) if "gcePersistentDisk" in item]
            if len(ebs) == 2 and ebs[0]["volumeID"] == ebs[1]["volumeID"]:
                return True
            if len(gce) == 2 and gce[0]["pdName"] == gce[1]["pdName"] and not all(disk.get("readOnly") for disk in gce):
                return True
        return False

    def _one_pod(self, claim: str) -> bool:
        return "ReadWriteOncePod" in self.claims[claim]["spec"]["accessModes"]

    def _users(self, claim: str) -> list[str]:
        return [name for name, node in self.where.items() if node is not None and claim in claims_of(self.pods[name])]

    def _pods_on(self, node: str) -> list[dict]:
        return [self.pods[name] for name, own in self.where.items() if own == node]

    def _attachments(self, pod: dict, node: str) -> set[tuple[str, str]]:
        found = set()
        for name in claims_of(pod):
            claim = self.claims.get(name)
            if claim is None:
                continue
            volume = self.volumes.get(claim["spec"].get("volumeName", ""))
            if volume is not None:
                if "csi" in volume["spec"]:
                    found.add((volume["spec"]["csi"]["driver"], volume["spec"]["csi"]["volumeHandle"]))
                continue
            storage_class = self.classes.get(claim["spec"].get("storageClassName", ""))
            if storage_class is not None:
                found.add((storage_class["provisioner"], f"claim {name}"))
        plugins = self.csi_nodes.get(node, {}).get("metadata", {}).get("annotations", {})
        migrated = plugins.get("storage.alpha.kubernetes.io/migrated-plugins", "").split(",")
        for volume in pod["spec"].get("volumes", ()):
            if "awsElasticBlockStore" in volume and "kubernetes.io/aws-ebs" in migrated:
                found.add(("ebs.csi.aws.com", volume["awsElasticBlockStore"]["volumeID"]))
        return found

    def _held(self, node: str) -> set[tuple[str, str]]:
        return {
            (item["spec"]["attacher"], volume["spec"]["csi"]["volumeHandle"])
            for item in self.attachments
            if item["spec"]["nodeName"] == node
            for volume in [self.volumes.get(item["spec"]["source"]["persistentVolumeName"], {"spec": {}})]
            if "csi" in volume["spec"]
        }

    def _can_attach(self, pod: dict, node: str) -> bool:
        present = set().union(*(self._attachments(other, node) for other in self._pods_on(node)), set())
        new = self._attachments(pod, node) - present
        for driver in {driver for driver, _ in new}:
            for item in self.csi_nodes.get(node, {}).get("spec", {}).get("drivers", ()):
                limit = item.get("allocatable", {}).get("count")
                wanted = sum(own == driver for own, _ in new)
                if item["name"] == driver and limit is not None and self.attached(node, driver) + wanted > limit:
                    return False
        return True


def claims_of(pod: dict) -> list[str]:
    """Names of the claims of a pod."""
    volumes = pod["spec"].get("volumes", ())
    return [item["persistentVolumeClaim"]["claimName"] for item in volumes if "persistentVolumeClaim" in item]


def _by_name(objects: list[dict], kind: str) -> dict[str, dict]:
    return {item["metadata"]["name"]: item for item in objects if item["kind"] == kind}
