"""What the pages tell their readers to type is there. `./dev docs` also runs it, and builds the site."""
import sys

import pytest

from conftest import RETRIAL, ROOT

sys.path.insert(0, str(ROOT / "integration/docs"))
import samples

PRODUCT = samples.Retrial(RETRIAL)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_commands_and_configurations_of_the_pages_are_ones_that_there_are():
    wrong = [said for page in PAGES for look in (samples.options, samples.configuration) for said in look(page, PRODUCT)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "text, said",
    [
        ("`retrial run --budget 10m -- pytest`", ""),
        ("```\nretrial ctl rules put slow --inject 'delay(1s)'\n```", ""),
        ("pip install retrial --user", ""),
        ("`retrial run --bugdet 10m -- pytest`", "page.md: `retrial run --bugdet`: there is no such option"),
        ("```\nretrial trail -- pytest\n```", "page.md: `retrial trail`: there is no such verb"),
        ('```toml\n[run]\npolicy = "p3"\n```\n', "policy: unknown key"),
        ("```sh\nfalse  # ends with 1\n```\n", ""),
        ("```sh\ntrue\n```\n\n```sh\nfalse\n```\n", "page.md: block 2 of sh or text ends with 1"),
        ("```sh\necho done\n```\n\n```text\ndone\n```\n", ""),
        ("```sh\necho done\n```\n\n```text\nfound\n```\n", "'found' is not in what was printed"),
    ],
)
def test_a_sample_that_is_wrong_is_told(tmp_path, text, said):
    page = tmp_path / "page.md"
    page.write_text(text)
    told = "".join(line for look in (samples.options, samples.configuration, samples.runnable) for line in look(page, PRODUCT))
    assert said in told and bool(said) == bool(told), told
