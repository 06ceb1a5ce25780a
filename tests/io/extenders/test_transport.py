"""Requests to a real server on loopback, and what goes wrong with them."""

import base64
import socket
import ssl
import threading
import time
from contextlib import contextmanager

import pytest

from kplace.config import Extender, TLSConfig
from kplace.config.tls import tls_material
from kplace.errors import ConfigError, ExtenderError
from kplace.io.extenders.tls import tls_context
from kplace.io.extenders.transport import Transport
from tests.io.extenders.server import CERTIFICATES, Reply, closed_port, serving

SECOND = 10**9
PATIENT, HASTY = 20 * SECOND, SECOND // 5


@contextmanager
def transport(url, timeout=PATIENT, *, enable_https=False, **tls):
    settings = Extender(url_prefix=url, enable_https=enable_https, tls_config=TLSConfig(**tls))
    material = tls_material(settings)
    opened = Transport(url, timeout, tls_context(material), material.server_name)
    try:
        yield opened
    finally:
        opened.close()


def failure(url, timeout=PATIENT, verb="filter", **tls):
    with transport(url, timeout, **tls) as opened, pytest.raises(ExtenderError) as caught:
        opened.post(verb, b"{}")
    return str(caught.value)


def test_a_request_and_its_answer():
    with serving({"api/v1/filter": {"NodeNames": ["a"]}}) as server, transport(f"{server.url}/api/v1//") as opened:
        # All slashes at the end of the prefix go, one is put before the verb.
        assert opened.post("filter", b'{"Pod":null}') == b'{"NodeNames": ["a"]}'
    request = server.requests[0]
    assert request.path == "/api/v1/filter"
    assert request.raw == b'{"Pod":null}'
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["Host"] == f"127.0.0.1:{server.port}"
    assert "Authorization" not in request.headers


def test_a_connection_is_kept():
    with serving({"filter": {}}) as server, transport(server.url) as opened:
        for _ in range(3):
            opened.post("filter", b"{}")
        assert len({request.peer for request in server.requests}) == 1
        # What must arrive but once goes over a connection that cannot be stale.
        opened.post("filter", b"{}", once=True)
        assert len({request.peer for request in server.requests}) == 2


def test_a_connection_that_was_closed_meanwhile_is_opened_again():
    with serving({"filter": Reply({}, closes=True)}) as server, transport(server.url) as opened:
        for _ in range(3):
            assert opened.post("filter", b"{}") == b"{}"
            time.sleep(0.05)
    assert len(server.requests) == 3
    assert len({request.peer for request in server.requests}) == 3


def test_refused():
    port = closed_port()
    expected = f'Post "http://127.0.0.1:{port}/filter": dial tcp 127.0.0.1:{port}: connect: connection refused'
    assert failure(f"http://127.0.0.1:{port}") == expected


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply({}, before=30), "exceeded while awaiting headers"),
        # Each byte comes in good time, the whole does not.
        (Reply("x" * 600, between=0.05), "or context cancellation while reading body"),
    ],
)
def test_slow(reply, words):
    began = time.monotonic()
    with serving({"filter": reply}) as server:
        message = failure(server.url, HASTY)
    assert message == f'Post "{server.url}/filter": context deadline exceeded (Client.Timeout {words})'
    assert 0.15 < time.monotonic() - began < 5


def test_headers_that_trickle_in_are_slow_too():
    listener = socket.create_server(("127.0.0.1", 0))
    done = threading.Event()

    def trickle():
        connection, _ = listener.accept()
        with connection:
            for byte in b"HTTP/1.1 200 OK\r\nX-Filler: " + b"x" * 600:
                if done.wait(0.05):
                    return
                try:
                    connection.send(bytes([byte]))
                except OSError:
                    return

    thread = threading.Thread(target=trickle)
    thread.start()
    message = failure(f"http://127.0.0.1:{listener.getsockname()[1]}", HASTY)
    done.set()
    thread.join()
    listener.close()
    assert message.endswith("context deadline exceeded (Client.Timeout exceeded while awaiting headers)")


def test_without_a_time_limit():
    with serving({"filter": Reply({}, before=0.3)}) as server, transport(server.url, timeout=-1) as opened:
        assert opened.post("filter", b"{}") == b"{}"


@pytest.mark.parametrize("status", [500, 404, 201, 204, 307])
def test_any_status_but_200(status):
    headers = {"Location": "/elsewhere"} if status == 307 else {}
    with serving({"filter": Reply("", status=status, headers=headers)}) as server:
        message = failure(server.url)
    assert message == f"failed filter with extender at URL {server.url}/filter, code {status}"
    assert server.paths == ["/filter"]


def test_no_answer():
    with serving({"filter": Reply(drops=True)}) as server:
        assert failure(server.url) == f'Post "{server.url}/filter": EOF'
        assert len(server.requests) == 1


def test_a_body_that_ends_too_early_is_handed_on():
    with serving({"filter": Reply("{}", missing=5)}) as server, transport(server.url) as opened:
        assert opened.post("filter", b"{}") == b"{}"


def test_a_body_in_chunks():
    reply = Reply("3\r\n{ }\r\n0\r\n\r\n", headers={"Transfer-Encoding": "chunked"})
    with serving({"filter": reply}) as server, transport(server.url) as opened:
        assert [opened.post("filter", b"{}") for _ in range(2)] == [b"{ }", b"{ }"]
        assert len({request.peer for request in server.requests}) == 1


def test_no_http():
    listener = socket.create_server(("127.0.0.1", 0))

    def answer():
        connection, _ = listener.accept()
        with connection:
            connection.recv(1000)
            connection.sendall(b"220 ready\r\n\r\n")

    thread = threading.Thread(target=answer)
    thread.start()
    port = listener.getsockname()[1]
    message = failure(f"http://127.0.0.1:{port}")
    thread.join()
    listener.close()
    assert message.startswith(f'Post "http://127.0.0.1:{port}/filter": ')
    assert "220 ready" in message


def test_user_and_password():
    with serving({"filter": {}, "broken": Reply(status=500)}) as server:
        url = server.url.replace("://", "://me:s3cret@")
        with transport(url) as opened:
            opened.post("filter", b"{}")
        message = failure(url, verb="broken")
    assert server.requests[0].headers["Authorization"] == f"Basic {base64.b64encode(b'me:s3cret').decode()}"
    assert server.requests[0].headers["Host"] == f"127.0.0.1:{server.port}"
    # The password does not get into messages.
    assert "s3cret" not in message
    assert "me:***@" in message


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("extender.test:80", 'unsupported protocol scheme "extender.test"'),
        ("ftp://127.0.0.1", 'unsupported protocol scheme "ftp"'),
        ("/relative", 'unsupported protocol scheme ""'),
        ("http://", "no Host in request URL"),
        ("http://127.0.0.1:port", "invalid port"),
        ("http://[::1", "Invalid IPv6 URL"),
        ("http://" + "a" * 70 + ".test", "label"),
    ],
)
def test_urls_that_cannot_be_called(url, words):
    assert words in failure(url)


def test_a_path_that_needs_quoting():
    with serving({"with%20space/f%C3%BCr?x=1": {}}) as server, transport(f"{server.url}/with space") as opened:
        opened.post("für?x=1", b"{}")
    assert server.paths == ["/with%20space/f%C3%BCr?x=1"]


# TLS.


def file(name):
    return str(CERTIFICATES / name)


def data(name):
    return base64.b64encode((CERTIFICATES / name).read_bytes()).decode()


@pytest.mark.parametrize(
    "options",
    [
        {"ca_file": file("ca.crt")},
        {"ca_data": data("ca.crt")},
        # Data count before files.
        {"ca_data": data("ca.crt"), "ca_file": file("client.crt")},
        {"ca_file": file("ca.crt"), "server_name": "extender.test"},
        {"insecure": True},
        {"insecure": True, "server_name": "someone.else"},
        # Without an authority, enableHTTPS means that the certificate is not looked at.
        {"enable_https": True},
        {"enable_https": True, "ca_file": file("ca.crt")},
    ],
)
def test_tls(options):
    with serving({"filter": {}}, tls=True) as server, transport(server.url, **options) as opened:
        assert [opened.post("filter", b"{}") for _ in range(2)] == [b"{}", b"{}"]
        assert len({request.peer for request in server.requests}) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        # The system knows no such authority.
        ({}, "self-signed certificate in certificate chain|unable to get local issuer certificate"),
        ({"ca_file": file("client.crt")}, "unable to get local issuer certificate"),
        ({"ca_file": file("ca.crt"), "server_name": "someone.else"}, "someone.else"),
        # The name stands in the subject only, which does not count.
        ({"ca_file": file("ca.crt"), "server_name": "kplace test server"}, "kplace test server|not valid"),
    ],
)
def test_certificates_that_are_not_trusted(options, words):
    with serving({"filter": {}}, tls=True) as server:
        message = failure(server.url, **options)
    assert message.startswith(f'Post "{server.url}/filter": tls: failed to verify certificate: ')
    assert any(word in message for word in words.split("|"))
    assert not server.requests


@pytest.mark.parametrize("load", [file, data])
def test_a_client_certificate(load):
    kind = "file" if load is file else "data"
    pair = {f"cert_{kind}": load("client.crt"), f"key_{kind}": load("client.key")}
    with serving({"filter": {}}, tls=True, wants_client=True) as server:
        with transport(server.url, ca_file=file("ca.crt"), **pair) as opened:
            assert opened.post("filter", b"{}") == b"{}"
        # A certificate without its key is as good as none.
        del pair[f"key_{kind}"]
        assert failure(server.url, ca_file=file("ca.crt"), **pair).startswith(f'Post "{server.url}/filter": ')
    assert len(server.requests) == 1


def test_a_client_key_of_another_certificate():
    pair = TLSConfig(cert_file=file("client.crt"), key_file=file("server.key"))
    settings = Extender(url_prefix="https://x", tls_config=pair)
    with pytest.raises(ConfigError, match="client certificate of an extender cannot be used: KEY_VALUES_MISMATCH"):
        tls_context(tls_material(settings))


def test_the_wrong_protocol_on_either_side():
    with serving({"filter": {}}) as server:
        url = server.url.replace("http:", "https:")
        assert failure(url, insecure=True) == f'Post "{url}/filter": http: server gave HTTP response to HTTPS client'
    with serving({"filter": {}}, tls=True) as server:
        # The scheme decides; enableHTTPS has no part in it.
        message = failure(server.url.replace("https:", "http:"), HASTY, enable_https=True)
        assert message.startswith(f'Post "http://127.0.0.1:{server.port}/filter": ')


def test_the_oldest_protocols_are_not_spoken():
    context = tls_context(tls_material(Extender(url_prefix="https://x")))
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2
