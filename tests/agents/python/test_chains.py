"""The chain that a request comes by, from its call site outwards to the test, and the libraries that it passes."""
import importlib.metadata
import re

import pytest

BEGIN = "import os, urllib.request\nurl = os.environ['URL']\ndef ask():\n    urllib.request.urlopen(url).read()\n"


def chain(tag):
    return re.sub(r":\d+:", ":", ",".join([tag["site"], tag.get("callers", "")])).rstrip(",")


def run(project, server, text, file="main.py", **files):
    for name, more in files.items():
        project.write(name.replace("__", "/") + ".py", more)
    project.write(file, text).run(file)
    return server.tags


WAYS = {
    "nested": ("def track():\n    ask()\ntrack()\n", "main.py:ask,main.py:track,main.py:<module>"),
    "a_function_that_calls_itself": (
        "def down(n):\n    return down(n - 1) if n else ask()\ndown(30)\n",
        "main.py:ask,main.py:down,main.py:<module>",
    ),
    "two_that_call_each_other": (
        "def a(n):\n    return b(n - 1) if n else ask()\ndef b(n):\n    return a(n)\na(9)\n",
        "main.py:ask,main.py:a,main.py:b,main.py:<module>",
    ),
    "a_library_that_calls_back": (
        "from functools import partial, reduce\nimport contextlib\n"
        "@contextlib.contextmanager\ndef around():\n    yield\n"
        "@around()\ndef track():\n    ask()\ntrack()\n",
        "main.py:ask,main.py:track,main.py:<module>",
    ),
    "a_thread": (
        "import threading\ndef track():\n    t = threading.Thread(target=ask)\n    t.start(); t.join()\ntrack()\n",
        "main.py:ask,main.py:track,main.py:<module>",
    ),
    "a_pool_without_a_function_of_ones_own": (
        "from concurrent.futures import ThreadPoolExecutor\ndef track():\n    with ThreadPoolExecutor() as pool:\n"
        "        list(pool.map(urllib.request.urlopen, [url]))\ntrack()\n",
        "main.py:track,main.py:<module>",
    ),
    "tasks": (
        "import asyncio\nasync def send():\n    await asyncio.to_thread(ask)\nasync def track():\n"
        "    await asyncio.create_task(send())\nasync def main():\n    await track()\nasyncio.run(main())\n",
        "main.py:ask,main.py:send,main.py:track,main.py:main",
    ),
    "a_loop_in_another_thread": (
        "import asyncio, threading\nloop = asyncio.new_event_loop()\nasync def send():\n    ask()\ndef begin():\n"
        "    threading.Thread(target=loop.run_forever, daemon=True).start()\ndef track():\n"
        "    asyncio.run_coroutine_threadsafe(send(), loop).result()\nbegin()\ntrack()\n",
        "main.py:ask,main.py:send,main.py:track,main.py:<module>",
    ),
    "a_lambda_and_a_comprehension": (
        "def track():\n    return [send() for send in [lambda: ask()]]\ntrack()\n",
        "main.py:ask,main.py:<anonymous>,main.py:track,main.py:<module>",
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_chain_goes_from_the_request_to_where_the_program_began(way, project, server):
    text, expected = WAYS[way]
    [tag] = run(project, server, BEGIN + text)
    assert chain(tag) == expected


def test_the_lines_are_those_of_the_calls(project, server):
    [tag] = run(project, server, BEGIN + "def track():\n    x = 1\n    ask()\ntrack()\n")
    assert (tag["site"], tag["callers"]) == ("main.py:4:ask", "main.py:7:track,main.py:8:<module>")


def test_what_parts_frames_is_encoded_within_one(project, server):
    [tag] = run(project, server, "import helper\nhelper.track()\n", file="a, 100%.py",
                helper=BEGIN + "def track():\n    ask()\n")
    assert tag["callers"].split(",")[1:] == ["a%2C%20100%25.py:2:<module>"]


def test_a_chain_has_eight_frames_at_most_and_they_are_the_innermost(project, server):
    calls = "".join(f"def f{n}():\n    f{n - 1}()\n" for n in range(1, 20))
    [tag] = run(project, server, BEGIN + "f0 = ask\n" + calls + "f19()\n")
    assert [part.split(":")[2] for part in tag["callers"].split(",")] == [f"f{n}" for n in range(1, 8)]


def test_a_chain_ends_before_more_bytes_than_are_read(project, server):
    calls = "".join(f"def {'f' * 300}{n}():\n    {'f' * 300 if n > 1 else 'ask'}{n - 1 if n > 1 else ''}()\n" for n in range(1, 8))
    [tag] = run(project, server, BEGIN + calls + "f" * 300 + "7()\n")
    assert tag["callers"].count(",") == 2 and len(tag["callers"]) <= 1024


@pytest.mark.parametrize("way", ["direct", "thread"])
def test_a_tests_own_frames_are_no_part_of_a_chain(way, project, server):
    track = "def track():\n    ask()\n"
    test = {
        "direct": "import helper, unittest\nclass T(unittest.TestCase):\n    def test(self):\n        helper.track()\n",
        "thread": "import helper, unittest, threading\nclass T(unittest.TestCase):\n    def test(self):\n"
        "        t = threading.Thread(target=helper.track)\n        t.start(); t.join()\n",
    }[way]
    [tag] = run(project, server, test + "unittest.main()\n", file="test_it.py", helper=BEGIN + track)
    assert chain(tag) == "helper.py:ask,helper.py:track"


def test_a_test_that_asks_itself_is_a_chain_of_one_frame(project, server):
    text = "import unittest\n" + BEGIN + "class T(unittest.TestCase):\n    def test(self):\n        ask()\nunittest.main()\n"
    [tag] = run(project, server, text, file="test_it.py")
    assert chain(tag) == "test_it.py:ask"


def libraries(tag):
    return [part.split(":", 1) for part in tag["libraries"].split(",")]


def test_of_each_library_the_run_that_sends_again_stays_the_same(project, server):
    tags = run(
        project,
        server,
        "import os, requests, urllib3\nfrom requests.adapters import HTTPAdapter\nsession = requests.Session()\n"
        "session.mount('http://', HTTPAdapter(max_retries=urllib3.Retry(5, status_forcelist=[503])))\n"
        "session.get(os.environ['URL'] + '/flaky')\nsession.get(os.environ['URL'] + '/x')\n",
    )
    versions = [f"{name}%20{importlib.metadata.version(name)}" for name in ("requests", "urllib3")]
    first, second, third, other = map(libraries, tags)
    assert [name for _, name in first] == versions
    assert first == second == third and not {run for run, _ in first} & {run for run, _ in other}


def test_a_library_that_is_called_back_by_one_that_it_calls_is_told_each_time(project, server):
    project.write("site-packages/inner.py", "class Session:\n    def get(self): self.request()\n    def request(self): self.send()\n")
    project.write("site-packages/outer.py", "import inner\nclass Patient(inner.Session):\n    def request(self):\n        for _ in range(2): super().request()\n")
    project.write("main.py", BEGIN + "import outer\nouter.Patient.send = lambda self: ask()\ndef go(): outer.Patient().get()\ngo()\n")
    project.run("main.py", path=[project.folder / "site-packages"])
    first, second = map(libraries, server.tags)
    assert [name for _, name in first][:3] == ["inner", "outer", "inner"]
    assert first[:2] == second[:2] and all(one != other for one, other in zip(first[2:], second[2:]))


def test_a_library_whose_folder_bears_another_name_is_told_by_what_was_installed(project, server):
    project.write("site-packages/again/__init__.py", "def twice(do):\n    for _ in range(2): do()\n")
    project.write("site-packages/Do_Again-2.1.dist-info/RECORD", "again/__init__.py,sha256=x,1\n")
    project.write("main.py", BEGIN + "import again\nagain.twice(ask)\n")
    project.run("main.py", path=[project.folder / "site-packages"])
    first, second = map(libraries, server.tags)
    assert first[0] == second[0] and first[0][1] == "Do_Again%202.1"


def test_packages_that_were_put_below_the_project_are_libraries(project, server):
    project.write("lib/again/__init__.py", "def twice(do):\n    for _ in range(2): do()\n")
    project.write("lib/Do_Again-2.1.dist-info/RECORD", "again/__init__.py,sha256=x,1\n")
    project.write("own/twice.py", "def twice(do):\n    for _ in range(2): do()\n")  # word for word the same
    project.write("main.py", BEGIN + "import again, own.twice\nagain.twice(ask)\nown.twice.twice(ask)\n")
    project.run("main.py", path=[project.folder / "lib", project.folder])
    chains = [chain(tag) for tag in server.tags]
    assert [("own/twice.py" in chain, "lib/again" in chain) for chain in chains] == [(False, False)] * 2 + [(True, False)] * 2
