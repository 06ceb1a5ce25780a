"""An extender for tests: a real HTTP server on loopback that answers, or fails, as it is told."""

import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

CERTIFICATES = Path(__file__).parent / "certificates"


@dataclass(frozen=True)
class Reply:
    """What is sent back. A str or bytes is sent as it is, anything else as JSON."""

    body: Any = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    before: float = 0.0
    """Seconds until the first byte."""
    between: float = 0.0
    """Seconds between bytes of the body."""
    missing: int = 0
    """Bytes that are announced and never sent."""
    drops: bool = False
    """The connection is closed without an answer."""
    closes: bool = False
    """The connection is closed after the answer, without a word about it."""


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: Any
    raw: bytes
    peer: tuple[str, int]


Answer = Callable[[Any], Any]


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answers: dict[str, Any], **tls: Any) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = answers
        self.requests: list[Request] = []
        self.stopping = threading.Event()
        self.scheme = "http"
        if tls:
            self.scheme = "https"
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(CERTIFICATES / "server.crt", CERTIFICATES / "server.key")
            if tls.get("wants_client"):
                context.verify_mode = ssl.CERT_REQUIRED
                context.load_verify_locations(CERTIFICATES / "ca.crt")
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    @property
    def port(self) -> int:
        return self.server_address[1]

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    @property
    def bodies(self) -> list[Any]:
        return [request.body for request in self.requests]

    @property
    def paths(self) -> list[str]:
        return [request.path for request in self.requests]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up, and handshakes that fail, are what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        body = json.loads(raw)
        path = self.path
        self.server.requests.append(Request(path, dict(self.headers), body, raw, self.client_address))
        answer = self.server.answers[path.removeprefix("/")]
        answer = answer(body) if callable(answer) else answer
        self._send(answer if isinstance(answer, Reply) else Reply(answer))

    def _send(self, reply: Reply) -> None:
        self._sleep(reply.before)
        if reply.drops:
            self.close_connection = True
            return
        body = reply.body if isinstance(reply.body, str | bytes) else json.dumps(reply.body)
        data = body.encode() if isinstance(body, str) else body
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if "Transfer-Encoding" not in reply.headers:
            self.send_header("Content-Length", str(len(data) + reply.missing))
        self.end_headers()
        if reply.between:
            for byte in data:
                self._sleep(reply.between)
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
        else:
            self.wfile.write(data)
        self.close_connection |= bool(reply.missing or reply.closes)

    def _sleep(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not self.server.stopping.wait(min(left, 0.05)):
            pass

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving(answers: dict[str, Any], **tls: Any) -> Iterator[Server]:
    """Run an extender whose answers are given by verb: a value, or a function of the request's body."""
    server = Server(answers, **tls)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        server.shutdown()
        thread.join()
        server.server_close()


def closed_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
