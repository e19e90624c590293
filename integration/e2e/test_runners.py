"""The same client of a shop under each test runner (integration/runners): both bugs are found where they stand, and what is right is clean."""
import json
import os
import shutil
import subprocess

import pytest

from conftest import ROOT, Campaign, retrial, site

full = pytest.mark.skipif(not os.environ.get("RETRIAL_E2E_FULL"), reason="RETRIAL_E2E_FULL is not set")
SAMPLES = ROOT / "integration/runners"


def needs(*programs):
    missing = [p for p in programs if not shutil.which(p)]
    return pytest.mark.skipif(bool(missing), reason=f"there is no {', '.join(missing)} here")


def compiled(folder, sources, *libraries, name="shop_test"):
    program = folder / name
    subprocess.run(["g++", "-std=c++17", "-O0", "-g", *(str(SAMPLES / s) for s in sources), "-o", str(program), *libraries], check=True)
    return program


def campaign(sample, tmp_path, command, cwd=None, env=None):
    cwd, out = cwd or SAMPLES / sample, tmp_path / "out"
    return Campaign(retrial("run", "--policies", "p1,p3", "--coverage", "c0", "--out", out, "--", *map(str, command), cwd=cwd, env=env), out, cwd)


def by_operation(seen):
    """operation -> (its verdicts, where they stand, in which tests)."""
    out = {}
    for finding in seen.findings():
        verdicts, sites, tests = out.setdefault(finding["operation"], (set(), set(), set()))
        verdicts.add(finding["verdict"])
        sites.add(site(finding))
        tests.add(finding["test"])
    return out


def both_bugs_and_no_other(seen, paid, watched):
    """paid, watched: (operation, call site, test) of what is wrong."""
    found = by_operation(seen)
    assert found == {paid[0]: ({"duplicate-effect"}, {paid[1]}, {paid[2]}),
                     watched[0]: ({"missing-cap", "missing-delay"}, {watched[1]}, {watched[2]})}, seen.explain()
    assert seen.status == 1 and all(f["confirmed"] for f in seen.findings()), seen.explain()
    assert not seen.report["campaign"].get("incomplete") and not seen.report["not_judged"], seen.explain()


def right(seen):
    return {c["operation"] for c in seen.report["clean"]}


@needs("go")
def test_go_test(tmp_path):
    seen = campaign("go", tmp_path, ["go", "test", "./..."])
    both_bugs_and_no_other(seen, ("POST /payments", "orders/orders.go:49", "example.com/shop/orders.TestPay"),
                           ("GET /watched", "stock/stock.go:35", "example.com/shop/stock.TestWatch"))
    assert {"POST /orders", "GET /counted"} <= right(seen), seen.explain()


@full
@needs("node")
def test_vitest(tmp_path):
    seen = campaign("vitest", tmp_path, ["npm", "test"])
    both_bugs_and_no_other(seen, ("POST /payments", "src/orders.ts:37", "test/shop.test.ts > orders > are paid"),
                           ("GET /watched", "src/stock.ts:29", "test/shop.test.ts > the stock > is watched"))
    assert {"POST /orders", "GET /counted"} <= right(seen), seen.explain()


@needs("g++")
@pytest.mark.parametrize("how", ["itself", pytest.param("behind make", marks=full)])
def test_googletest(tmp_path, how):
    program = compiled(tmp_path, ["cpp/shop.cc", "cpp/shop_test.cc"], "-lgtest", "-lgtest_main", "-lpthread")
    (tmp_path / "Makefile").write_text(f"check:\n\t{program}\n")
    seen = campaign("cpp", tmp_path, [program] if how == "itself" else ["make", "-f", tmp_path / "Makefile", "check"])
    both_bugs_and_no_other(seen, ("POST /payments", "shop.cc:28", "shop_test > Payments.ArePaid"),
                           ("GET /watched", "shop.cc:28", "shop_test > Stock.IsWatched"))
    assert {"POST /orders", "GET /counted"} <= right(seen), seen.explain()
    assert {f["retried_by"] for f in seen.findings()} == {"shop.cc:50 (anonymous namespace)::send_order", "shop.cc:68 Shop::watch"}, seen.explain()


@full
@needs("g++")
def test_catch2(tmp_path):
    program = compiled(tmp_path, ["cpp/shop.cc", "cpp/catch_test.cc"], "-lpthread")
    seen = campaign("cpp", tmp_path, [program])
    both_bugs_and_no_other(seen, ("POST /payments", "shop.cc:28", "shop_test > it is paid"), ("GET /watched", "shop.cc:28", "shop_test > it is watched"))
    assert {"POST /orders", "GET /counted"} <= right(seen), seen.explain()


@full
@needs("g++", "ctest")
def test_ctest(tmp_path):
    """Programs of GoogleTest's and others."""
    compiled(tmp_path, ["cpp/shop.cc", "cpp/shop_test.cc"], "-lgtest", "-lgtest_main", "-lpthread")
    compiled(tmp_path, ["cpp/shop.cc", "cpp/plain_test.cc"], "-lpthread", name="plain_test")
    seen = campaign("cpp", tmp_path, ["ctest"], cwd=SAMPLES / "cpp/ctest", env={"SHOP": str(tmp_path)})
    sent = f"{SAMPLES / 'cpp/shop.cc'}:28"
    both_bugs_and_no_other(seen, ("POST /payments", sent, "shop_test > Payments.ArePaid"), ("GET /watched", sent, "the [stock] is watched"))
    assert {"POST /orders", "GET /counted"} <= right(seen), seen.explain()


@pytest.mark.parametrize("command", [pytest.param(["cargo", "test"], marks=needs("cargo")),
                                     pytest.param(["cargo", "nextest", "run"], marks=needs("cargo", "cargo-nextest"))], ids=["test", "nextest"])
def test_cargo(command, tmp_path):
    seen = campaign("cargo", tmp_path, command, env={"CARGO_TARGET_DIR": str(tmp_path / "target")})
    both_bugs_and_no_other(seen, ("POST /payments", "src/lib.rs:48", "shop-client::shop > is_paid"),
                           ("GET /watched", "src/lib.rs:48", "shop-client::shop > is_watched"))
    assert {"POST /orders", "GET /counted"} <= right(seen), seen.explain()
    assert {f["retried_by"].split(" ")[0] for f in seen.findings()} == {"src/lib.rs:62", "src/lib.rs:25"}, seen.explain()


@needs("rspec")
@pytest.mark.parametrize("how", ["itself", pytest.param("behind make", marks=full)])
def test_rspec(how, tmp_path):
    (tmp_path / "Makefile").write_text(f"check:\n\tcd {SAMPLES / 'rspec'} && rspec\n")
    command = ["rspec"] if how == "itself" else ["make", "-f", tmp_path / "Makefile", "check"]
    seen = campaign("rspec", tmp_path, command)
    both_bugs_and_no_other(seen, ("POST /payments", "lib/orders.rb:35", "spec/shop_spec.rb > the shop > Orders > are paid"),
                           ("GET /watched", "lib/stock.rb:28", "spec/shop_spec.rb > the shop > Stock > is watched"))
    assert {"POST /orders", "GET /counted"} <= right(seen), seen.explain()
    assert {f["retried_by"].split(" ")[0] for f in seen.findings()} == {"lib/orders.rb:12", "lib/stock.rb:8"}, seen.explain()


@needs("phpunit")
@pytest.mark.parametrize("how", ["itself", pytest.param("behind composer", marks=full)])
def test_phpunit(how, tmp_path):
    command = ["phpunit"]
    if how != "itself":
        (tmp_path / "composer.json").write_text(json.dumps({"scripts": {"test": f"phpunit -c {SAMPLES / 'phpunit'}"}}))
        command = ["composer", "--no-interaction", f"--working-dir={tmp_path}", "test"]
    seen = campaign("phpunit", tmp_path, command, env={"COMPOSER_ALLOW_SUPERUSER": "1"})
    folder = "" if how == "itself" else f"{SAMPLES / 'phpunit'}/"
    both_bugs_and_no_other(seen, ("POST /payments", f"{folder}src/Orders.php:54", "Shop\\Tests\\ShopTest::testPay"),
                           ("GET /watched", f"{folder}src/Stock.php:35", "Shop\\Tests\\ShopTest::testWatch"))
    assert {"POST /orders", "GET /counted"} <= right(seen), seen.explain()
    assert {f["retried_by"].split(" ")[0] for f in seen.findings()} == {f"{folder}src/Orders.php:19", f"{folder}src/Stock.php:12"}, seen.explain()


@full
@needs("bash", "curl")
def test_script(tmp_path):
    """A shell tells of no exception: what its status alone says is not judged."""
    seen = campaign("script", tmp_path, ["./smoke.sh"])
    assert by_operation(seen) == {"POST /payments": ({"duplicate-effect"}, {None}, {"smoke.sh:12 curl"}),
                                  "GET /watched": ({"missing-cap", "missing-delay"}, {None}, {"smoke.sh:19 until"})}, seen.explain()
    assert seen.status == 1 and all(f["confirmed"] for f in seen.findings()), seen.explain()
    assert {"POST /orders", "GET /counted"} <= right(seen), seen.explain()


@full
@needs("gradle", "javac")
def test_gradle(tmp_path):
    seen = campaign("gradle", tmp_path, ["gradle", "-q", "test"])
    main = "src/main/java/shop/"
    both_bugs_and_no_other(seen, ("POST /payments", main + "Orders.java:48", "shop.ShopTest#isPaid"), ("GET /watched", main + "Stock.java:38", "shop.ShopTest#isWatched"))
    assert {"POST /orders", "GET /counted"} <= right(seen), seen.explain()
