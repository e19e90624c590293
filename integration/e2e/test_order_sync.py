"""requests, urllib3's Retry, tenacity and boto3: what integration/apps/TRUTH.md measured, and nothing on the right calls."""
import pytest

from conftest import like_docker, retrial, site, to_replay

LOSS = "lost-response"
PYTEST = [".venv/bin/python", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
RIGHT_UNDER_LOSS = ["order_sync/orders.py:34", "order_sync/orders.py:40", "order_sync/invoices.py:16", "order_sync/invoices.py:24",
                    "order_sync/invoices.py:29", "order_sync/invoices.py:41", "order_sync/inventory.py:29", "order_sync/inventory.py:37",
                    "order_sync/inventory.py:47", "order_sync/pricing.py:31", "order_sync/pricing.py:39", "order_sync/shipping.py:14",
                    "order_sync/shipping.py:23"]
RIGHT_UNDER_503 = ["order_sync/inventory.py:29", "order_sync/inventory.py:37", "order_sync/inventory.py:47", "order_sync/pricing.py:31",
                   "order_sync/pricing.py:39", "order_sync/shipping.py:14", "order_sync/shipping.py:23"]


@pytest.fixture(scope="module")
def lost(run):
    return run("order-sync", "--policies", "p1", command=[*PYTEST, "tests"])


@pytest.fixture(scope="module")
def refused(run):
    return run("order-sync", "--policies", "p3,k1", command=[*PYTEST, "tests/test_partners.py"])


def test_a_lost_response_puts_an_order_into_the_queue_twice(lost):
    assert "duplicate-effect" in lost.at("order_sync/orders.py:13", LOSS), lost.explain()


def test_a_lost_response_makes_received_orders_invisible(lost):
    assert "duplicate-effect" in lost.at("order_sync/orders.py:23", LOSS), lost.explain()


@pytest.mark.parametrize("place", RIGHT_UNDER_LOSS)
def test_a_right_call_is_clean_when_a_response_is_lost(lost, place):
    untimed = place == "order_sync/shipping.py:23"
    assert lost.at(place) == ({"missing-timeout": "likely"} if untimed else {}), lost.explain()
    assert place in {site(c) for c in lost.report["clean"]}, lost.explain()


@pytest.mark.parametrize("place", ["order_sync/catalogue.py:20", "order_sync/catalogue.py:27"])
def test_a_retry_without_back_off_is_found(refused, place):
    assert refused.at(place, "error(transient)").get("missing-delay") == "likely", refused.explain()


@pytest.mark.parametrize("place", RIGHT_UNDER_503)
def test_a_right_call_is_clean_when_it_is_answered_503(refused, place):
    assert refused.at(place) == {}, refused.explain()
    assert place in {site(c) for c in refused.report["clean"]}, refused.explain()


def test_each_finding_is_shown_again_by_its_replay(lost, refused):
    for campaign in (lost, refused):
        for finding in to_replay(campaign.findings()):
            again = retrial("replay", finding["id"], "--from", campaign.folder, "--out", campaign.folder / "again", cwd=campaign.cwd)
            assert again.returncode == 1 and "is shown again" in again.stdout, again.stdout + again.stderr


def test_a_call_without_a_time_out_waits_for_ever_and_one_with_a_time_out_does_not(run):
    held = run("order-sync", "--policies", "p2", "--hold", "8s", command=[*PYTEST, "tests/test_partners.py", "-k", "tracked or label"])
    assert held.at("order_sync/shipping.py:23") == {"missing-timeout": "possible"}, held.explain()
    assert held.at("order_sync/shipping.py:14") == {}, held.explain()
    again = retrial("replay", held.findings()[0]["id"], "--hold", "4s", "--from", held.folder, "--out", held.folder / "again", cwd=held.cwd)
    assert again.returncode == 1 and "is shown again" in again.stdout, again.stdout + again.stderr


def test_one_case_comes_out_the_same_under_a_profile_like_dockers(run):
    rewritten = run("order-sync", "--policies", "p1", command=[*PYTEST, "tests/test_orders.py", "-k", "put_into_the_queue"],
                    before=like_docker)
    assert "(rewrite)" in rewritten.report["campaign"]["capture"], rewritten.explain()
    assert "duplicate-effect" in rewritten.at("order_sync/orders.py:13", LOSS), rewritten.explain()
