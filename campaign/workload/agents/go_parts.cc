// Where the toolchain's own sources are edited. Each place stands exactly once in those of Go 1.26.
#include "campaign/workload/agents/go_overlay.h"

namespace retrial::campaign {
namespace {

constexpr GoEdit kClock[] = {
    {"runtime/time_nofake.go", "\treturn nanotime1()\n", "\treturn nanotime1() + retrialAhead()\n"},
    {"runtime/netpoll_epoll.go", "func netpoll(delay int64) (gList, int32) {",
     "func retrialNetpoll(delay int64) (gList, int32) {"},
    {"runtime/os_linux.go", "\tgoenvs_unix()\n}", "\tgoenvs_unix()\n\tretrialStart()\n}"},
};
// time.now, which is assembly of its own on linux/amd64, and has to be in one piece there.
constexpr GoEdit kClockAmd64[] = {
    {"runtime/time_linux_amd64.s", "TEXT time·now<ABIInternal>(SB)", "TEXT runtime·retrialRealNow<ABIInternal>(SB)"},
    {"runtime/timeasm.go", "func time_now() (sec int64, nsec int32, mono int64)\n",
     "func time_now() (sec int64, nsec int32, mono int64) {\n\tsec, nsec, mono = retrialRealNow()\n\tsec, nsec = "
     "retrialMoved(sec, nsec)\n\treturn sec, nsec, mono + retrialAhead()\n}\n\n"
     "func retrialRealNow() (sec int64, nsec int32, mono int64)\n"},
};
constexpr GoEdit kClockOthers[] = {
    {"runtime/timestub.go", "\tsec, nsec = walltime()\n", "\tsec, nsec = retrialMoved(walltime())\n"}};

constexpr std::string_view kTesting = "testing/testing.go", kTransport = "net/http/transport.go";

constexpr GoEdit kAgent[] = {
    // What a goroutine works for, its children work for too.
    {"runtime/runtime2.go", "\tlabels          unsafe.Pointer // profiler labels\n",
     "\tlabels          unsafe.Pointer // profiler labels\n\tretrial unsafe.Pointer\n\tretrialEntry, retrialRun "
     "uint64\n"
     "\tretrialMade, retrialLast, retrialWaited, retrialBefore uintptr\n\tretrialShared int\n\tretrialParent, "
     "retrialStrand uint64\n"},
    {"runtime/proc.go", "\tnewg.startpc = fn.fn\n",
     "\tnewg.startpc = fn.fn\n\tnewg.retrial, newg.retrialEntry, newg.retrialRun = callergp.retrial, 0, 0\n"
     "\tnewg.retrialMade, newg.retrialLast, newg.retrialWaited, newg.retrialBefore = 0, 0, 0, 0\n"
     "\tnewg.retrialParent, newg.retrialStrand = callergp.retrialParent, callergp.retrialStrand\n"},
    // Where it was made, and where it waits between its requests.
    {"runtime/proc.go",
     "\tpc := sys.GetCallerPC()\n\tsystemstack(func() {\n\t\tnewg := newproc1(fn, gp, pc, false, waitReasonZero)\n",
     "\tpc := sys.GetCallerPC()\n\tmade, strand := retrialMakes()\n\tsystemstack(func() {\n"
     "\t\tnewg := newproc1(fn, gp, pc, false, waitReasonZero)\n\t\tnewg.retrialMade = made\n"
     "\t\tnewg.retrialParent, newg.retrialStrand = gp.retrialStrand, strand\n"},
    {"runtime/proc.go", "\tif reason != waitReasonSleep {\n\t\tcheckTimeouts()",
     "\tretrialWaits(reason)\n\tif reason != waitReasonSleep {\n\t\tcheckTimeouts()"},
    {"runtime/proc.go", "\tgp.labels = nil\n", "\tgp.labels = nil\n\tgp.retrial = nil\n"},

    {kTesting, "type common struct {\n", "type common struct {\n\tretrial retrialTest\n"},
    {kTesting, "func (c *common) Fail() {\n\tif c.parent != nil {\n\t\tc.parent.Fail()\n\t}\n",
     "func (c *common) Fail() {\n\tif c.parent != nil {\n\t\tc.parent.Fail()\n\t}\n\tc.retrialFails()\n"},
    {kTesting, "\tc.checkFuzzFn(\"Error\")\n", "\tc.checkFuzzFn(\"Error\")\n\tc.retrialSays(\"\", args)\n"},
    {kTesting, "\tc.checkFuzzFn(\"Errorf\")\n", "\tc.checkFuzzFn(\"Errorf\")\n\tc.retrialSays(format, args)\n"},
    {kTesting, "\tc.checkFuzzFn(\"Fatal\")\n", "\tc.checkFuzzFn(\"Fatal\")\n\tc.retrialSays(\"\", args)\n"},
    {kTesting, "\tc.checkFuzzFn(\"Fatalf\")\n", "\tc.checkFuzzFn(\"Fatalf\")\n\tc.retrialSays(format, args)\n"},
    {kTesting, "\tc.cleanupStarted.Store(true)\n", "\tc.cleanupStarted.Store(true)\n\tc.retrialTearDown()\n"},
    {kTesting, "\tt.signal <- true   // Release calling test.\n",
     "\tt.retrialGoOn(0)\n\tt.signal <- true   // Release calling test.\n"},
    {kTesting, "\tparallelStart.Add(1)\n", "\tparallelStart.Add(1)\n\tt.retrialGoOn(1)\n"},
    {kTesting, "\tt.runner = callerName(0)\n", "\tt.runner = callerName(0)\n\tt.retrialGoOn(1)\n"},
    {kTesting, "\t\tdoPanic := func(err any) {\n", "\t\tdoPanic := func(err any) {\n\t\t\tt.retrialPanics(err)\n"},
    {kTesting, "\t\tt.report() // Report after all subtests have finished.\n",
     "\t\tt.retrialEnd()\n\t\tt.report() // Report after all subtests have finished.\n"},
    {kTesting, "t.tstate.match.fullName(&t.common, name)\n\tif !ok || shouldFailFast() {\n",
     "t.retrialMatcher().fullName(&t.common, name)\n\tif !ok || !t.retrialChooses(testName) || shouldFailFast() {\n"},
    {kTesting, "\treturn &M{\n\t\tdeps:        deps,\n",
     "\tretrialStart(deps)\n\treturn &M{\n\t\tdeps:        deps,\n"},
    {kTesting, "\tif *parallel < 1 {\n", "\tm.retrialSettle()\n\tif *parallel < 1 {\n"},

    {"net/http/client.go", "func (c *Client) do(req *Request) (retres *Response, reterr error) {\n",
     "func (c *Client) do(req *Request) (retres *Response, reterr error) {\n\tdefer retrialLeave(retrialEnter())\n"},
    {kTransport, "\t// If it's non-nil, the rest of the fields are unused.\n\talt RoundTripper\n",
     "\t// If it's non-nil, the rest of the fields are unused.\n\talt RoundTripper\n\tretrial bool\n"},
    {kTransport, "alt: alt}, nil\n\t}\n\n\tif s := pconn",
     "alt: alt, retrial: retrialReads(pconn)}, nil\n\t}\n\n\tif s := pconn"},
    {kTransport, "alt: alt}, nil\n\t\t}\n", "alt: alt, retrial: retrialReads(pconn)}, nil\n\t\t}\n"},
    {kTransport, "pconn.alt.RoundTrip(req)", "pconn.alt.RoundTrip(pconn.retrialTagged(req))"},
    {kTransport, "\t\t\tresp, err = pconn.roundTrip(treq)\n",
     "\t\t\tpconn.retrialTag(treq)\n\t\t\tresp, err = pconn.roundTrip(treq)\n"},
};

}  // namespace

GoPart go_clock(std::string_view architecture) {
  GoPart part{"the clock of Go programs is not moved",
              {std::begin(kClock), std::end(kClock)},
              {{"runtime/retrial_time.go", "retrial_time.go.txt"}}};
  if (architecture == "amd64")
    part.edits.insert(part.edits.end(), std::begin(kClockAmd64), std::end(kClockAmd64));
  else
    part.edits.insert(part.edits.end(), std::begin(kClockOthers), std::end(kClockOthers));
  return part;
}

GoPart go_tests_and_calls() {
  return {"Go programs tell neither of their tests nor where a request comes from",
          {std::begin(kAgent), std::end(kAgent)},
          {{"runtime/retrial_stage.go", "retrial_stage.go.txt"},
           {"testing/retrial_testing.go", "runners/testing.go.txt"},
           {"net/http/retrial_http.go", "retrial_http.go.txt"}}};
}

}  // namespace retrial::campaign
