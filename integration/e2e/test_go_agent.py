"""What Go programs that are built within a run tell of their requests and tests (docs/agents.md), as the store of one run has it."""
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import urllib.parse

import pytest

from conftest import ROOT, retrial

pytestmark = pytest.mark.skipif(not shutil.which("go"), reason="there is no go here")

ASK = """package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"
)

type App struct {
	URL    string
	Client *http.Client
}

func (a *App) Get(path string) error {
	answer, err := a.Client.Get(a.URL + path) // get
	if err != nil {
		return fmt.Errorf("ask for %s: %w", path, err)
	}
	defer answer.Body.Close()
	_, err = io.ReadAll(answer.Body)
	return err
}

func (a *App) Later(path string) error {
	done := make(chan error)
	go func() { done <- a.Get(path) }()
	return <-done
}

func (a *App) Deep(n int) error {
	if n > 0 {
		return a.Deep(n - 1)
	}
	return a.Get("/deep") // deep
}

// As errgroup does, which the application has written itself here.
func group(f func()) {
	done := make(chan bool)
	go func() { // made
		f() // grouped
		done <- true
	}()
	<-done
}

//go:noinline
func (a *App) Grouped() {
	group(func() { a.Get("/grouped") }) // grouping
}

func (a *App) Patient() {
	for i := 0; i < 2; i++ {
		if i > 0 {
			time.Sleep(time.Millisecond)
		}
		a.once() // patient
	}
}

func (a *App) once() { a.Get("/patient") } // once

func (a *App) Deliver() { a.Patient() } // deliver

func (a *App) Closing() {
	for i := 0; i < 2; i++ {
		if answer, err := a.Client.Get(a.URL + "/closed"); err == nil { // closing
			answer.Body.Close() // a library's wait
		}
		time.Sleep(time.Millisecond)
	}
}

func (a *App) Hand() { a.Closing() } // hand

type again struct{ http.RoundTripper }

func (a again) RoundTrip(r *http.Request) (*http.Response, error) {
	for i := 0; i < 2; i++ {
		answer, err := a.RoundTripper.RoundTrip(r.Clone(context.Background())) // again
		if err != nil {
			return nil, err
		}
		answer.Body.Close()
	}
	return a.RoundTripper.RoundTrip(r) // last
}

func Serve() *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/new", 307) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) })
	return httptest.NewServer(mux)
}

func HTTP2() (*App, func()) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	return &App{server.URL, &http.Client{Transport: &http.Transport{Protocols: protocols}}}, server.Close
}

var ErrShut = errors.New("the shop is shut")
var _ = tls.VersionTLS13
"""

TESTS = """package app

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"syscall"
	"testing"
)

var app *App

func TestMain(m *testing.M) {
	server := Serve()
	app = &App{server.URL, http.DefaultClient}
	app.Get("/shared")
	code := m.Run()
	server.Close()
	os.Exit(code)
}

func TestPlain(t *testing.T) {
	t.Cleanup(func() { app.Get("/down") })
	app.Get("/plain")
	app.Later("/later")
	app.Deep(2)
	app.Grouped()
	app.Deliver()
	app.Hand()
	done := make(chan error)
	go func() { done <- app.Get("/beside") }()
	<-done
	http.Get(app.URL + "/itself")
}

func TestTable(t *testing.T) {
	app.Get("/around")
	for _, name := range []string{"one of two", "odd [na]me/1.5$"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app.Get("/in")
		})
	}
	t.Run("fails", func(t *testing.T) { t.Error("got 1, want 2") })
}

func TestCalls(t *testing.T) {
	app.Get("/moved")
	retrying := &App{app.URL, &http.Client{Transport: again{http.DefaultTransport}}}
	retrying.Get("/again")
}

func TestHTTP2(t *testing.T) {
	two, done := HTTP2()
	defer done()
	if err := two.Get("/h2"); err != nil {
		t.Fatal(err)
	}
}

func TestChain(t *testing.T) {
	t.Fatalf("not asked: %v", fmt.Errorf("load: %w", errors.Join(ErrShut, fmt.Errorf("read: %w", syscall.ECONNRESET))))
}

func TestSkipped(t *testing.T) { t.Skip("later") }

func ExampleServe() {
	fmt.Println(1)
	// Output: 1
}
"""

PANICS = """package app

import "testing"

func TestPanics(t *testing.T) {
	t.Run("within", func(t *testing.T) {
		var app *App
		t.Log(app.URL)
	})
}
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """(what was said, the store) of a run of all of it."""
    cwd = tmp_path_factory.mktemp("go")
    for name, text in {"go.mod": "module example.com/mod\n\ngo 1.24\n", "app/app.go": ASK, "app/app_test.go": TESTS, "panics/app.go": ASK,
                       "panics/app_test.go": PANICS}.items():
        (cwd / name).parent.mkdir(exist_ok=True)
        (cwd / name).write_text(text)
    done = retrial("observe", "--out", cwd / "out", "--", "go", "test", "-timeout=5m", "./...", cwd=cwd)
    return done, sqlite3.connect(cwd / "out/campaign.db")


def requests(db):
    """target -> [(test, phase, file:line, function, call id)], in order."""
    out = {}
    for target, *rest in db.execute("select target, test, phase, site_file || ':' || site_line, site_function, call_id from exchange order by run, id"):
        out.setdefault(target, []).append(tuple(rest))
    return out


def line(mark):
    return next(i for i, text in enumerate(ASK.splitlines(), 1) if text.endswith(f"// {mark}"))


def results(db):
    return dict(db.execute("select test, outcome from test_result"))


def test_a_request_carries_its_test_and_phase_whichever_goroutine_of_the_test_makes_it(seen):
    done, db = seen
    told = {target: [(r[0], r[1]) for r in rows] for target, rows in requests(db).items()}
    mod = "example.com/mod/app.Test"
    assert told["/plain"] == [(mod + "Plain", "test")] and told["/down"] == [(mod + "Plain", "teardown")], done
    assert told["/later"] == [(mod + "Plain", "test")]
    assert told["/around"] == [(mod + "Table", "test")]
    assert sorted(told["/in"]) == [(mod + "Table/odd_[na]me/1.5$", "test"), (mod + "Table/one_of_two", "test")]
    assert [phase for _, phase in told["/shared"]] == ["shared"]


def test_a_request_carries_the_line_that_made_it(seen):
    _, db = seen
    rows = requests(db)
    for target in ("/plain", "/down", "/later", "/h2"):
        assert [r[2:4] for r in rows[target]] == [(f"app/app.go:{line('get')}", "(*App).Get")], target
    assert [r[2] for r in rows["/again"]] == [f"app/app.go:{line('again')}"] * 2 + [f"app/app.go:{line('last')}"]


def chains(db, target):
    """`function` or, of callers, `function mark` where the line bears one; "|" stands where an empty frame does."""
    marks = {str(i): text.split("// ")[1] for i, text in enumerate(ASK.splitlines(), 1) if "// " in text}
    out = []
    for function, callers in db.execute("select site_function, site_callers from exchange where target = ? order by run, id", (target,)):
        told = [frame.split(":") for frame in urllib.parse.unquote(callers).split(",")] if callers else []
        out.append(" <- ".join([function, *(f"{f[2]} {marks.get(f[1], '')}".strip() if len(f) > 1 else "|" for f in told)]))
    return out


@pytest.mark.parametrize("target, told", [
    ("/plain", ["(*App).Get"]),
    ("/itself", ["TestPlain"]),
    ("/later", ["(*App).Get <- (*App).Later.func1 <- (*App).Later"]),
    ("/beside", ["(*App).Get"]),
    ("/deep", ["(*App).Get <- (*App).Deep deep"]),
    ("/grouped", ["(*App).Get <- (*App).Grouped.func1 grouping <- group.func1 grouped <- group made <- (*App).Grouped grouping"]),
    ("/patient", ["(*App).Get <- (*App).once once <- (*App).Patient patient <- (*App).Deliver deliver",
                  "(*App).Get <- (*App).once once <- (*App).Patient patient <- | <- (*App).Deliver deliver"]),
    ("/closed", ["(*App).Closing <- (*App).Hand hand", "(*App).Closing <- | <- (*App).Hand hand"]),
    ("/again", 3 * ["again.RoundTrip <- (*App).Get get"]),
])
def test_a_chain_goes_up_to_the_test_through_goroutines_and_says_who_has_waited(seen, target, told):
    _, db = seen
    assert chains(db, target) == told


def test_the_client_that_may_send_again_is_named_where_the_call_was_given_to_it(seen):
    _, db = seen
    version = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True).stdout.strip().removeprefix("go")
    for target, call, libraries in db.execute("select target, call_id, libraries from exchange"):
        assert libraries == ("" if target == "/again" else f"{call.split('-')[1]}:Go%20{version}%20net/http"), target


PATIENT = """package patient

import (
	"net/http"
	"time"
)

func Get(url string) (answer *http.Response, err error) {
	for i := 0; i < 3; i++ {
		if answer, err = http.Get(url); err == nil && answer.StatusCode < 500 {
			return
		}
		if i < 2 {
			pause()
		}
	}
	return
}

func pause() { time.Sleep(2 * time.Millisecond) }
"""

SHOP = """package shop

import (
	"example.org/patient"
	"net/http/httptest"
	"net/http"
	"testing"
	"time"
)

func fetch(url string) {
	for i := 0; i < 2; i++ {
		patient.Get(url)
	}
}

func TestFetch(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) }))
	defer server.Close()
	fetch(server.URL + "/by_library")
	for i := 0; i < 2; i++ {
		patient.Get(server.URL + "/by_both")
		time.Sleep(2 * time.Millisecond)
	}
}
"""


def test_a_module_that_waits_and_sends_again_is_named_as_long_as_it_does_so(tmp_path):
    for name, text in {"go.mod": "module example.com/shop\n\ngo 1.24\n\nrequire example.org/patient v1.2.3\n", "shop_test.go": SHOP,
                       "vendor/modules.txt": "# example.org/patient v1.2.3\n## explicit; go 1.24\nexample.org/patient\n",
                       "vendor/example.org/patient/patient.go": PATIENT}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    done = retrial("observe", "--out", tmp_path / "out", "--", "go", "test", "./...", cwd=tmp_path)
    rows = sqlite3.connect(tmp_path / "out/campaign.db").execute(
        "select target, libraries from exchange where run = (select min(run) from exchange) order by id").fetchall()
    runs = {target: [libraries.split(":")[0] for at, libraries in rows if at == target] for target in ("/by_library", "/by_both")}
    assert all(libraries.split(",")[0].split(":")[1] == "example.org/patient" for _, libraries in rows), (done, rows)
    for of in runs.values():
        assert len(of) == 6 and len(set(of)) == 2 and len(set(of[:3])) == len(set(of[3:])) == 1, rows


def test_redirects_are_of_one_call_and_a_loop_of_the_application_makes_several(seen):
    _, db = seen
    rows = requests(db)
    assert rows["/moved"][0][4] == rows["/new"][0][4] != ""
    assert len({r[4] for r in rows["/again"]}) == 3
    assert len({r[4] for target in ("/plain", "/down", "/later", "/around") for r in rows[target]}) == 4


def test_each_test_has_a_result_and_what_fails_in_a_subtest_is_no_failure_of_the_test_around_it(seen):
    done, db = seen
    mod = "example.com/mod/"
    assert results(db) == {
        mod + "app.TestPlain": "passed", mod + "app.TestTable": "passed", mod + "app.TestTable/one_of_two": "passed",
        mod + "app.TestTable/odd_[na]me/1.5$": "passed", mod + "app.TestTable/fails": "failed", mod + "app.TestCalls": "passed",
        mod + "app.TestHTTP2": "passed", mod + "app.TestChain": "failed", mod + "app.TestSkipped": "skipped",
        mod + "panics.TestPanics/within": "failed", mod + "panics.TestPanics": "passed"}, done
    assert done.returncode == 1


def test_a_request_says_which_statement_of_its_test_it_comes_from_whoever_sends_it(seen):
    _, db = seen
    of = {}
    for target, statement in db.execute("select target, statement from exchange where test like '%TestPlain' and phase = 'test'"):
        of.setdefault(target, set()).add(statement)
    assert set(of) == {"/plain", "/later", "/deep", "/grouped", "/patient", "/closed", "/beside", "/itself"}
    assert all(len(one) == 1 and 0 not in one for one in of.values()), of
    assert len(set.union(*of.values())) == len(of), "each by a statement of its own"
    table = "select distinct statement from exchange where test like '%TestTable/o%' and target = '/in'"
    assert len(db.execute(table).fetchall()) == 1, "of the subtest, not of the test that began it"


def chain(db, test):
    return db.execute("select type, message, code, link, in_test, file from thrown join test_result on thrown.run = test_result.run and result = n "
                      "where test = ? order by thrown.rowid", (test,)).fetchall()


def test_a_chain_is_what_the_test_was_told_or_says_itself(seen):
    _, db = seen
    told = chain(db, "example.com/mod/app.TestChain")
    assert [(t[0], t[2], t[3], t[4]) for t in told] == [
        ("*fmt.wrapError", "", "raised", 0), ("*errors.joinError", "", "cause", 0), ("*errors.errorString", "", "member", 0),
        ("*fmt.wrapError", "", "member", 0), ("syscall.Errno", "ECONNRESET", "cause", 0)], told
    assert told[0][1].startswith("not asked: load: the shop is shut")
    assert chain(db, "example.com/mod/app.TestTable/fails") == [("Failed", "got 1, want 2", "", "raised", 1, "app/app_test.go")]
    [panicked] = chain(db, "example.com/mod/panics.TestPanics/within")
    assert "nil pointer dereference" in panicked[1] and panicked[4:] == (1, "panics/app_test.go"), panicked


def run_only(seen, tmp_path, *chosen):
    """(what was said, the events) of these tests, by the overlay that the run has left."""
    out = pathlib.Path(seen[1].execute("pragma database_list").fetchone()[2]).parent
    events, only = tmp_path / "events", tmp_path / "only"
    only.write_text("\n".join(chosen))
    env = {"GOFLAGS": f"-count=1 -overlay={out}/agents/go/overlay.json", "RETRIAL_EVENTS": str(events), "RETRIAL_ONLY": str(only),
           "RETRIAL_NO_TIME_LIMIT": "1", "RETRIAL_SERIAL": "1"}
    ran = subprocess.run(["go", "test", "-timeout=1ns", "./..."], cwd=out.parent, env={**os.environ, **env}, capture_output=True, text=True, timeout=300)
    return ran, [json.loads(line) for line in events.read_text().splitlines()]


def test_a_chosen_test_runs_alone_with_the_test_around_it_and_without_a_time_limit(seen, tmp_path):
    chosen = "example.com/mod/app.TestTable/one_of_two"
    ran, told = run_only(seen, tmp_path, chosen)
    assert {e["id"]: e["outcome"] for e in told if e["ev"] == "result"} == {chosen: "passed", "example.com/mod/app.TestTable": "passed"}, ran
    assert ran.returncode == 0 and "no tests to run" in ran.stdout, ran


def test_a_test_that_is_named_again_is_executed_again_with_subtests_of_the_same_names(seen, tmp_path):
    table, skipped, again = "example.com/mod/app.TestTable", "example.com/mod/app.TestSkipped", ("", " [again 2]", " [again 3]")
    ran, told = run_only(seen, tmp_path, *(f"{table}/one_of_two{nth}" for nth in again), f"{table}/fails [again 3]", f"{skipped} [again 2]")
    assert {e["id"]: e["outcome"] for e in told if e["ev"] == "result"} == {
        **{f"{table}{nth}": "passed" for nth in again}, **{f"{table}/one_of_two{nth}": "passed" for nth in again},
        f"{table}/fails [again 3]": "failed", f"{skipped} [again 2]": "skipped"}, ran
    assert len([e for e in told if e["ev"] == "result"]) == 8


STUB = """package app

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

type ShopClient struct{ on *grpc.ClientConn }

func (c ShopClient) Ask(ctx context.Context, method string) error {
	return c.on.Invoke(ctx, "/shop.Shop/"+method, &emptypb.Empty{}, &emptypb.Empty{})
}

func (c ShopClient) Watch(ctx context.Context, method string) (grpc.ClientStream, error) {
	return c.on.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/shop.Shop/"+method)
}
"""

RPCS = """package app

import (
	"context"
	"net"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
)

var failed, told sync.Map

// Answers any RPC, and those that fail once the second time.
func answer(_ any, stream grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(stream)
	fields, _ := metadata.FromIncomingContext(stream.Context())
	for name := range fields {
		if strings.HasPrefix(name, "x-retrial-") {
			told.Store(method, name)
		}
	}
	if _, again := failed.LoadOrStore(method, true); strings.HasSuffix(method, "Once") && !again {
		return status.Error(codes.Unavailable, "not yet")
	}
	if err := stream.RecvMsg(&emptypb.Empty{}); err != nil {
		return err
	}
	return stream.SendMsg(&emptypb.Empty{})
}

func Serve() (string, func()) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server := grpc.NewServer(grpc.UnknownServiceHandler(answer))
	go server.Serve(listener)
	return listener.Addr().String(), server.Stop
}

const retries = `{"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.01s",
	"maxBackoff": "0.01s", "backoffMultiplier": 1, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`

func Open(address string, options ...grpc.DialOption) ShopClient {
	on, err := grpc.NewClient(address, append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		panic(err)
	}
	return ShopClient{on}
}

func Again(ctx context.Context, method string, in, out any, on *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	invoke(ctx, method, in, out, on, options...)
	return invoke(ctx, method, in, out, on, options...)
}

type App struct{ Shop ShopClient }

func (a *App) Buy(method string) error {
	return a.Shop.Ask(context.Background(), method) // buy
}

func (a *App) Follow(method string) error {
	stream, err := a.Shop.Watch(context.Background(), method) // follow
	if err != nil {
		return err
	}
	stream.SendMsg(&emptypb.Empty{})
	stream.CloseSend()
	return stream.RecvMsg(&emptypb.Empty{})
}

func (a *App) Later(method string) error {
	done := make(chan error)
	go func() { done <- a.Buy(method) }() // later
	return <-done
}
"""

RPC_TESTS = """package app

import (
	"testing"

	"google.golang.org/grpc"
)

func open(t *testing.T, options ...grpc.DialOption) *App {
	address, stop := Serve()
	t.Cleanup(stop)
	return &App{Open(address, options...)}
}

func TestKinds(t *testing.T) {
	app := open(t)
	t.Cleanup(func() { app.Buy("Down") })
	for _, err := range []error{
		app.Buy("Unary"),
		app.Follow("Stream"),
		app.Later("Later"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	app.Buy("Loop")
	app.Buy("Loop")
}

func TestAgain(t *testing.T) {
	open(t, grpc.WithDefaultServiceConfig(retries)).Buy("PolicyOnce")
	open(t, grpc.WithUnaryInterceptor(Again)).Buy("Outer")
	open(t, grpc.WithChainUnaryInterceptor(Again)).Buy("Chained")
}

func TestServerSeesNone(t *testing.T) {
	told.Range(func(method, name any) bool {
		t.Error(method, name)
		return true
	})
}
"""


@pytest.fixture(scope="module")
def rpcs(tmp_path_factory):
    """(what was said, the store) of a run of these, by the modules that the zoo has."""
    cwd, zoo = tmp_path_factory.mktemp("rpcs"), ROOT / "integration/zoo/go"
    own = ("google.golang.org/", "golang.org/x/")
    needs = [line for line in (zoo / "go.mod").read_text().splitlines() if line.startswith(tuple("\t" + o for o in own))]
    (cwd / "app").mkdir()
    for name, text in {"go.mod": "module example.com/mod\n\ngo 1.26.0\n\nrequire (\n" + "\n".join(needs) + "\n)\n", "go.sum": (zoo / "go.sum").read_text(),
                       "app/shop_grpc.pb.go": STUB, "app/app.go": RPCS, "app/app_test.go": RPC_TESTS}.items():
        (cwd / name).write_text(text)
    done = retrial("observe", "--out", cwd / "out", "--", "go", "test", "./...", cwd=cwd)
    return done, sqlite3.connect(cwd / "out/campaign.db")


def rpc_line(mark):
    return next(i for i, text in enumerate(RPCS.splitlines(), 1) if text.endswith(f"// {mark}"))


def test_an_rpc_says_who_called_its_stub_and_for_which_test_and_its_server_sees_nothing_of_it(rpcs):
    done, db = rpcs
    buy, follow = (f"app/app.go:{rpc_line('buy')}", "(*App).Buy"), (f"app/app.go:{rpc_line('follow')}", "(*App).Follow")
    rows = {target.removeprefix("/shop.Shop/"): [(r[0].split(".")[-1], *r[1:4]) for r in told] for target, told in requests(db).items()}
    assert rows == {
        "Unary": [("TestKinds", "test", *buy)], "Stream": [("TestKinds", "test", *follow)], "Later": [("TestKinds", "test", *buy)],
        "Loop": 2 * [("TestKinds", "test", *buy)], "Down": [("TestKinds", "teardown", *buy)],
        **{name: 2 * [("TestAgain", "test", *buy)] for name in ("PolicyOnce", "Outer", "Chained")}}, done
    assert set(results(db).values()) == {"passed"} and done.returncode == 0, done
    later = f"app/app.go:{rpc_line('later')}"
    [callers] = db.execute("select site_callers from exchange where target = '/shop.Shop/Later'").fetchone()
    assert callers == f"{later}:(*App).Later.func1,{later}:(*App).Later"


def test_an_rpc_is_one_call_whether_grpc_or_an_interceptor_sends_it_again_and_a_loop_makes_several(rpcs):
    _, db = rpcs
    calls = {target.removeprefix("/shop.Shop/"): len({r[4] for r in told}) for target, told in requests(db).items()}
    assert calls == {"Unary": 1, "Stream": 1, "Later": 1, "Loop": 2, "Down": 1, "PolicyOnce": 1, "Outer": 1, "Chained": 1}
    version = next(line.split()[1] for line in (ROOT / "integration/zoo/go/go.mod").read_text().splitlines() if line.startswith("\tgoogle.golang.org/grpc "))
    for call, libraries in db.execute("select call_id, libraries from exchange"):
        assert libraries == f"{call.split('-')[1]}:google.golang.org/grpc%20{version[1:]}"


def test_an_rpc_says_which_statement_of_its_test_it_comes_from(rpcs):
    _, db = rpcs
    told = db.execute("select statement from exchange where test like '%TestKinds' and phase = 'test' order by id").fetchall()
    assert len(told) == len(set(told)) == 5 and (0,) not in told, told


def test_what_is_built_beside_a_run_has_nothing_of_ours(rpcs):
    """Go's cache is one for both."""
    _, db = rpcs
    cwd = pathlib.Path(db.execute("pragma database_list").fetchone()[2]).parent.parent
    subprocess.run(["go", "test", "-c", "-o", "plain", "./app"], cwd=cwd, check=True, capture_output=True, timeout=600)
    assert b"retrialFrom" not in (cwd / "plain").read_bytes()
