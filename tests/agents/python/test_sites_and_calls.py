"""The call site to the line, and the call id equal within a call and different across calls."""
import asyncio
import textwrap

import pytest

CLIENTS = {
    "http.client": """
        import http.client, os, urllib.parse
        url = urllib.parse.urlsplit(os.environ["URL"])
        kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
        connection = kinds[url.scheme](url.netloc)
        def call():
            connection.request("GET", "/x")  # here
            connection.getresponse().read()
        """,
    "urllib": """
        import os, urllib.request
        def call():
            urllib.request.urlopen(os.environ["URL"]).read()  # here
        """,
    "urllib3": """
        import os, urllib3
        pool = urllib3.PoolManager(retries=urllib3.Retry(5, status_forcelist=[503]))
        def call():
            pool.request("GET", os.environ["URL"] + "/flaky")  # here
        """,
    "requests": """
        import os, requests, urllib3
        from requests.adapters import HTTPAdapter
        session = requests.Session()
        for scheme in ("http://", "https://"):
            session.mount(scheme, HTTPAdapter(max_retries=urllib3.Retry(5, status_forcelist=[503])))
        def call():
            answer = session.get(os.environ["URL"] + "/flaky")  # here
            assert not [h for h in answer.request.headers if "retrial" in h.lower()]
        """,
    "httpx": """
        import os, httpx
        def call():
            answer = httpx.get(os.environ["URL"])  # here
            assert not [h for h in answer.request.headers if "retrial" in h.lower()]
        """,
    "httpx async": """
        import asyncio, os, httpx
        async def main():
            async with httpx.AsyncClient() as client:
                await client.get(os.environ["URL"])  # here
        def call():
            asyncio.run(main())
        """,
    "aiohttp": """
        import asyncio, os, aiohttp
        async def main():
            async with aiohttp.ClientSession() as session:
                answer = await session.get(os.environ["URL"])  # here
                assert not [h for h in answer.request_info.headers if "retrial" in h.lower()]
        def call():
            asyncio.run(main())
        """,
    "boto3": """
        import os, boto3, botocore.config
        s3 = boto3.client("s3", endpoint_url=os.environ["URL"], region_name="x",
            aws_access_key_id="a", aws_secret_access_key="b",
            config=botocore.config.Config(retries={"max_attempts": 4}, s3={"addressing_style": "path"}))
        def call():
            s3.put_object(Bucket="flaky", Key="k", Body=b"x")  # here
        """,
}


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("client", CLIENTS)
def test_a_librarys_attempts_share_a_call_id_and_a_loops_calls_do_not(client, scheme, project, server, over_tls):
    pytest.importorskip(client.split()[0])
    if scheme == "https":
        server = over_tls("ours")
    project.write("app.py", CLIENTS[client]).write("main.py", "import app\nfor _ in range(2): app.call()\n")
    project.run("main.py")
    function = "main" if "async" in client or client == "aiohttp" else "call"
    where = "app.py:%d:%s" % (project.line("app.py", "here"), function)
    assert {tag.get("site") for tag in server.tags} == {where}
    calls = [tag["call"] for tag in server.tags]
    half = len(calls) // 2
    assert half == (3 if server.flaky else 1)
    assert len(set(calls[:half])) == 1 and len(set(calls[half:])) == 1 and len(set(calls)) == 2


def run_and_read(project, server, text):
    project.write("main.py", text)
    project.run("main.py")
    return server.tags


HANDS_OVER = """\
import asyncio, os, threading, httpx, requests
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool
url = os.environ["URL"]
async def both(make):
    await make(); await make()  # both
async def gathered():
    async with httpx.AsyncClient() as client:
        await asyncio.gather(client.get(url), client.get(url))  # tasks
"""
HANDED_OVER = {
    "a_thread": "t = threading.Thread(target=requests.get, args=(url,)); t.start(); t.join()  # here",
    "an_executor": "list(ThreadPoolExecutor(1).map(requests.get, [url, url]))  # here",
    "a_thread_pool": "ThreadPool(2).map(requests.get, [url, url])  # here",
    "to_thread": "asyncio.run(both(lambda: asyncio.to_thread(requests.get, url)))",
    "tasks": "asyncio.run(gathered())",
}


@pytest.mark.parametrize("way", HANDED_OVER)
def test_work_handed_over_by_the_application_keeps_its_site_and_has_a_call_id_each(way, project, server):
    if way == "to_thread" and not hasattr(asyncio, "to_thread"):
        pytest.skip("this Python has no asyncio.to_thread")
    tags = run_and_read(project, server, HANDS_OVER + HANDED_OVER[way] + "\n")
    line = project.line("main.py", {"tasks": "tasks", "to_thread": "both"}.get(way, "here"))
    assert {tag["site"].split(":")[1] for tag in tags} == {str(line)}
    assert len({tag["call"] for tag in tags}) == len(tags) == (1 if way == "a_thread" else 2)


def test_a_librarys_own_threads_belong_to_its_entry_until_it_returns(project, server):
    project.write(
        "site-packages/lib.py",
        """
        import os, threading, requests
        later = threading.Event()
        def fetch():
            threads = [threading.Thread(target=requests.get, args=(os.environ["URL"] + "/in",)) for _ in "ab"]
            for t in threads: t.start()
            for t in threads: t.join()
        def linger():
            def work():
                later.wait()
                requests.get(os.environ["URL"] + "/after")
            thread = threading.Thread(target=work)
            thread.start()
            return thread
        """,
    ).write(
        "main.py",
        """
        import lib
        lib.fetch()  # fetch
        thread = lib.linger()  # linger
        lib.later.set(); thread.join()
        """,
    )
    project.run("main.py", path=[project.folder / "site-packages"])
    inside, after = server.tags[:2], server.tags[2]
    assert inside[0]["call"] == inside[1]["call"]
    assert inside[0]["site"] == "main.py:%d:<module>" % project.line("main.py", "fetch")
    assert after["site"] == "main.py:%d:<module>" % project.line("main.py", "linger")
    assert "call" not in after


def test_each_run_of_a_function_that_a_library_retries_is_a_call_of_its_own(project, server):
    pytest.importorskip("tenacity")
    tags = run_and_read(
        project,
        server,
        """
        import os, requests, tenacity
        @tenacity.retry(stop=tenacity.stop_after_attempt(3))
        def load():
            requests.get(os.environ["URL"] + "/flaky").raise_for_status()  # here
        load()
        """,
    )
    assert {tag["site"] for tag in tags} == {"main.py:%d:load" % project.line("main.py", "here")}
    assert len({tag["call"] for tag in tags}) == 3


def test_steps_of_a_librarys_generator_are_never_joined(project, server):
    project.write(
        "site-packages/lib.py",
        """
        import os, requests
        def pages():
            for _ in range(3):
                yield requests.get(os.environ["URL"])
        """,
    ).write("main.py", "import lib\nfor page in lib.pages(): pass\n")
    project.run("main.py", path=[project.folder / "site-packages"])
    assert len({tag.get("call", n) for n, tag in enumerate(server.tags)}) == 3


@pytest.mark.parametrize("tracer", ["plain", "coverage"])
def test_a_tracer_sees_the_same_lines_with_the_agent_and_without(tracer, project, server):
    project.write("app.py", CLIENTS["requests"]).write(
        "main.py",
        """
        import collections, sys
        seen = collections.Counter()
        def local(frame, event, arg):
            seen[frame.f_code.co_filename.split("site-packages/")[-1], frame.f_lineno, event] += 1
            return local
        def trace(frame, event, arg):
            return local if "urllib3" in frame.f_code.co_filename or "sessions.py" in frame.f_code.co_filename else None
        import app
        app.call(); seen.clear()
        sys.settrace(trace)
        app.call()
        sys.settrace(None)
        print(sorted(seen.items()))
        """,
    )
    if tracer == "coverage":
        pytest.importorskip("coverage")
        runs = []
        for agent in (True, False):
            project.run("-m", "coverage", "run", "--source=.", "main.py", agent=agent)
            runs.append(project.run("-m", "coverage", "report", agent=False).stdout)
    else:
        runs = [project.run("main.py", agent=agent).stdout for agent in (True, False)]
    assert runs[0] == runs[1]
    calls = [tag["call"] for tag in server.tags if "call" in tag]
    assert [len(set(calls[:3])), len(set(calls[3:6])), len(set(calls))] == [1, 1, 2]


def test_a_value_outside_ascii_and_percent_and_space_are_percent_encoded(project, server):
    project.write("a b%ü.py", "import os, requests\nrequests.get(os.environ['URL'])\n")
    project.run("a b%ü.py")
    assert server.tags[0]["site"] == "a%20b%25%C3%BC.py:2:<module>"


def test_a_request_that_carries_a_site_is_left_as_it_is(project, server):
    [tag] = run_and_read(
        project,
        server,
        "import os, requests\nrequests.get(os.environ['URL'], headers={'X-Retrial-Site': 'mine'})\n",
    )
    assert tag == {"path": "/", "site": "mine"}


def stacks(tags):
    """[[(run, place), ...], ...]: the activations that each request comes from, the outermost first."""
    return [[tuple(part.split(":")) for part in tag["stack"].split(",") if part[0] != "/"] for tag in tags]


def strands(tag):
    return [int(part[1:]) for part in tag["stack"].split(",") if part[0] == "/"]


LOOPS = {
    "by_hand": """
        def send():
            for _ in range(2): urllib.request.urlopen(url).read()
        for _ in range(2): send()
        """,
    "a_library_that_calls_back": """
        import again
        for _ in range(2): again.twice(lambda: urllib.request.urlopen(url).read())
        """,
    "async": """
        import asyncio
        async def send():
            for _ in range(2): await asyncio.to_thread(lambda: urllib.request.urlopen(url).read())
        async def main():
            for _ in range(2): await asyncio.create_task(send())
        asyncio.run(main())
        """,
}


@pytest.mark.parametrize("way", LOOPS)
def test_a_stack_says_which_run_of_which_function_sends_again(way, project, server):
    project.write(
        "site-packages/again.py",
        """
        def twice(do):
            for _ in range(2): do()
        """,
    )
    text = "import os, urllib.request\nurl = os.environ['URL']\n" + textwrap.dedent(LOOPS[way])
    project.write("main.py", text).run("main.py", path=[project.folder / "site-packages"])
    a, b, c, d = (dict(stack) for stack in stacks(server.tags))
    inner, outer = (set(a) & set(b)) - set(c), set(a) & set(b) & set(c) & set(d)
    assert inner and outer and inner == (set(a) & set(b)) - outer
    assert (set(c) & set(d)) - outer and not (set(c) & set(d) & inner)
    for run in inner | outer:
        assert a[run] == b[run], "the loop stands at the same place"


HANDED = {  # who sends four requests: the strands of each, by letters
    "a_thread": ("""
        def work(): send(); send()
        send()
        worker = threading.Thread(target=work)
        send(); worker.start(); worker.join()
        """, ["", "", "a", "a"]),
    "a_pool": ("""
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            pool.submit(send).result()
            send()
            pool.submit(lambda: (send(), send())).result()
        """, ["a", "", "b", "b"]),
    "tasks": ("""
        async def work(): await asyncio.to_thread(send)
        async def main():
            send()
            await asyncio.gather(work())
            await asyncio.create_task(work())
            send()
        asyncio.run(main())
        """, ["", "ab", "cd", ""]),
}


@pytest.mark.parametrize("way", HANDED)
def test_a_stack_says_which_thread_task_or_pooled_work_sends_and_that_what_was_sent_before_it_was_handed_over_came_first(way, project, server):
    text, expected = HANDED[way]
    project.write("main.py", "import asyncio, concurrent.futures, os, threading, urllib.request\n"
                  "def send(): urllib.request.urlopen(os.environ['URL']).read()\n" + textwrap.dedent(text)).run("main.py")
    letters = {}
    told = [[letters.setdefault(number, chr(ord("a") + len(letters))) for number in strands(tag)] for tag in server.tags]
    assert ["".join(strand) for strand in told] == expected
    latest = [max(int(run) for run, _ in stack) for stack in stacks(server.tags)]
    for n, tag in enumerate(server.tags):
        for number in set(strands(tag)) - set(strands(server.tags[n - 1]) if n else ()):
            assert all(run < number for run in latest[:n]) and latest[n] > number


WAITED = {  # the last request comes after whose
    "a_thread": "t = threading.Thread(target=send); t.start(); t.join(); send()",
    "what_a_thread_waited_for": """
        def work(): t = threading.Thread(target=send); t.start(); t.join()
        t = threading.Thread(target=work); t.start(); t.join(); send()
        """,
    "work_that_is_started_then": """
        for _ in range(2): t = threading.Thread(target=send); t.start(); t.join()
        """,
    "pooled_work": "send() if concurrent.futures.ThreadPoolExecutor(1).submit(send).result() is None else 0",
    "a_pool": """
        with concurrent.futures.ThreadPoolExecutor(1) as pool: pool.submit(send)
        send()
        """,
    "a_process": """
        subprocess.run([sys.executable, '-c', 'import os, urllib.request; urllib.request.urlopen(os.environ["URL"]).read()'])
        send()
        """,
    "a_fork": """
        def child():
            pid = os.fork()
            if pid == 0: send(); os._exit(0)
            os.waitpid(pid, 0)
        child(); child()
        """,
}
NOT_WAITED = {
    "a_thread_that_goes_on": "t = threading.Thread(target=lambda: (send(), sent.set(), gate.wait())); t.start(); sent.wait(); t.join(0.01); send(); gate.set()",
    "a_thread": "t = threading.Thread(target=lambda: (send(), sent.set())); t.start(); sent.wait(); send(); t.join()",
}


def waited(tag):
    return [part[1:] for part in tag["stack"].split(",") if part[0] == "+"]


def after_the_end_of_the_first(text, project, server):
    """Does the last request tell that whoever sent the first had ended before?"""
    project.write("main.py", "import concurrent.futures, os, subprocess, sys, threading, urllib.request\ngate, sent = threading.Event(), threading.Event()\n"
                  "def send(): urllib.request.urlopen(os.environ['URL']).read()\n" + textwrap.dedent(text)).run("main.py", RETRIAL_CAUSES="1")
    first, last = server.tags[0], server.tags[-1]
    own = strands(first)
    process = "@" + (first.get("call") or "").split("-")[0]
    return bool(own and str(own[-1]) in waited(last)) or process in waited(last)


@pytest.mark.parametrize("way", WAITED)
def test_a_stack_says_whose_end_was_waited_for(way, project, server):
    assert after_the_end_of_the_first(WAITED[way], project, server)


@pytest.mark.parametrize("way", NOT_WAITED)
def test_a_stack_says_nothing_of_what_may_go_on(way, project, server):
    assert not after_the_end_of_the_first(NOT_WAITED[way], project, server)


PROJECTS = {  # what the project's own files say its name is, or the user
    "pyproject": ("pyproject.toml", '[build-system]\nrequires = []\n\n[project]\nname = "Tidy.Client"\n', {}),
    "poetry": ("pyproject.toml", "[tool.poetry]\nname = 'tidy-client'\n", {}),
    "setup_cfg": ("setup.cfg", "[metadata]\nname = tidy_client\n", {}),
    "setup_py": ("setup.py", "from setuptools import setup\nsetup(version='1', name='tidy-client')\n", {}),
    "sdist": ("PKG-INFO", "Metadata-Version: 2.1\nName: tidy-client\n", {}),
    "said": ("notes.txt", "", {"RETRIAL_APPLICATION": "other,tidy-client"}),
    "unnamed": ("pyproject.toml", "[tool.black]\nname = 'tidy-client'\n", {}),
    "another": ("pyproject.toml", "[project]\nname = 'tidy'\n", {}),
}


@pytest.mark.parametrize("way", PROJECTS)
def test_the_package_under_test_is_the_application_where_it_is_installed(way, project, server):
    file, text, variables = PROJECTS[way]
    project.write(file, text)
    installed = "site-packages/"
    project.write(installed + "tidy_client-1.0.dist-info/RECORD", "tidying/__init__.py,,\ntidy_client-1.0.dist-info/RECORD,,\n")
    project.write(
        installed + "tidying/__init__.py",
        """
        import helper
        def ask(url):
            return helper.ask(url)
        """,
    )
    project.write(
        installed + "helper.py",
        """
        import urllib.request
        def ask(url):
            return urllib.request.urlopen(url).read()
        """,
    )
    project.write("main.py", "import os, tidying\ntidying.ask(os.environ['URL'])\n")
    project.variables = variables
    project.run("main.py", path=[project.folder / "site-packages"])
    [tag] = server.tags
    owned = way not in ("unnamed", "another")
    assert tag["site"] == ("tidying/__init__.py:4:ask" if owned else "main.py:2:<module>")
    said = [event["package"] for event in project.of("application")]
    assert said == (["tidying"] if owned else [])
