"""Requests to one extender: a POST at a time, within a time limit, over a connection that is kept."""

import base64
import io
import socket
import ssl
import time
from http.client import HTTPException, HTTPResponse, IncompleteRead, RemoteDisconnected
from typing import Any
from urllib.parse import quote, urlsplit

from kplace.errors import ExtenderError

_PORTS = {"http": 80, "https": 443}
_IN_A_PATH = "/%:=&?~#+!$,;'@()*[]"
_NS = 1e-9


class Transport:
    """Sends JSON to an extender.

    Redirects are not followed and proxies not used.

    Parameters
    ----------
    url_prefix : str
        ``http://`` or ``https://``, a host, and a path.
    timeout_ns : int
        For a call as a whole, from the connection to the last byte of the answer. 0 or less: none.
    context : SSLContext
        For ``https``.
    server_name : str
        Whom the server's certificate must name; empty for the host.
    """

    def __init__(self, url_prefix: str, timeout_ns: int, context: ssl.SSLContext, server_name: str = "") -> None:
        self._prefix = url_prefix.rstrip("/")
        self._timeout = timeout_ns * _NS if timeout_ns > 0 else None
        self._context = context
        self._server_name = server_name
        self._kept: socket.socket | None = None

    def post(self, verb: str, body: bytes, *, once: bool = False) -> bytes:
        """Send a request to ``PREFIX/VERB`` and return the body of the answer.

        Parameters
        ----------
        once : bool
            The extender must not get the request twice, whatever happens: no connection is taken that it may have
            closed meanwhile.

        Raises
        ------
        ExtenderError
            There is no answer, or its status is not 200. The words are those of upstream where they do not depend on
            chance.
        """
        url = f"{self._prefix}/{verb}"
        call = _Call(url, body, self._timeout)
        if once:
            self.close()
        kept, self._kept = self._kept, None
        try:
            if kept is not None:
                try:
                    status, answer, self._kept = call.exchange(kept)
                except _STALE:
                    if call.has_headers:
                        raise
                    kept = None
            if kept is None:
                status, answer, self._kept = call.exchange(call.connect(self._context, self._server_name))
        except (OSError, HTTPException, UnicodeError) as error:
            msg = f'Post "{call.shown_url}": {_explained(error, call)}'
            raise ExtenderError(msg) from error
        if status != 200:
            msg = f"failed {verb} with extender at URL {call.shown_url}, code {status}"
            raise ExtenderError(msg)
        return answer

    def close(self) -> None:
        """Close the connection that is kept, if there is one."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None


_STALE = (RemoteDisconnected, ConnectionResetError, BrokenPipeError)
"""What happens on a connection that the server has closed since the last call."""


class _Call:
    """One request."""

    def __init__(self, url: str, body: bytes, timeout: float | None) -> None:
        try:
            self._parts = urlsplit(url)
        except ValueError as error:
            msg = f'parse "{url}": {error}'
            raise ExtenderError(msg) from error
        self._body = body
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self.has_headers = False
        self.peer = ""

    @property
    def shown_url(self) -> str:
        """The URL without a password."""
        password = self._parts.password
        return self._parts.geturl().replace(f":{password}@", ":***@", 1) if password else self._parts.geturl()

    def left(self) -> float | None:
        """Seconds until the call is over.

        Raises
        ------
        TimeoutError
            It is.
        """
        if self._deadline is None:
            return None
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def connect(self, context: ssl.SSLContext, server_name: str) -> socket.socket:
        """Open a connection."""
        scheme, host = self._parts.scheme, self._parts.hostname
        if scheme not in _PORTS:
            msg = f'unsupported protocol scheme "{scheme}"'
            raise HTTPException(msg)
        if not host:
            msg = "http: no Host in request URL"
            raise HTTPException(msg)
        self.peer = f"{host}:{self._port}"
        plain = socket.create_connection((host, self._port), self.left())
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if scheme == "http":
            return plain
        plain.settimeout(self.left())
        try:
            return context.wrap_socket(plain, server_hostname=server_name or host)
        except BaseException:
            plain.close()
            raise

    def exchange(self, connection: socket.socket) -> tuple[int, bytes, socket.socket | None]:
        """Send the request and read the answer: its status, its body, and the connection if it can be used again."""
        keep = False
        try:
            connection.settimeout(self.left())
            connection.sendall(self._request())
            response = HTTPResponse(_Readable(connection, self), method="POST")  # type: ignore[arg-type]
            response.begin()
            self.has_headers = True
            if response.status != 200:
                return response.status, b"", None
            answer = _whole(response)
            keep = not response.will_close and response.isclosed()
            return response.status, answer, connection if keep else None
        finally:
            if not keep:
                connection.close()

    @property
    def _port(self) -> int:
        try:
            port = self._parts.port
        except ValueError as error:
            msg = "invalid port"
            raise HTTPException(msg) from error
        return _PORTS[self._parts.scheme] if port is None else port

    def _request(self) -> bytes:
        parts = self._parts
        target = quote(parts.path, safe=_IN_A_PATH) + (f"?{quote(parts.query, safe=_IN_A_PATH)}" if parts.query else "")
        headers = [
            f"POST {target} HTTP/1.1",
            f"Host: {_host(parts.netloc)}",
            "User-Agent: kplace",
            "Content-Type: application/json",
            f"Content-Length: {len(self._body)}",
        ]
        if parts.username is not None:
            pair = f"{parts.username}:{parts.password or ''}".encode()
            headers.append(f"Authorization: Basic {base64.b64encode(pair).decode()}")
        return "\r\n".join([*headers, "", ""]).encode("ascii") + self._body


def _host(netloc: str) -> str:
    """Host and port as the header has them, without a user."""
    return netloc.rpartition("@")[2].encode("idna").decode()


def _whole(response: HTTPResponse) -> bytes:
    """The body; what there is of it if the connection ends too early, for the JSON in it may be complete."""
    try:
        return response.read()
    except IncompleteRead as error:
        return error.partial


class _Readable:
    """What `HTTPResponse` needs of a socket: a file to read from, here with the call's time limit as a whole."""

    def __init__(self, connection: socket.socket, call: _Call) -> None:
        self._connection = connection
        self._call = call

    def makefile(self, _mode: str) -> io.BufferedReader:
        """Open for reading; closing it leaves the connection open."""
        return io.BufferedReader(_Timed(self._connection, self._call))


class _Timed(io.RawIOBase):
    def __init__(self, connection: socket.socket, call: _Call) -> None:
        super().__init__()
        self._connection = connection
        self._call = call

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - any buffer
        self._connection.settimeout(self._call.left())
        return self._connection.recv_into(buffer)


def _explained(error: Exception, call: _Call) -> str:
    """Upstream's words for what went wrong, without those that differ from run to run."""
    match error:
        case TimeoutError() if call.has_headers:
            words = "context deadline exceeded (Client.Timeout or context cancellation while reading body)"
        case TimeoutError():
            words = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
        case RemoteDisconnected():
            words = "EOF"
        case ConnectionRefusedError():
            words = f"dial tcp {call.peer}: connect: connection refused"
        case ConnectionResetError():
            words = "read: connection reset by peer"
        case socket.gaierror():
            words = f"dial tcp: lookup {call.peer.rpartition(':')[0]}: no such host"
        case ssl.SSLError():
            words = _tls_words(error)
        case OSError(strerror=str() as reason):
            words = reason
        case _:
            words = str(error) or type(error).__name__
    return words


def _tls_words(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"tls: failed to verify certificate: {error.verify_message}"
    if error.reason == "WRONG_VERSION_NUMBER":
        return "http: server gave HTTP response to HTTPS client"
    return f"tls: {error.reason or error}"
