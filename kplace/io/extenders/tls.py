"""An extender's TLS settings as Python's ``ssl`` takes them."""

import ssl
from pathlib import Path
from tempfile import TemporaryDirectory

from kplace.config.tls import TLSMaterial
from kplace.errors import ConfigError


def tls_context(material: TLSMaterial) -> ssl.SSLContext:
    """Context for connections to an extender.

    As in Go's ``crypto/tls`` a certificate names its host by the alternative names only.

    Raises
    ------
    ConfigError
        The client's certificate and key do not belong together, or cannot be read.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.hostname_checks_common_name = False
    if material.is_insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif material.authority:
        context.load_verify_locations(cadata=material.authority.decode("ascii"))
    else:
        context.load_default_certs()
    if material.certificate:
        _load_pair(context, material)
    return context


def _load_pair(context: ssl.SSLContext, material: TLSMaterial) -> None:
    # Python reads them from files only.
    with TemporaryDirectory(prefix="kplace-") as folder:
        certificate, key = Path(folder, "tls.crt"), Path(folder, "tls.key")
        certificate.write_bytes(material.certificate)
        key.write_bytes(material.key)
        try:
            context.load_cert_chain(certificate, key)
        except ssl.SSLError as error:
            msg = f"the client certificate of an extender cannot be used: {error.reason or error}"
            raise ConfigError(msg) from error
