"""The explorer: a page on this machine that maps again with every change.

The server listens on 127.0.0.1 alone. Every request has to name that host, come from no other
origin and know the token that stands in the address. It reads no file that a request names, and
writes none.
"""

from __future__ import annotations

import hmac
import json
import secrets
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from tilewright import _ask, _native
from tilewright._errors import Error, InputError, Problem
from tilewright._report import Document, embedded, html_page, page_of
from tilewright._values import Architecture, Workload

_MOST_BYTES = 1 << 20
_OBJECTIVES = ("edp", "energy", "latency", "ed2p")
_TOKEN = "X-Tilewright-Token"
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class _Superseded(Exception):
    """A later question came; nobody waits for the answer."""


class Questions:
    """Answers what the page asks. Of several questions at once only the last is answered."""

    def __init__(self, arch: Architecture, workloads: dict[str, Workload]) -> None:
        self.arch = arch
        self.workloads = workloads
        self._latest = 0
        self._lock = threading.Lock()

    def answer(self, path: str, question: dict[str, Any]) -> dict[str, Any]:
        """What the page gets for a question."""
        ask = {"/map": self._map, "/yaml": self._yaml, "/report": self._report}.get(path)
        if ask is None:
            return {"problems": [{"message": "there is no such question", "hint": "", "path": ""}]}
        try:
            return ask(question)
        except _Superseded:
            return {"superseded": True}
        except InputError as error:
            return {"problems": [_problem(one) for one in error.problems]}
        except Error as error:
            return {"problems": [{"message": str(error), "hint": "", "path": ""}]}

    def _next(self) -> int:
        with self._lock:
            self._latest += 1
            return self._latest

    def _architecture(self, question: dict[str, Any]) -> Architecture:
        given = question.get("architecture")
        if not isinstance(given, dict):
            raise InputError([Problem("the architecture is missing", path="architecture")])
        return Architecture.from_dict(cast("dict[str, Any]", given))

    def _workload(self, question: dict[str, Any]) -> Workload:
        text = str(question.get("workload", ""))
        if text in self.workloads:
            return self.workloads[text]
        try:
            # Not Workload(text), which takes the name of a file as well.
            return Workload._hold(_native.Workload.read_line(text, "workload"))
        except InputError as error:
            raise InputError([one._replace(path="workload") for one in error.problems]) from None

    def _map(self, question: dict[str, Any]) -> dict[str, Any]:
        number = self._next()
        objective = str(question.get("objective", "edp"))
        if objective not in _OBJECTIVES:
            hint = f"it is one of {', '.join(_OBJECTIVES)}"
            raise InputError([Problem("there is no such objective", hint, path="objective")])

        def go_on(_: object) -> None:
            if number != self._latest:
                raise _Superseded

        arch, workload = self._architecture(question), self._workload(question)
        result = _ask.map(arch, workload, objective=objective, progress=go_on)
        return {"document": result.to_dict()}

    def _yaml(self, question: dict[str, Any]) -> dict[str, Any]:
        return {"text": self._architecture(question).to_yaml()}

    def _report(self, question: dict[str, Any]) -> dict[str, Any]:
        answer = self._map(question)
        return {"text": page_of([Document("from the explorer", answer["document"])])}


def _problem(problem: Problem) -> dict[str, str]:
    return {"message": problem.message, "hint": problem.hint, "path": problem.path or problem.file}


class Server(ThreadingHTTPServer):
    """Serves the explorer to whoever knows the address."""

    daemon_threads = True

    def __init__(self, questions: Questions, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.questions = questions
        self.token = secrets.token_urlsafe(24)
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
        start = {
            "architecture": self.questions.arch.to_dict(),
            "workloads": list(self.questions.workloads),
            "objectives": list(_OBJECTIVES),
            "token": self.token,
        }
        return html_page("Tilewright explorer", _POLICY, embedded({"explore": start}), folder)


class _Handler(BaseHTTPRequestHandler):
    server: Server  # pyright: ignore[reportIncompatibleVariableOverride]
    protocol_version = "HTTP/1.1"
    timeout = 60  # of a connection on which nothing comes

    def do_GET(self) -> None:
        """The page, to whoever has the token in the address."""
        parts = urlsplit(self.path)
        token = parse_qs(parts.query).get("token", [""])[0]
        if parts.path != "/":
            self._refuse(404, "there is nothing here")
        elif self._is_welcome(token):
            self._send(200, self.server.page().encode(), "text/html; charset=utf-8")

    def do_POST(self) -> None:
        """An answer, as JSON."""
        if not self._is_welcome(self.headers.get(_TOKEN, "")):
            return
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _MOST_BYTES:
            self._refuse(413, "the question is too large")
            return
        try:
            question = json.loads(self.rfile.read(int(length)))
        except ValueError:
            self._refuse(400, "the question is no JSON")
            return
        if not isinstance(question, dict):
            self._refuse(400, "the question is no object")
            return
        found = self.server.questions.answer(self.path, cast("dict[str, Any]", question))
        self._send(200, json.dumps(found).encode(), "application/json")

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
        self._send(code, f"{why}\n".encode(), "text/plain; charset=utf-8")

    def _send(self, code: int, body: bytes, kind: str) -> None:
        self.send_response(code)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("Content-Security-Policy", _POLICY),
            ("Cache-Control", "no-store"),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
        ):
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as the base class has it
        """Says nothing: addresses have the token in them."""
