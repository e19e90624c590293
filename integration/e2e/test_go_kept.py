"""A failure that a Go program keeps, by another execution of its test in the same process."""
import json
import shutil

import pytest

from conftest import retrial

pytestmark = pytest.mark.skipif(not shutil.which("go"), reason="there is no go here")

RATES = """package kept

import (
	"fmt"
	"net/http"
	"sync"
)

type Rates struct {
	once  sync.Once
	table string
	err   error
}

var url string

func ask(path string) (string, error) {
	answer, err := http.Get(url + path)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if answer.StatusCode != 200 {
		return "", fmt.Errorf("%s: %s", path, answer.Status)
	}
	return answer.Status, nil
}

func (r *Rates) Load() (string, error) {
	r.once.Do(func() { r.table, r.err = ask("/rates") })
	return r.table, r.err
}

var rates Rates
"""

KEPT = """package kept

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	url = server.URL
	code := m.Run()
	server.Close()
	os.Exit(code)
}

func TestKept(t *testing.T) {
	if _, err := rates.Load(); err != nil {
		t.Fatal(err)
	}
}

func TestAsked(t *testing.T) {
	if _, err := ask("/prices"); err != nil {
		t.Fatal(err)
	}
}
"""


def test_a_failure_that_a_once_keeps_is_found_by_another_execution(tmp_path):
    for name, text in {"go.mod": "module example.com/kept\n\ngo 1.24\n", "rates.go": RATES, "kept_test.go": KEPT}.items():
        (tmp_path / name).write_text(text)
    done = retrial("run", "--out", tmp_path / "out", "--policies", "p3,p1", "--", "go", "test", "./...", cwd=tmp_path)
    found = json.loads((tmp_path / "out/findings.json").read_text())
    assert [f["operation"] for f in found["findings"] if f["verdict"] == "kept-failure"] == ["GET /rates"], done.stdout
