"""What an extender's TLS settings come down to, and what keeps them from being used (``client-go/transport``)."""

import base64
import os
import ssl
from dataclasses import dataclass
from pathlib import Path

from kplace.config.wire import Extender, TLSConfig

_PEM = b"-----BEGIN "


class TLSError(Exception):
    """TLS settings cannot be used; the message is upstream's."""


@dataclass(frozen=True, slots=True)
class TLSMaterial:
    """TLS settings with the content of the files that they name.

    Attributes
    ----------
    authority : bytes
        Certificates in PEM, in the place of the system's; empty for those.
    certificate, key : bytes
        The client's, in PEM; both empty for none.
    is_insecure : bool
        The server's certificate is not looked at.
    server_name : str
        Whom the certificate must name; empty for the host of the URL.
    """

    authority: bytes
    certificate: bytes
    key: bytes
    is_insecure: bool
    server_name: str


def tls_material(extender: Extender) -> TLSMaterial:
    """Read the TLS settings of an extender, the files that they name included.

    Without an authority of its own, an extender with ``enableHTTPS`` is taken at its word, as upstream does. A client
    certificate without a key, or a key without a certificate, is left out.

    Raises
    ------
    TLSError
        They cannot be used.
    """
    tls = extender.tls_config or TLSConfig()
    has_ca = bool(tls.ca_file or tls.ca_data)
    has_pair = bool((tls.cert_file or tls.cert_data) and (tls.key_file or tls.key_data))
    is_insecure = tls.insecure or (extender.enable_https and not has_ca)
    if not (has_ca or has_pair or is_insecure or tls.server_name):
        return TLSMaterial(b"", b"", b"", is_insecure=False, server_name="")
    if has_ca and is_insecure:
        msg = "specifying a root certificates file with the insecure flag is not allowed"
        raise TLSError(msg)
    authority = _content(tls.ca_data, tls.ca_file)
    certificate, key = _content(tls.cert_data, tls.cert_file), _content(tls.key_data, tls.key_file)
    if has_ca and not _holds_certificate(authority):
        msg = "unable to load root certificates: unable to parse bytes as PEM block"
        raise TLSError(msg)
    if has_pair and (tls.cert_data or tls.key_data):
        for name, content in (("certificate", certificate), ("key", key)):
            if _PEM not in content:
                msg = f"tls: failed to find any PEM data in {name} input"
                raise TLSError(msg)
    return TLSMaterial(
        authority,
        certificate if has_pair else b"",
        key if has_pair else b"",
        is_insecure=is_insecure,
        server_name=tls.server_name,
    )


def _content(data: str, file: str) -> bytes:
    if data:
        return base64.b64decode("".join(data.split("\n")))
    if not file:
        return b""
    try:
        return Path(file).read_bytes()
    except OSError as error:
        msg = f"open {file}: {os.strerror(error.errno or 0).lower()}"
        raise TLSError(msg) from error


def _holds_certificate(content: bytes) -> bool:
    try:
        ssl.create_default_context(cadata=content.decode("ascii"))
    except (ssl.SSLError, UnicodeDecodeError, ValueError):
        return False
    return True
