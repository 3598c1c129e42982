"""Requests that no browser makes: each is refused, and the server goes on."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from leakgauge.web import questions
from tests.web.serving import Served, running
from tests.web.tables import folder_with_people

LENGTH = "Content-Length: "


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with running(folder_with_people(tmp_path_factory.mktemp("hostile") / "data")) as server:
        yield server


def told(served: Served, sent: bytes) -> bytes:
    """Everything that comes back for these very bytes until the server closes."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as connection:
        connection.sendall(sent)
        heard = b""
        try:
            while part := connection.recv(1 << 16):
                heard += part
        except ConnectionResetError:
            # It closed while there was more to read.
            pass
    return heard


def asked(served: Served, method: str, path: str, *more: str, body: str = "") -> bytes:
    """A request of the page itself with more lines in its head, after which it wants no other."""
    lines = [f"{name}: {value}" for name, value in served.headers(Connection="close").items()]
    return "\r\n".join([f"{method} /{served.door}{path} HTTP/1.1", *lines, *more, "", body]).encode()


@pytest.mark.parametrize(
    "sent", [b"\0\1 nonsense\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\r\n \r\n\r\n"]
)
def test_what_is_no_request_is_refused_and_writes_nothing_on_the_terminal(
    served: Served, sent: bytes, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    assert told(served, sent).startswith(b"HTTP/1.1 400 ")
    assert capfd.readouterr().err == "" and not caplog.records
    assert served.get("/api/state").status == 200


@pytest.mark.parametrize(
    ("more", "body"),
    [
        ([LENGTH + "-5"], ""),
        ([LENGTH + "9" * 5000], ""),
        ([LENGTH + "2", LENGTH + "3"], "{}"),
        (["Transfer-Encoding: chunked"], "ZZ\r\n{}"),
        (["Transfer-Encoding: gzip"], "{}"),
        (["X: " + "a" * 200_000, LENGTH + "2"], "{}"),
        (["X: a\0b", LENGTH + "2"], "{}"),
    ],
)
def test_a_head_that_contradicts_itself_or_has_no_end_is_refused(served: Served, more: list[str], body: str) -> None:
    for path, method in (("/api/tables", "POST"), ("/api/drop?name=x.csv", "PUT")):
        status = told(served, asked(served, method, path, *more, body=body))[:13]
        assert status in (b"HTTP/1.1 400 ", b"HTTP/1.1 413 ", b"HTTP/1.1 501 ")
    assert served.get("/api/state").fields["tables"] == []


@pytest.mark.parametrize(
    "path",
    [
        *("/static/..%2f..%2fserver.py", "/static/%2e%2e/server.py", "/static/../server.py", "/static/%00main.js"),
        *("/static/%ff%zz", "/jobs/..%2f../files/people.csv", "/jobs/%ed%a0%80/report", "/api/jobs/a%00b"),
        *("/messages/..%2fzh.json", "/" + "a" * 60_000, "//etc/passwd"),
    ],
)
def test_no_address_leads_elsewhere(served: Served, path: str) -> None:
    heard = told(served, asked(served, "GET", path))
    assert heard.startswith(b"HTTP/1.1 404 ") and b'{"error":"There is no' in heard
    assert str(served.folder).encode() not in heard


@pytest.mark.parametrize("method", ["BREW", "TRACE", "CONNECT", "OPTIONS", "PUT", "PATCH"])
def test_other_methods_are_refused(served: Served, method: str) -> None:
    heard = told(served, asked(served, method, "/api/state"))
    assert heard.startswith((b"HTTP/1.1 405 ", b"HTTP/1.1 400 ")) and b"people" not in heard


@pytest.mark.parametrize(
    "path",
    [
        '"\\ud800.csv"',
        "1e999",
        "NaN",
        "9" * 5000,
        '"people.csv\\u0000"',
        "null",
        "{}",
        "true",
        '"',
        '"x", "path": "people.csv"',
    ],
)
def test_no_question_is_read_into_anything_else(served: Served, path: str) -> None:
    body = f'{{"path": {path}}}'.encode()
    answer = served.send("POST", "/api/tables", body)
    assert answer.status == 400 and answer.error.count(".") <= 2 and "bug" not in answer.error


@pytest.mark.parametrize(
    ("method", "path", "body"), [("POST", "/api/tables", '{"path": '), ("PUT", "/api/drop?name=slow.csv", "a,b\n1,")]
)
def test_a_body_that_stops_coming_is_not_waited_for(
    served: Served, method: str, path: str, body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions, "PATIENCE", 0.2)
    for more in (LENGTH + "1000", "Transfer-Encoding: chunked"):
        heard = told(served, asked(served, method, path, more, body=body if more.startswith(LENGTH) else "5\r\na"))
        assert heard.startswith(b"HTTP/1.1 408 ") and b"did not come within 0.2 seconds; send it again." in heard
    assert served.get("/api/state").fields["dropped_bytes"] == 0
    assert not list(served.temporary.rglob("*.csv"))


def test_a_stranger_is_not_waited_for_at_all(served: Served) -> None:
    """The refusal comes before the body is read."""
    for host in (f"127.0.0.1:{served.port}", "evil.example"):
        head = f"POST /{served.door}/api/tables HTTP/1.1\r\nHost: {host}\r\n{LENGTH}1000\r\nConnection: close\r\n\r\n{{"
        assert told(served, head.encode()).startswith(b"HTTP/1.1 403 ")


def test_a_request_to_speak_otherwise_is_answered_as_any_other(
    served: Served, capfd: pytest.CaptureFixture[str]
) -> None:
    upgrade = ("Upgrade: websocket", "Sec-WebSocket-Key: eA==", "Sec-WebSocket-Version: 13")
    lines = asked(served, "GET", "/api/state", *upgrade).replace(b"Connection: close", b"Connection: Upgrade, close")
    assert told(served, lines).startswith(b"HTTP/1.1 200 ")
    assert capfd.readouterr().err == ""
