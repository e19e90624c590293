"""A plan is shown, stored, edited, and shared between machines; what is told is that of one campaign."""
import json
import subprocess

import pytest

from conftest import retrial

CLIENT = """
import http.client, time
def {name}(port):
    for attempt in range(3):
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            c.request("{method}", "/{name}")
            answer = c.getresponse()
            answer.read()
            return answer.status
        except OSError:
            if attempt == 2: raise {error}
            time.sleep(0.3 * 2 ** attempt)
        finally:
            c.close()
"""
TESTS = """
import http.server, threading, unittest
from pay import pay
from stock import stock
class H(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def answer(self, status):
        self.send_response(status); self.send_header("Content-Length", "2"); self.end_headers(); self.wfile.write(b"{}")
    def do_GET(self): self.answer(200)
    def do_POST(self): self.answer(201)
    def log_message(self, *a): pass
class Shop(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
        threading.Thread(target=cls.s.serve_forever, args=(0.01,), daemon=True).start()
        cls.port = cls.s.server_address[1]
    @classmethod
    def tearDownClass(cls):
        cls.s.shutdown(); cls.s.server_close()
    def test_pay(self): self.assertEqual(pay(self.port), 201)
    def test_stock(self): self.assertEqual(stock(self.port), 200)
"""


@pytest.fixture(scope="module")
def go(tmp_path_factory, python):
    """go(verb, *options) in a project that is a folder of a git repository."""
    cwd = tmp_path_factory.mktemp("repository") / "shop"
    cwd.mkdir()
    for name, text in {"test_all.py": TESTS, ".gitignore": "*\n!*.py\n",
                       "pay.py": CLIENT.format(name="pay", method="POST", error="ConnectionError('lost')"),
                       "stock.py": CLIENT.format(name="stock", method="GET", error="KeyError('stock')")}.items():
        (cwd / name).write_text(text)
    git(cwd, "init", "-q")
    git(cwd, "add", ".")
    git(cwd, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a")

    def call(verb, *options, tests=True):
        command = ["--", python, "-m", "unittest", "-q"] if tests else []
        done = retrial(verb, *options, *command, cwd=cwd)
        done.said = " ".join((done.stdout + done.stderr).split())
        return done

    call.cwd = cwd
    return call


def git(cwd, *words):
    subprocess.run(["git", *words], cwd=cwd, check=True)


def report(folder):
    return json.loads((folder / "findings.json").read_text())


def told(found):
    return sorted((f["verdict"], f["operation"]) for f in found["findings"])


P1 = ["--policies", "p1", "--coverage", "c0"]


@pytest.fixture(scope="module")
def whole(go):
    done = go("run", *P1, "--out", "whole")
    assert done.returncode == 1, done
    return report(go.cwd / "whole")


def test_two_shards_merged_are_one_campaign(go, whole):
    for n in 1, 2:
        assert go("run", *P1, "--shard", f"{n}/2", "--out", f"part{n}").returncode in (0, 1)
    merged = go("merge", "part2", "part1", "part2", "-o", "merged", tests=False)
    assert merged.returncode == 1 and "part2: is left out: part2 is shard 2/2 too" in merged.said, merged
    found = report(go.cwd / "merged")
    assert told(found) == told(whole) and found["campaign"]["incomplete"] is None, merged.stdout
    assert found["campaign"]["plan"] == whole["campaign"]["plan"]
    assert sum(found["campaign"]["cases"].values()) == sum(whole["campaign"]["cases"].values())
    one = found["findings"][0]
    assert one["id"] in {f["id"] for n in (1, 2) for f in report(go.cwd / f"part{n}")["findings"]}
    again = go("replay", one["id"], "--from", "merged", tests=False)
    assert again.returncode == 1 and "is shown again" in again.stdout, again

    half = go("merge", "part2", "whole", "gone", tests=False)
    clean = not report(go.cwd / "part2")["findings"]
    assert half.returncode == (4 if clean else 1) and "shard 1 of 2 is missing" in half.said, half
    assert "whole: is no shard" in half.said and "gone: there is no such folder" in half.said, half
    none = go("merge", "whole", tests=False)
    assert none.returncode == 2 and "whole: is no shard" in none.stderr, none


def test_a_stored_plan_is_edited_and_run(go, whole):
    done = go("plan", *P1, "-o", "plan.toml", "--out", "planned")
    assert done.returncode == 0 and "--coverage c4" in done.said, done
    head, *cases = (go.cwd / "plan.toml").read_text().split("[[case]]")
    kept = [c for c in cases if "/stock" in c]
    assert 0 < len(kept) < len(cases)
    (go.cwd / "plan.toml").write_text("[[case]]".join([head, *kept, kept[0].replace("/stock", "/gone")]))
    done = go("run", "--plan", "plan.toml", "--out", "edited")
    found = report(go.cwd / "edited")
    assert sum(found["campaign"]["cases"].values()) == len(kept), done
    assert told(found) == [f for f in told(whole) if "/stock" in f[1]], done
    assert f"1 of {len(kept) + 1} cases of the plan fit no call of this suite" in done.said and "GET /gone" in done.said, done


def test_what_has_not_changed_is_left_out(go):
    (go.cwd / "stock.py").write_text((go.cwd / "stock.py").read_text() + "\n# changed\n")
    done = go("plan", *P1, "--changed-since", "HEAD", "--out", "planned")
    assert "GET /stock" in done.stdout and "POST /pay" not in done.stdout.split("case")[-1], done
    assert "--changed-since HEAD: 1 of 2 calls left out" in done.said, done
    done = go("plan", *P1, "--changed-since", "HEAD", "--json", "--out", "planned")
    planned = json.loads(done.stdout)
    assert {c["operation"] for c in planned["cases"]} == {"GET /stock"} and planned["forecasts"][0]["cases"] == len(planned["cases"]), planned
    done = go("run", *P1, "--changed-since", "HEAD", "--shard", "5/5", "--out", "planned")
    assert done.returncode == 3 and "shard 5/5: 0 of 3 cases" in done.said, done
