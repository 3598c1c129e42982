"""The door of the page: who may ask, and what every answer carries."""

from __future__ import annotations

import http.client
import http.server
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from leakgauge.web.guard import POLICY
from tests.web.serving import Served, running
from tests.web.tables import folder_with_people


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with running(folder_with_people(tmp_path_factory.mktemp("door") / "data")) as server:
        yield server


def test_the_entry_sets_the_cookie_and_leads_to_the_page(served: Served) -> None:
    answer = served.send("GET", f"/?token={served.token}", headers={"Host": f"127.0.0.1:{served.port}"})
    assert answer.status == 303 and answer.headers["location"] == f"/{served.door}/"
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(served.cookie + ";")
    assert {"HttpOnly", "SameSite=strict", f"Path=/{served.door}/"} < set(cookie.split("; "))
    assert "Max-Age" not in cookie and "expires" not in cookie.lower(), "gone with the browser"
    assert len({served.door, served.token, served.cookie.partition("=")[2]}) == 3, "neither tells another"
    page = served.get("/")
    assert page.status == 200 and b"<html" in page.body


def test_a_browser_does_not_show_the_cookie_to_another_server_of_this_machine(served: Served) -> None:
    """By the standard library's cookie jar, which knows no ports either; two real servers, as a browser meets them."""
    heard: list[str | None] = []

    class Nosy(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(self.headers["Cookie"])
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with http.server.HTTPServer(("127.0.0.1", 0), Nosy) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        try:
            with browser.open(served.entry) as page:
                assert page.status == 200 and page.url == f"{served.address}/"
            for path in ("/", "/evil", "/api/state", "/0123456789abcdef0123456789abcdef/"):
                browser.open(f"http://127.0.0.1:{other.server_port}{path}").close()
            assert heard == [None] * 4
            with browser.open(f"{served.address}/api/state") as state:
                assert state.status == 200, "the page itself is still let in"
        finally:
            other.shutdown()
            thread.join()


@pytest.mark.parametrize(
    "path", ["/", "/api/state", "/{door}", "/{door}x/", "//{door}/", "/x/{door}/", "/static/main.js"]
)
def test_outside_of_the_door_nothing_is_there_even_with_the_cookie(served: Served, path: str) -> None:
    place = path.format(door=served.door)
    for query in ("", f"?token={served.token}"):
        answer = served.send("GET", place + query, outside=True)
        assert answer.status == 403 and "set-cookie" not in answer.headers
    assert served.door not in served.send("GET", "/", outside=True).body.decode()


@pytest.mark.parametrize("more", [{"Sec-Fetch-Mode": "navigate", "Accept": "*/*"}, {"Accept": "text/html,*/*;q=0.8"}])
@pytest.mark.parametrize("place", ["/", "/{door}/", "/{old}/", "/{door}/?token=0", "/{door}/jobs/x/report"])
def test_people_without_the_token_see_a_page_that_says_what_to_do(
    served: Served, place: str, more: dict[str, str]
) -> None:
    path = place.format(door=served.door, old="0" * 32)
    headers = {"Host": f"127.0.0.1:{served.port}", **more}
    english = served.send("GET", path, headers=headers, outside=True)
    assert english.status == 403 and english.headers["content-type"].startswith("text/html")
    assert english.headers["content-security-policy"] == POLICY
    assert b"open the address that serve printed" in english.body and b"started again" in english.body
    assert served.door.encode() not in english.body
    chinese = served.send("GET", path, headers={**headers, "Accept-Language": "zh"}, outside=True)
    assert b'lang="zh"' in chinese.body and b"open the address" not in chinese.body and b"again" not in chinese.body


def test_programs_without_the_token_are_told_in_json(served: Served) -> None:
    for more in ({"Sec-Fetch-Mode": "cors", "Accept": "text/html"}, {"Accept": "text/event-stream"}):
        answer = served.send("GET", "/api/state", headers={"Host": f"127.0.0.1:{served.port}", **more})
        assert answer.status == 403 and "token" in answer.error


def test_an_entry_from_elsewhere_is_a_page_so_that_the_strict_cookie_is_sent(served: Served) -> None:
    headers = {"Host": f"127.0.0.1:{served.port}", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    answer = served.send("GET", f"/?token={served.token}", headers=headers)
    assert answer.status == 200 and b"refresh" in answer.body and "set-cookie" in answer.headers
    assert served.token.encode() not in answer.body and served.door.encode() not in answer.body


@pytest.mark.parametrize("path", ["/", "/api/state", "/static/icon.svg", "/messages/zh.json", "/nowhere", "/?token="])
def test_no_token_and_a_wrong_one_open_nothing(served: Served, path: str) -> None:
    wrong = f"leakgauge_session_{served.port}={'0' * 32}"
    for more in (
        {},
        {"Cookie": wrong},
        {"Cookie": f"{wrong}\u00e9"},
        {"Cookie": f"{served.cookie.partition('=')[0]}={served.token}"},
    ):
        answer = served.send("GET", path, headers={"Host": f"127.0.0.1:{served.port}", **more})
        assert answer.status == 403, (path, more)
        assert "token" in answer.error and served.token not in answer.error
        assert "set-cookie" not in answer.headers


def test_a_wrong_token_in_the_address_is_refused_even_with_the_cookie(served: Served) -> None:
    assert served.get("/?token=" + "f" * 32).status == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}", ""])
def test_a_foreign_host_is_refused_before_the_token_counts(served: Served, host: str) -> None:
    host = host.format(port=served.port)
    assert served.send("GET", "/api/state", headers={**served.headers(), "Host": host}).status == 403
    entry = served.send("GET", f"/?token={served.token}", headers={"Host": host})
    assert entry.status == 403 and "set-cookie" not in entry.headers


def test_two_hosts_or_none_are_refused(served: Served) -> None:
    for hosts in ([], [f"127.0.0.1:{served.port}", "evil.example"]):
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10)
        connection.putrequest("GET", f"/{served.door}/api/state", skip_host=True)
        for host in hosts:
            connection.putheader("Host", host)
        connection.putheader("Cookie", served.cookie)
        connection.endheaders()
        # The protocol itself asks for exactly one: the server below may refuse first.
        assert connection.getresponse().status in (400, 403)
        connection.close()


def test_localhost_is_this_machine_too(served: Served) -> None:
    name = f"localhost:{served.port}"
    assert served.send("GET", "/api/state", headers={"Host": name, "Cookie": served.cookie}).status == 200
    headers = {"Host": name, "Cookie": served.cookie, "Origin": f"http://{name}"}
    assert served.send("POST", "/api/tables", b'{"path": "people.csv"}', headers).status == 200


@pytest.mark.parametrize(
    "more",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://127.0.0.1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {},
        {"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"},
        {"Origin": "{own}", "Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_what_changes_something_comes_from_the_page_itself(served: Served, method: str, more: dict[str, str]) -> None:
    path = "/api/drop?name=x.csv" if method == "PUT" else "/api/tables"
    headers = {"Host": f"127.0.0.1:{served.port}", "Cookie": served.cookie}
    headers |= {name: value.format(own=served.origin) for name, value in more.items()}
    answer = served.send(method, path, b'{"path": "people.csv"}', headers)
    assert answer.status == 403 and "page itself" in answer.error


def test_same_origin_by_fetch_metadata_alone_is_enough(served: Served) -> None:
    headers = {"Host": f"127.0.0.1:{served.port}", "Cookie": served.cookie, "Sec-Fetch-Site": "same-origin"}
    assert served.send("POST", "/api/tables", b'{"path": "people.csv"}', headers).status == 200


def test_other_ports_of_this_machine_may_not_read_but_may_link(served: Served) -> None:
    headers = {"Host": f"127.0.0.1:{served.port}", "Cookie": served.cookie, "Sec-Fetch-Site": "same-site"}
    assert served.send("GET", "/api/state", headers={**headers, "Sec-Fetch-Mode": "no-cors"}).status == 403
    assert served.send("GET", "/", headers={**headers, "Sec-Fetch-Mode": "navigate"}).status == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/"), ("GET", "/api/state"), ("GET", "/nowhere"), ("GET", "/static/icon.svg"), ("POST", "/api/tables")],
)
@pytest.mark.parametrize("known", [True, False])
def test_every_answer_is_strict(served: Served, method: str, path: str, known: bool) -> None:
    headers = served.headers()
    if not known:
        del headers["Cookie"]
    found = served.send(method, path, b"" if method == "POST" else None, headers).headers
    assert found["content-security-policy"] == POLICY
    assert "unsafe" not in POLICY and "default-src 'none'" in POLICY
    assert found["x-content-type-options"] == "nosniff" and found["referrer-policy"] == "no-referrer"
    assert found["cross-origin-opener-policy"] == found["cross-origin-resource-policy"] == "same-origin"
    assert found["cache-control"] == ("no-cache" if known and path.startswith("/static") else "no-store")
    assert "server" not in found and "access-control-allow-origin" not in found


def test_only_loopback_is_listened_on(served: Served) -> None:
    listening = []
    for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
        address, state = line.split()[1], line.split()[3]
        if state == "0A" and int(address.split(":")[1], 16) == served.port:
            listening.append(address.split(":")[0])
    assert listening == ["0100007F"]
    v6 = Path("/proc/net/tcp6").read_text(encoding="ascii") if Path("/proc/net/tcp6").exists() else ""
    assert f":{served.port:04X} " not in "".join(line for line in v6.splitlines(True) if " 0A " in line)


def test_two_servers_have_two_tokens_and_neither_opens_the_other(served: Served, tmp_path: Path) -> None:
    with running(tmp_path) as other:
        assert len({other.token, served.token, other.door, served.door}) == 4
        foreign = served.cookie.partition("=")[2]
        headers = {**other.headers(), "Cookie": f"leakgauge_session_{other.port}={foreign}"}
        assert other.send("GET", "/api/state", headers=headers).status == 403


def test_refusals_are_told_in_the_language_of_the_request(served: Served) -> None:
    english = served.send("GET", "/api/state", headers={"Host": f"127.0.0.1:{served.port}"})
    for more in ({"Cookie": "leakgauge_language=zh"}, {"Accept-Language": "de;q=0.9, zh-CN;q=0.8, en"}):
        chinese = served.send("GET", "/api/state", headers={"Host": f"127.0.0.1:{served.port}", **more})
        assert chinese.status == 403 and chinese.error != english.error
        assert any("\u4e00" <= letter <= "\u9fff" for letter in chinese.error)
    both = {"Host": f"127.0.0.1:{served.port}", "Cookie": "leakgauge_language=en", "Accept-Language": "zh"}
    assert served.send("GET", "/api/state", headers=both).error == english.error
