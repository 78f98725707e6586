"""``tilewright explore``: who is let in, what is answered, and the page in a browser."""

from __future__ import annotations

import http.client
import json
import pathlib
import random
import signal
import subprocess
import threading

import pytest
import tilewright as tw
from tilewright import _ask, _explore
from tilewright._explore import Questions, Server

WORK = "gemm: m=64 n=64 k=64"
SLIDER = '[aria-label="GlobalBuffer capacity, slider"]'


@pytest.fixture
def server():
    found = Server(Questions(tw.Architecture("eyeriss"), {WORK: tw.Workload(WORK)}))
    thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield found
    found.shutdown()
    thread.join()
    found.server_close()


def ask(server, method="POST", path="/map", body=b"{}", **headers):
    """The code and the text of an answer; a header that is None is left out."""
    sent = {"Host": server.place, "X-Tilewright-Token": server.token, "Content-Length": str(len(body))}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=30)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in sent.items():
        if value is not None:
            connection.putheader(name, value)
    connection.endheaders(body if method == "POST" else None)
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply.status, text


def question(**changes):
    return {"architecture": tw.Architecture("eyeriss").to_dict(), "workload": WORK, "objective": "edp", **changes}


# --- who is let in ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"X_Tilewright_Token": None}, 403),
        ({"X_Tilewright_Token": "guess"}, 403),
        ({"Host": "example.com"}, 403),
        ({"Host": None}, 403),
        ({"Host": "localhost"}, 403),
        ({"Origin": "http://example.com"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content_Length": str(2 << 20)}, 413),
        ({"Content_Length": "-1"}, 413),
        ({"Content_Length": "many"}, 413),
        ({}, 200),
    ],
)
def test_only_the_page_itself_is_let_in(server, headers, code):
    assert ask(server, **headers)[0] == code


def test_the_page_needs_the_token(server):
    assert ask(server, "GET", "/")[0] == 403
    assert ask(server, "GET", "/?token=guess")[0] == 403
    assert ask(server, "GET", f"/?token={server.token}", Host="example.com")[0] == 403
    assert ask(server, "GET", f"/etc/passwd?token={server.token}")[0] == 404
    code, text = ask(server, "GET", f"/?token={server.token}")
    assert code == 200
    assert text.startswith("<!doctype html>")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"null"])
def test_questions_are_objects(server, body):
    assert ask(server, body=body)[0] == 400


def test_who_goes_away_before_the_answer_leaves_no_trace(server, monkeypatch, capfd):
    gone, answered = threading.Event(), threading.Event()

    def answer(path, question):
        gone.wait(30)
        return {"text": "x" * (4 << 20)}

    monkeypatch.setattr(server.questions, "answer", answer)
    monkeypatch.setattr(server, "shutdown_request", lambda request: (Server.shutdown_request(server, request), answered.set()))
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=30)
    connection.request("POST", "/map", b"{}", {"Host": server.place, "X-Tilewright-Token": server.token})
    connection.close()
    gone.set()
    assert answered.wait(30)
    assert capfd.readouterr().err == ""


# --- answers ------------------------------------------------------------------------


def test_answers_are_those_of_map(server):
    code, text = ask(server, body=json.dumps(question(objective="energy")).encode())
    assert code == 200
    found = json.loads(text)["document"]["result"]
    assert found == tw.map("eyeriss", WORK, objective="energy").to_dict()["result"]


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"architecture": None}, "architecture"),
        ({"architecture": {}}, ""),
        ({"workload": "gemm: m=0 n=1 k=1"}, "workload"),
        ({"objective": "fun"}, "objective"),
    ],
)
def test_mistakes_are_told_with_their_place(server, changes, path):
    problems = json.loads(ask(server, body=json.dumps(question(**changes)).encode())[1])["problems"]
    assert problems
    assert path in problems[0]["path"]


def test_no_file_that_a_question_names_is_read(server, checkout):
    path = checkout / "examples" / "workloads" / "mttkrp.yaml"
    assert tw.Workload(str(path)).macs > 0
    for named in (str(path), f"file://{path}", "-"):
        answer = json.loads(ask(server, body=json.dumps(question(workload=named)).encode())[1])
        assert [one["path"] for one in answer["problems"]] == ["workload"]
        assert ask(server, body=json.dumps(question(architecture=named)).encode())[1].count("is missing") == 1


def test_a_wrong_value_is_told_beside_its_field(server):
    arch = tw.Architecture("eyeriss").to_dict()
    arch["levels"][1]["capacity"] = "12 q"
    problems = json.loads(ask(server, body=json.dumps(question(architecture=arch)).encode())[1])["problems"]
    assert [one["path"] for one in problems] == ["levels[1].capacity"]
    assert "is not a size" in problems[0]["message"]


def test_a_later_question_ends_an_earlier_one(monkeypatch):
    questions = Questions(tw.Architecture("eyeriss"), {WORK: tw.Workload(WORK)})
    asked = []

    def slow_map(arch, workload, *, objective, progress):
        asked.append(objective)
        if objective == "energy":  # while this one is searched for, another comes
            assert "document" in questions.answer("/map", question(objective="latency"))
        progress(None)
        return real_map(arch, workload, objective=objective)

    real_map = _ask.map
    monkeypatch.setattr(_explore._ask, "map", slow_map)
    assert questions.answer("/map", question(objective="energy")) == {"superseded": True}
    assert asked == ["energy", "latency"]


def test_what_is_exported_reads_back():
    questions = Questions(tw.Architecture("eyeriss"), {WORK: tw.Workload(WORK)})
    text = questions.answer("/yaml", question())["text"]
    assert tw.Architecture.from_yaml(text) == tw.Architecture("eyeriss")
    assert questions.answer("/report", question())["text"].startswith("<!doctype html>")
    assert "problems" in questions.answer("/elsewhere", question())


def test_the_command_serves_until_it_is_interrupted(tool):
    started = subprocess.Popen([*tool, "explore", "-a", "toy_array", "-w", WORK, "--no-browser"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
    address = started.stdout.readline().strip()
    place, _, token = address.removeprefix("http://").partition("/?token=")
    connection = http.client.HTTPConnection(place, timeout=30)
    connection.request("GET", f"/?token={token}")
    page = connection.getresponse().read().decode()
    connection.close()
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=30)
    assert "toy_array" in page
    assert (said, started.returncode) == ("", 0)


def test_bad_inputs_of_the_command_are_told(run_tool):
    assert run_tool("explore", "-a", "nowhere", "--no-browser")[2] == 2
    assert run_tool("explore", "-w", "gemm: m=0", "--no-browser")[2] == 2
    _, said, code = run_tool("explore", "--port", "99999999", "--no-browser")
    assert (said.endswith("; name another port\n"), code) == (True, 2)


# --- in a browser -------------------------------------------------------------------


@pytest.fixture
def open_page(browser, server):
    """Opens the explorer; what the console says in anger is a failure."""
    complaints: list[str] = []
    contexts = []

    def open_it(quiet=True):
        context = browser.new_context(viewport={"width": 1366, "height": 768}, bypass_csp=True)
        contexts.append(context)
        page = context.new_page()
        if quiet:
            page.on("console", lambda one: complaints.append(one.text) if one.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(server.address)
        wait_for_answer(page)
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert complaints == []


def wait_for_answer(page):
    page.wait_for_function("""() => {
        const said = document.querySelector('[role="status"]');
        return said && !said.textContent.startsWith("mapping");
    }""")  # fmt: skip


def slide(page, doublings):
    page.locator(SLIDER).evaluate(
        "(one, to) => { one.value = to; one.dispatchEvent(new Event('input', {bubbles: true})); }", doublings
    )


def energy_of(page):
    return float(page.locator(".figures data").first.get_attribute("value"))


def wait_for_energy(page, capacity):
    """Waits for the energy that mapping gives with this capacity."""
    arch = tw.Architecture("eyeriss").with_(GlobalBuffer={"capacity": capacity})
    wanted = tw.map(arch, WORK).energy_pj
    page.wait_for_function(
        "wanted => Number(document.querySelector('.figures data').value) === wanted", arg=wanted
    )


def test_a_slider_shows_the_best_mapping_of_the_new_size(open_page):
    page = open_page()
    for doublings, words in ((-4, 8192), (-3.5, 11585), (2, 524288)):
        slide(page, doublings)
        wait_for_energy(page, f"{words} words")
        assert page.locator("#GlobalBuffer-capacity").input_value() == f"{words} words"


def test_typing_undo_and_redo(open_page):
    page = open_page()
    before = energy_of(page)
    page.get_by_label("capacity", exact=True).nth(1).fill("9000 words")
    wait_for_energy(page, "9000 words")
    page.get_by_role("button", name="Undo").click()
    page.wait_for_function("wanted => Number(document.querySelector('.figures data').value) === wanted", arg=before)
    assert page.locator("#GlobalBuffer-capacity").input_value() == "131072 words"
    page.get_by_role("button", name="Redo").click()
    wait_for_energy(page, "9000 words")


def test_mistakes_stand_beside_their_fields_and_the_answer_stays(open_page):
    page = open_page()
    before = energy_of(page)
    page.locator("#GlobalBuffer-capacity").fill("12 q")
    page.locator("#GlobalBuffer-capacity-problem").wait_for()
    assert page.locator("#GlobalBuffer-capacity").get_attribute("aria-invalid") == "true"
    assert "is not a size" in page.locator("#GlobalBuffer-capacity-problem").inner_text()
    assert energy_of(page) == before
    page.locator("#GlobalBuffer-capacity").fill("1 B")
    page.locator(".answer .problem", has_text="no mapping fits GlobalBuffer").wait_for()
    page.locator("#GlobalBuffer-capacity").fill("131072 words")
    page.locator(".problem").wait_for(state="detached")


def test_pins_are_compared(open_page):
    page = open_page()
    page.get_by_role("button", name="Pin").click()
    slide(page, -4)
    wait_for_energy(page, "8192 words")
    rows = page.locator("#compared tbody tr")
    assert rows.count() == 2
    assert rows.nth(0).inner_text().startswith("pin 1")


def test_architecture_and_report_are_saved(open_page, tmp_path):
    page = open_page()
    page.locator("#GlobalBuffer-capacity").fill("9000 words")
    wait_for_energy(page, "9000 words")
    for button, name in (("Save YAML", "architecture.yaml"), ("Save report", "report.html")):
        with page.expect_download() as saving:
            page.get_by_role("button", name=button).click()
        assert saving.value.suggested_filename == name
        saving.value.save_as(tmp_path / name)
    text = pathlib.Path(tmp_path / "architecture.yaml").read_text(encoding="utf-8")
    assert tw.Architecture.from_yaml(text) == tw.Architecture("eyeriss").with_(GlobalBuffer={"capacity": "9000 words"})
    assert "eyeriss" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_two_tabs_do_not_disturb_each_other(open_page):
    first, second = open_page(), open_page()
    slide(first, -4)
    wait_for_energy(first, "8192 words")
    assert second.locator("#GlobalBuffer-capacity").input_value() == "131072 words"


def test_a_server_that_is_gone_is_told(open_page, server):
    page = open_page(quiet=False)
    page.route("**/map", lambda route: route.abort())
    slide(page, 1)
    page.locator(".problem", has_text="the server does not answer").wait_for()
    page.unroute("**/map")
    slide(page, -4)
    wait_for_energy(page, "8192 words")


def test_many_edits_in_a_row_end_with_the_answer_to_the_last(open_page):
    page = open_page()
    chance = random.Random(7)
    fields = page.locator(".field input:not([type=range])").all()
    for _ in range(60):
        field = chance.choice(fields[1:])
        field.fill(chance.choice(["", "1", "7 words", "64 pJ", "12 q", "-3", "unlimited", "0.5 words/cycle", "<b>"]))
    wait_for_answer(page)
    for _ in range(100):
        undo = page.get_by_role("button", name="Undo")
        if undo.is_disabled():
            break
        undo.click()
    wait_for_energy(page, "131072 words")


def test_everybody_can_use_it(open_page, npm_packages):
    page = open_page()
    page.locator("#GlobalBuffer-capacity").fill("12 q")
    page.locator("#GlobalBuffer-capacity-problem").wait_for()
    page.evaluate((npm_packages / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")
    assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []
