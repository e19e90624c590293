"""Which statement of its test a request comes from."""
import pytest

BEGIN = """\
import asyncio, concurrent.futures, os, threading, urllib.request
def ask(): urllib.request.urlopen(os.environ["URL"]).read()
async def ask_later(): await asyncio.to_thread(urllib.request.urlopen, os.environ["URL"])
"""

TESTS = {
    "two": ("ask()\nask()\n", "a b"),
    "one_that_goes_round": ("for _ in range(2):\n    ask()\n", "a a"),
    "two_that_a_helper_of_the_test_stands_between": ("twice = lambda: [ask() for _ in range(2)]\ntwice()\ntwice()\n", "a a b b"),
    "a_thread_and_a_pool": (
        "t = threading.Thread(target=urllib.request.urlopen, args=[os.environ['URL']])\nt.start()\nt.join()\n"
        "with concurrent.futures.ThreadPoolExecutor() as pool:\n"
        "    list(pool.map(urllib.request.urlopen, [os.environ['URL']] * 2))\n",
        "a b b",
    ),
    "tasks": ("async def main():\n    await ask_later()\n    await ask_later()\nasyncio.run(main())\n", "a b"),
}


def letters(values):
    order = list(dict.fromkeys(values))
    return " ".join("abcdef"[order.index(value)] for value in values)


@pytest.mark.parametrize("name", TESTS)
def test_a_statement_is_where_the_outermost_function_of_a_test_stands(name, project, server):
    body, expected = TESTS[name]
    lines = "".join("    %s\n" % line for line in body.splitlines())
    project.write("test_s.py", BEGIN + "def test_it():\n" + lines).pytest()
    first = [tag["statement"] for tag in server.tags]
    assert letters(first) == expected
    server.tags.clear()
    project.pytest()
    assert [tag["statement"] for tag in server.tags] == first, "the same in every run"


def test_it_is_not_told_of_what_is_no_test(project, server):
    project.write("main.py", BEGIN + "ask()\n").run("main.py")
    assert "statement" not in server.tags[0]
