"""What a helper does wrong for all its callers is confirmed at two of them, and the others are told beside them."""
import sqlite3

from conftest import Campaign, retrial
from test_chains import parcels  # noqa: F401, a fixture

CALLERS = 6
HELPER = {
    "src__base.py": """import urllib.request

def ask(port, path):
    return urllib.request.urlopen(f"http://127.0.0.1:{port}{path}").read()
""",
    "src__shop.py": "from src.base import ask\n" + "".join(
        f"\ndef ask_{n}(port):\n    return ask(port, '/thing{n}')\n" for n in "abcdef"[:CALLERS]),
    "test_shop.py": "import os\nfrom src import shop\n" + "".join(
        f"\ndef test_{n}(): assert shop.ask_{n}(os.environ['PORT'])\n" for n in "abcdef"[:CALLERS]),
}


def test_a_helper_without_a_time_out_is_confirmed_at_two_of_its_callers(suite, python, parcels):  # noqa: F811
    folder = suite(**HELPER)
    out = folder / "out"
    campaign = Campaign(retrial("run", "--out", out, "--policies", "p1", "--", python, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                                cwd=folder, env={"PORT": str(parcels)}), out, folder)
    found = campaign.findings("missing-timeout")
    assert len(found) == 2 and campaign.out.count("missing-timeout (") == 1, campaign.out
    assert f"Seen here too: {CALLERS - 2}" in campaign.out, campaign.out
    assert f"Seen here too: {CALLERS - 2}" in campaign.out, campaign.out
    rows = sqlite3.connect(out / "campaign.db").execute(
        "SELECT why FROM plan WHERE outcome = 'seen_too' AND why LIKE '%missing-timeout%'").fetchall()
    assert len(rows) == CALLERS - 2 and all("as confirmed in " in why for (why,) in rows), rows
