"""What keeps an extender's TLS settings from being used (``client-go/transport``)."""

import base64
import os
import ssl
from pathlib import Path

from kplace.config.wire import Extender, TLSConfig

_PEM = b"-----BEGIN "


class TLSError(Exception):
    """TLS settings cannot be used; the message is upstream's."""


def check_tls(extender: Extender) -> None:
    """Check the TLS settings of an extender, the files that they name included.

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
        return
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
