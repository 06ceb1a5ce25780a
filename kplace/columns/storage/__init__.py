"""Claims, volumes, classes and CSI objects as what follows from them for pods and nodes."""

from kplace.columns.storage.catalogue import Storage
from kplace.columns.storage.claims import Claim, PodVolume, claims_of_spec, ephemeral_claim_name
from kplace.columns.storage.volumes import PersistentVolumeEntry

__all__ = ["Claim", "PersistentVolumeEntry", "PodVolume", "Storage", "claims_of_spec", "ephemeral_claim_name"]
