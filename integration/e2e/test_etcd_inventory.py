"""gRPC: service configuration and loops by hand on etcd's own API; the truth stands in integration/apps/etcd-inventory/README.md."""
import os

import pytest

from conftest import retrial, site

# All of it takes about ten minutes; without this the campaigns are on the tests that show most.
FULL = bool(os.environ.get("RETRIAL_E2E_FULL"))
full = pytest.mark.skipif(not FULL, reason="RETRIAL_E2E_FULL is not set")
RESET = "lost-response(reset) x 1, then pass"
TOLD = "lost-response(error(504)) x 1, then pass"
PYTEST = [".venv/bin/python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]


def at(*places):
    return [f"etcd_inventory/{place}" for place in places]


def on(tests):
    """The suite, or these tests of it."""
    return PYTEST if FULL else [*PYTEST, "-k", tests]


LOST = "(granted_once and not own) or is_corrected or first_who or reserved_for"
RIGHT_UNDER_LOSS = at("stock.py:40", "stock.py:45", "stock.py:100", "stock.py:111", "leader.py:41", "leader.py:53", "leader.py:96")
REFUSED = "all_settings or counted_in_and"
RIGHT_UNDER_UNAVAILABLE = at("stock.py:40", "stock.py:45")
if FULL:
    RIGHT_UNDER_LOSS += at("stock.py:48", "stock.py:52", "stock.py:59", "stock.py:131", "settings.py:28", "settings.py:38",
                           "settings.py:73", "leader.py:101")
    RIGHT_UNDER_UNAVAILABLE += at("stock.py:52", "stock.py:59", "stock.py:61", "stock.py:70", "stock.py:100", "stock.py:111",
                                  "stock.py:122", "stock.py:131", "settings.py:73", "leader.py:30", "leader.py:41", "leader.py:53",
                                  "leader.py:86", "leader.py:96", "leader.py:101")


@pytest.fixture(scope="module")
def lost(run):
    return run("etcd-inventory", "--policies", "p1", command=on(LOST))


@pytest.fixture(scope="module")
def refused(run):
    return run("etcd-inventory", "--policies", "p3,k1", command=on(REFUSED))


def test_a_lease_whose_id_etcd_chooses_is_granted_twice(lost):
    assert "duplicate-effect" in lost.at("etcd_inventory/leader.py:30"), lost.explain()


@full
@pytest.mark.parametrize("place", at("stock.py:61", "stock.py:122"))
def test_what_is_read_and_put_again_by_hand_is_done_twice(lost, place):
    assert {"silent-wrong-result", "duplicate-effect"} & set(lost.at(place)), lost.explain()


@pytest.mark.parametrize("fault", [RESET, TOLD])
def test_a_guarded_transaction_that_grpc_repeats_takes_its_own_write_for_anothers(lost, fault):
    assert "unrelated-exception" in lost.at("etcd_inventory/stock.py:70", fault), lost.explain()
    assert "silent-wrong-result" in lost.at("etcd_inventory/leader.py:86"), lost.explain()


@full
def test_an_error_that_is_answered_by_a_default_is_possible_at_most(lost):
    assert lost.at("etcd_inventory/settings.py:18") == {"silent-wrong-result": "possible"}, lost.explain()


@pytest.mark.parametrize("place", RIGHT_UNDER_LOSS)
def test_a_right_call_is_clean_when_a_response_is_lost(lost, place):
    assert lost.at(place) == {}, lost.explain()
    assert place in {site(c) for c in lost.report["clean"]}, lost.explain()


def test_a_loop_without_end_or_delay_is_found(refused):
    found = refused.at("etcd_inventory/settings.py:28", "error(transient)")
    assert found.get("missing-delay") == "likely" and found.get("missing-cap") == "likely", refused.explain()


@pytest.mark.parametrize("place", RIGHT_UNDER_UNAVAILABLE)
def test_a_right_call_is_clean_when_it_is_answered_unavailable(refused, place):
    assert refused.at(place) == {}, refused.explain()
    assert place in {site(c) for c in refused.report["clean"]}, refused.explain()


def test_a_finding_is_shown_again_by_its_replay(lost, refused):
    for campaign in (lost, refused) if FULL else (lost,):
        findings = {f["id"]: f for f in campaign.findings()}
        assert findings, campaign.explain()
        for finding in list(findings.values())[:None if FULL else 1]:
            again = retrial("replay", finding["id"], "--from", campaign.folder, "--out", campaign.folder / "again", cwd=campaign.cwd)
            assert again.returncode == 1 and "is shown again" in again.stdout, again.stdout + again.stderr


@full
def test_a_call_without_a_deadline_waits_for_ever_and_one_with_a_deadline_does_not(run):
    held = run("etcd-inventory", "--policies", "p2", "--hold", "8s", command=[*PYTEST, "-k", "listed or counted_in_and"])
    assert held.at("etcd_inventory/stock.py:52") == {"missing-timeout": "likely"}, held.explain()
    assert held.at("etcd_inventory/stock.py:40") == {}, held.explain()
