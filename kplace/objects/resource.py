"""The kinds of dynamic resource allocation (resource.k8s.io), kept as they stand in the file."""

from msgspec import Raw, Struct

from kplace.objects.meta import ObjectMeta


class DeviceClass(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A kind of device; ``spec`` is kept as JSON."""

    metadata: ObjectMeta = ObjectMeta()
    spec: Raw = Raw()


class ResourceSlice(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """The devices that a driver offers on a node; ``spec`` is kept as JSON."""

    metadata: ObjectMeta = ObjectMeta()
    spec: Raw = Raw()


class ResourceClaimTemplate(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A claim to be made for each pod; ``spec`` is kept as JSON."""

    metadata: ObjectMeta = ObjectMeta()
    spec: Raw = Raw()


class ResourceClaim(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A claim for devices; ``spec`` and ``status`` are kept as JSON."""

    metadata: ObjectMeta = ObjectMeta()
    spec: Raw = Raw()
    status: Raw = Raw()
