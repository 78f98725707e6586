"""The server of the explorer: who is let in, and how answers go out.

It listens on 127.0.0.1 alone. Every request has to name that host, come from no other origin and
know the token that stands in the address. It reads no file that a request names, and writes none.
"""

from __future__ import annotations

import hmac
import json
import re
import secrets
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from tilewright._errors import InputError, Problem
from tilewright._explore import Questions
from tilewright._report import embedded, html_page

_MOST_BYTES = 1 << 20
_TOKEN = "X-Tilewright-Token"
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
)
_HEADER_POLICY = f"{_POLICY}; frame-ancestors 'none'"  # means nothing in the page itself
_ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d{1,5})/\?token=([A-Za-z0-9_-]{32,64})")


def place_of(address: str) -> tuple[int, str]:
    """Port and token of an address that an earlier server printed."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        hint = "give the address that `tilewright explore` printed"
        raise InputError([Problem("it is no address of the explorer", hint, "--address")])
    return int(found[1]), found[2]


class Server(ThreadingHTTPServer):
    """Serves the explorer to whoever knows the address."""

    daemon_threads = True

    def __init__(self, questions: Questions, port: int = 0, token: str = "") -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.questions = questions
        self.token = token or secrets.token_urlsafe(24)
        self.place = f"127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away before its answer comes is no reason to complain."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"http://{self.place}/?token={self.token}"

    def page(self) -> str:
        """The page, with what it begins with."""
        folder = resources.files("tilewright") / "_page"
        start = {**self.questions.start(), "token": self.token}
        return html_page("Tilewright explorer", _POLICY, embedded({"explore": start}), folder)


class _Handler(BaseHTTPRequestHandler):
    server: Server  # pyright: ignore[reportIncompatibleVariableOverride]
    protocol_version = "HTTP/1.1"
    timeout = 60  # of a connection on which nothing comes
    disable_nagle_algorithm = True  # an answer must not wait for the browser's acknowledgement

    def do_GET(self) -> None:
        """The page, to whoever has the token in the address."""
        parts = urlsplit(self.path)
        token = parse_qs(parts.query).get("token", [""])[0]
        if parts.path != "/":
            self._refuse(404, "there is nothing here")
        elif self._is_welcome(token):
            body = self.server.page().encode()
            self._begin(200, "text/html; charset=utf-8", ("Content-Length", str(len(body))))
            self.wfile.write(body)

    def do_POST(self) -> None:
        """An answer: lines of JSON, of which all but the last tell of progress."""
        if not self._is_welcome(self.headers.get(_TOKEN, "")):
            return
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _MOST_BYTES:
            self._refuse(413, "the question is too large")
            return
        try:
            question = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            self._refuse(400, "the question is no JSON")
            return
        if not isinstance(question, dict):
            self._refuse(400, "the question is no object")
            return
        self._begin(200, "application/x-ndjson", ("Transfer-Encoding", "chunked"))
        self.server.questions.answer(self.path, cast("dict[str, Any]", question), self._tell)
        self.wfile.write(b"0\r\n\r\n")

    def _tell(self, line: str) -> None:
        """Sends a line at once; raises ConnectionError if nobody is there any more."""
        body = line.encode() + b"\n"
        self.wfile.write(b"%x\r\n%b\r\n" % (len(body), body))

    def _is_welcome(self, token: str) -> bool:
        """Whether host, origin and token are ours; otherwise it is refused."""
        host, origin = self.headers.get("Host"), self.headers.get("Origin")
        if host != self.server.place or origin not in (None, f"http://{self.server.place}"):
            self._refuse(403, "this host or origin is not let in")
            return False
        if not hmac.compare_digest(token.encode(), self.server.token.encode()):
            self._refuse(403, "the token is missing or wrong: open the address that was printed")
            return False
        return True

    def _refuse(self, code: int, why: str) -> None:
        self.close_connection = True
        body = f"{why}\n".encode()
        self._begin(code, "text/plain; charset=utf-8", ("Content-Length", str(len(body))))
        self.wfile.write(body)

    def _begin(self, code: int, kind: str, length: tuple[str, str]) -> None:
        self.send_response(code)
        for name, value in (
            ("Content-Type", kind),
            length,
            ("Content-Security-Policy", _HEADER_POLICY),
            ("Cache-Control", "no-store"),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
        ):
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as the base class has it
        """Says nothing: addresses have the token in them."""
