"""``tilewright explore``: who is let in, and what is answered. The page is in test_explore_page.py."""

from __future__ import annotations

import copy
import http.client
import json
import random
import re
import signal
import subprocess
import threading

import pytest
import tilewright as tw
from explore_questions import EYERISS, WORK, answer_of, lines_of, made_questions, question
from tilewright import _ask, _explore
from tilewright._explore import Questions
from tilewright._explore_server import Server, place_of


def test_pages_begin_with_what_the_command_was_given():
    assert made_questions().start()["workload"] == "small"
    questions = Questions(EYERISS, {WORK: tw.Workload(WORK)})
    assert "document" in answer_of(questions, "/map", workload="alexnet")
    assert questions.start()["workload"] == WORK


@pytest.fixture(scope="module")
def server():
    found = Server(made_questions())
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


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"null", b"[" * 100_000])
def test_questions_are_objects(server, body):
    assert ask(server, body=body)[0] == 400


def test_who_goes_away_before_the_answer_leaves_no_trace(server, monkeypatch, capfd):
    gone, answered = threading.Event(), threading.Event()

    def answer(path, question, tell):
        gone.wait(30)
        for _ in range(64):
            tell("x" * (1 << 20))

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
    found = json.loads(text.splitlines()[-1])["document"]["result"]
    assert found == tw.map("eyeriss", WORK, objective="energy").to_dict()["result"]


def without_seconds(layers):
    return [{key: value for key, value in layer.items() if key != "search"} for layer in layers]


def test_a_network_is_mapped_as_a_whole_or_layer_by_layer():
    questions = made_questions()
    whole = answer_of(questions, "/map", workload="alexnet")["document"]
    wanted = tw.map("eyeriss", model="alexnet").to_dict()
    assert without_seconds(whole["layers"]) == without_seconds(wanted["layers"])
    assert whole["totals"] == wanted["totals"]
    assert whole["network_edp"]["proven"]
    apart = answer_of(questions, "/map", workload="alexnet", each_layer=True)["document"]
    assert apart["totals"] == tw.map("eyeriss", model="alexnet", each_layer=True).to_dict()["totals"]
    names = answer_of(questions, "/layers", workload="alexnet")["layers"]
    assert names == [layer["name"] for layer in whole["layers"]]
    one = answer_of(questions, "/map", workload=f"alexnet/{names[2]}")["document"]
    assert one["result"]["edp_pj_cycles"] == tw.map("eyeriss", model="alexnet", layer=names[2]).edp


def test_options_are_those_of_map():
    options = {"mapspace": "ruby-s", "uneven": False, "constraints": "\nSACols.x: M <= 2\n\n"}
    found = answer_of(made_questions(), "/map", **options)["document"]
    wanted = tw.map("eyeriss", WORK, mapspace="ruby-s", constrain=["SACols.x: M <= 2"])
    assert found["result"]["edp_pj_cycles"] == wanted.edp
    assert found["search"]["mapspace"] == "ruby-s"
    uneven = answer_of(made_questions(), "/map", uneven=True)["document"]
    assert uneven["result"]["edp_pj_cycles"] == tw.map("eyeriss", WORK, uneven=True).edp


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"architecture": None}, "architecture"),
        ({"architecture": {}}, ""),
        ({"workload": "gemm: m=0 n=1 k=1"}, "workload"),
        ({"workload": "alexnet/99"}, "workload"),
        ({"workload": "nowhere"}, "workload"),
        ({"objective": "fun"}, "objective"),
        ({"mapspace": "all"}, "mapspace"),
        ({"constraints": "Nowhere: M = 1"}, "constraints"),
        ({"constraints": "SACols.x: M <= 2\nSACols.x: M ="}, "constraints"),
    ],
)
def test_mistakes_are_told_with_their_place(changes, path):
    problems = answer_of(made_questions(), "/map", **changes)["problems"]
    assert problems
    assert path in problems[0]["path"]


def test_all_mistakes_are_told_at_once():
    arch = EYERISS.value.to_dict()
    arch["levels"][1]["capacity"] = "12 q"
    arch["levels"][4]["read"] = "7"
    problems = answer_of(made_questions(), "/map", architecture=arch, objective="fun", workload="gemm")["problems"]
    paths = [one["path"] for one in problems]
    assert paths == ["levels[1].capacity", "levels[4].read", "workload", "objective"]
    assert "is not a size" in problems[0]["message"]


def test_no_file_that_a_question_names_is_read(checkout):
    questions = made_questions()
    path = checkout / "examples" / "workloads" / "mttkrp.yaml"
    assert tw.Workload(str(path)).macs > 0
    for named in (str(path), f"file://{path}", "-"):
        assert [one["path"] for one in answer_of(questions, "/map", workload=named)["problems"]] == ["workload"]
        assert "is missing" in answer_of(questions, "/map", architecture=named)["problems"][0]["message"]
        assert "no such" in answer_of(questions, "/base", base=named)["problems"][0]["message"]
        assert "no such" in answer_of(questions, "/layers", workload=named)["problems"][0]["message"]


def test_other_architectures_can_be_begun_with():
    found = answer_of(made_questions(), "/base", base="simba")
    assert tw.Architecture.from_dict(found["architecture"]) == tw.Architecture("simba")
    assert answer_of(made_questions(), "/base", base="eyeriss")["base"] == "eyeriss"


def test_there_are_no_other_questions():
    assert "no such question" in answer_of(made_questions(), "/elsewhere")["problems"][0]["message"]


# --- one question after the other -----------------------------------------------------


@pytest.fixture
def endless(monkeypatch):
    """Searches for energy go on until they are stopped."""
    real_map = _ask.map
    begun = threading.Semaphore(0)

    def slow_map(arch, workload, *, objective, stop, progress, **options):
        if objective == "energy":
            begun.release()
            while not stop.is_set:
                progress({"value": 1.0})
        return real_map(arch, workload, objective=objective, **options)

    monkeypatch.setattr(_explore._ask, "map", slow_map)
    return begun


def in_background(questions, **changes):
    """Asks on another thread; gives the thread and the list of lines."""
    lines = []
    thread = threading.Thread(target=questions.answer, args=("/map", question(**changes), lines.append))
    thread.start()
    return thread, lines


def test_a_later_question_of_a_page_ends_an_earlier_one(endless):
    questions = made_questions()
    other, other_lines = in_background(questions, objective="energy", page="other", number=7)
    first, first_lines = in_background(questions, objective="energy", page="one", number=1)
    assert endless.acquire(timeout=30) and endless.acquire(timeout=30)
    assert "document" in answer_of(questions, "/map", page="one", number=2)
    first.join(30)
    assert first_lines[-1] == '{"superseded": true}'
    assert other.is_alive()  # another page is not disturbed
    questions.answer("/stop", {"page": "other", "number": 7}, lambda _: None)
    other.join(30)
    assert "document" in json.loads(other_lines[-1])  # what was found until then


def test_an_earlier_question_that_comes_late_is_not_searched(endless):
    questions = made_questions()
    assert "document" in answer_of(questions, "/map", page="one", number=2)
    assert answer_of(questions, "/map", page="one", number=1, objective="energy") == {"superseded": True}


def test_pages_of_long_ago_are_forgotten(monkeypatch):
    monkeypatch.setattr(_explore, "_MOST_PAGES", 3)
    questions = made_questions()
    for number in range(9):
        questions.answer("/stop", {"page": f"page {number}"}, lambda _: None)
    assert len(questions._pages._pages) == 3


def test_progress_is_told_before_the_answer(monkeypatch):
    real_map = _ask.map

    def told_map(*arguments, progress, **options):
        progress({"value": 2.0, "bound": 1.0})
        return real_map(*arguments, **options)

    monkeypatch.setattr(_explore._ask, "map", told_map)
    first, last = lines_of(made_questions(), "/map")
    assert first == {"progress": {"value": 2.0, "bound": 1.0}}
    assert "document" in last


def test_fields_that_the_page_adds_are_those_of_the_format(checkout):
    text = (checkout / "page" / "src" / "explore_design.ts").read_text(encoding="utf-8")
    table = text.partition("const BEGINNINGS")[2].partition("\n};")[0]
    keys = re.findall(r"(\w+): (?=[\"\d\[tf])", table)
    known = set(re.findall(r"^  (\w+) ", tw.explain("architecture"), re.MULTILINE))
    assert len(keys) > 20
    assert set(keys) <= known


# --- 1,000 edits ----------------------------------------------------------------------

VALUES = ["", "1", 1, 0, -3, "7 words", "64 pJ", "12 q", "unlimited", "0.5 words/cycle", "1 KiB", "<b>", None, [], {},
          ["input"], True, "1e400 pJ", "\u2028", 2**70, {"size": 3}, "sram", "true"]  # fmt: skip


def random_edit(chance, document):
    """Another value of a key, a key more or less, a level more or less, or two levels exchanged."""
    levels = document["levels"]
    place = chance.randrange(len(levels))
    kind = chance.randrange(12)
    if kind == 0 and len(levels) > 2:
        del levels[place]
    elif kind == 1:
        levels.insert(place, {chance.choice(["memory", "fanout"]): f"New{place}", "capacity": "64 words"})
    elif kind == 2:
        levels[place], levels[0] = levels[0], levels[place]
    else:
        key = chance.choice([*levels[place], "bandwidth", "class", "x", "colour"])
        levels[place][key] = chance.choice(VALUES)


def test_a_thousand_edits_in_a_row_give_an_answer_or_say_where_they_are_wrong():
    chance, questions, good = random.Random(21), made_questions(), EYERISS.value.to_dict()
    seen = {"document": 0, "problems": 0}
    for _ in range(1000):
        edited = copy.deepcopy(good)
        for _ in range(chance.choice([1, 1, 1, 2, 5])):
            random_edit(chance, edited)
        found = answer_of(questions, "/map", architecture=edited, workload="gemm: m=8 n=4 k=2", page="one")
        for problem in found.get("problems", ()):
            assert problem["message"]
            names = [str(next(iter(level.values()))) for level in edited["levels"]]
            located = problem["path"].startswith(("levels", "architecture"))
            assert located or any(name in str(problem) for name in names) or "mapping" in problem["message"], problem
        seen["document" if "document" in found else "problems"] += 1
    assert min(seen.values()) > 100, seen


# --- the command ------------------------------------------------------------------------


def started(tool, *words):
    """The process of a server, and the address that it prints."""
    process = subprocess.Popen([*tool, "explore", *words, "--no-browser"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)  # fmt: skip
    return process, process.stdout.readline().strip()


def test_the_command_serves_until_it_is_interrupted(tool):
    process, address = started(tool, "-a", "toy_array", "--model", "alexnet")
    place, _, token = address.removeprefix("http://").partition("/?token=")
    connection = http.client.HTTPConnection(place, timeout=30)
    connection.request("GET", f"/?token={token}")
    page = connection.getresponse().read().decode()
    connection.close()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert "toy_array" in page
    assert (said, process.returncode) == ("", 0)
    assert place_of(address) == (int(place.rpartition(":")[2]), token)


def test_bad_inputs_of_the_command_are_told(capfd):
    from tilewright._explore_command import main

    for words in (["-a", "nowhere"], ["-w", "gemm: m=0"], ["--model", "nowhere"]):
        assert main([*words, "--no-browser"]) == 2
    assert main(["--port", "99999999", "--no-browser"]) == 2
    assert capfd.readouterr().err.endswith("; name another port\n")
    for address in ("http://example.com/", "http://127.0.0.1:1/?token=short"):
        assert main(["--address", address]) == 2
        assert "no address of the explorer" in capfd.readouterr().err
