#pragma once
#include "trace/store/store.h"
#include "trace/stored_fault.h"

// The columns of each table, once: the schema, writing and reading are made of the same list. `Io` is called with a
// name and a value for plain columns; word(name, value, last) for those whose words have one spelling (show), number()
// for those without, shown() for what is written for people only.
namespace retrial::trace::columns {

template <class Io, class T>
void of_fault(Io& io, T& fault) {
  io.shown("fault", show(fault));  // for people; what follows is what is read
  io.number("fault_name", fault.name, last_fault());
  io.number("fault_telling", fault.telling, Telling::error);
  io("fault_status", fault.status);
  io("fault_delay", fault.delay);
  io.number("fault_point", fault.point, Point::answered);
  io.number("fault_spread", fault.spread, Spread::pareto);
  io.number("fault_retry", fault.retry, RetryAfter::date);
  io.number("fault_part", fault.part, Malformed::chunk);
  io("fault_retry_after", fault.retry_after);
  io("fault_base", fault.base);
  io("fault_width", fault.*stored_width(fault.spread));
  io("fault_bytes", fault.*stored_bytes(fault.name));
  io("fault_burst", fault.burst);
  io("fault_code", fault.code);
  io.number("fault_of_message", fault.of_message, OfMessage::corrupt);
  io("fault_nth", fault.nth);
  io("fault_pushback", fault.pushback);
  io("fault_header", fault.header);
}

template <class Io, class T>
void of_exchange(Io& io, T& e) {
  io("id", e.id);
  io("call", e.call);
  io("attempt", e.attempt);
  io.word("confidence", e.confidence, Confidence::certain);
  io("test", e.tag.test);
  io.word("phase", e.tag.phase, Phase::teardown);
  io("site", e.tag.site);
  io("call_id", e.tag.call_id);
  io("service", e.service);
  io("operation", e.operation);
  io("method", e.method);
  io("target", e.target);
  io("service_status", e.service_status);
  io("client_status", e.client_status);
  io.word("ending", e.ending, Ending::client_left);
  io("fired", e.fired);
  of_fault(io, e.fault);
  io("fault_id", e.fault_id);
  io("evidence", e.evidence);
  io("fired_at", e.fired_at);
  io("begun", e.begun);
  io("request_read", e.request_read);
  io("answered", e.answered);
  io("service_done", e.service_done);
  io("told", e.told);
  io("connection", e.connection);
  io("fresh", e.fresh);
  io("pid", e.pid);
  io("host", e.host);
  io("profile", e.profile);
  io("request_headers", e.request_headers);
  io("response_headers", e.response_headers);
  io("request_bytes", e.request_bytes);
  io("response_bytes", e.response_bytes);
  io("request_digest", e.request_digest);
  io("request_sample", e.request_sample);
  io("response_sample", e.response_sample);
  io("stream", e.stream);
  io("trailers", e.trailers);
  io.word("aborted", e.aborted, Exchange::Aborted::by_us);
  io("abort_code", e.abort_code);
  io("refused", e.refused);
  auto& g = e.grpc;
  io("grpc", g.is);
  io("grpc_previous", g.previous);
  io("grpc_timeout", g.timeout);
  io("grpc_requests", g.requests);
  io("grpc_responses", g.responses);
  io("grpc_largest", g.largest);
  io("grpc_streams", g.streams);
  io("grpc_cut", g.cut);
  io("grpc_message", g.message);
  io("grpc_pushback", g.pushback);
  io.late("busy_thread", e.busy.thread);
  io.late("busy_begun", e.busy.begun);
  io.late("busy_told", e.busy.told);
  io.late("stack", e.tag.stack);
  io.late("injected_sample", e.injected_sample);
  io.late("closes", e.closes);
  io.callers("site_callers", e.tag.site);
  io.late("libraries", e.tag.libraries);
  io.late("statement", e.tag.statement);
  io.late("credentials", e.credentials);
  io.late("credentials_given", e.credentials_given);
}

template <class Io, class T>
void of_run(Io& io, T& r) {
  io("id", r.id);
  io.word("kind", r.kind, RunKind::without_fault);
  io("case_id", r.case_id);
  io("tests", r.tests);
  io("began", r.began);
  io("ended", r.ended);
  io("wall_began", r.wall_began);
  io.word("stop", r.stop, Stop::cut_off);
  io("exit_code", r.exit_code);
  io("incomplete", r.incomplete);
  io("listed", r.listed);
  io("broken", r.broken);
  io("agents", r.agents);
  io("compressed", r.compressed);
  io("real_time", r.real_time);
  auto& c = r.capture;
  io("seen", c.seen);
  io("failed", c.failed);
  io("late", c.late);
  io("outside", c.outside);
  io("unix_socket", c.unix_socket);
  io("udp", c.udp);
  io("unreadable", c.unreadable);
  io("tunnels", c.tunnels);
  io("interrupted", c.interrupted);
  io("not_seen", c.not_seen);
  io("left_over", c.left_over);
  io.late("cpu", r.cpu);
  io.late("memory", r.memory);
}

template <class Io, class T>
void of_stage(Io& io, T& s) {
  io("test", s.test);
  io.word("phase", s.phase, Phase::teardown);
  io("pid", s.pid);
  io("starts", s.starts);
  io("at", s.at);
}
template <class Io, class T>
void of_jump(Io& io, T& jump) {
  io("at", jump.at);
  io("by", jump.by);
}
template <class Io, class T>
void of_connection_fault(Io& io, T& c) {
  io("pid", c.pid);
  io("service", c.service);
  of_fault(io, c.fault);
  io("fired", c.fired);
  io("evidence", c.evidence);
  io("at", c.at);
  io("times", c.times);
  io("exchange", c.exchange);
}
template <class Io, class T>
void of_result(Io& io, T& r) {
  io("test", r.test);
  io.word("phase", r.phase, Phase::teardown);
  io("outcome", r.outcome);
  io("ms", r.ms);
}
template <class Io, class T>
void of_thrown(Io& io, T& t) {
  io("type", t.type);
  io("message", t.message);
  io("code", t.code);
  io("link", t.link);
  io("file", t.file);
  io("line", t.line);
  io("function", t.function);
  io("in_test", t.in_test);
  io.late("source", t.source);
}

template <class Io, class T>
void of_finding(Io& io, T& f) {
  io("id", f.id);
  io("verdict", f.verdict);
  io.word("confidence", f.confidence, Confidence::certain);
  io("confirmed", f.confirmed);
  io("accepted", f.accepted);
  io("known", f.known);
  io("note", f.note);
  io("test", f.test);
  io("site", f.site);
  io("service", f.service);
  io("operation", f.operation);
  io("policy", f.policy);
  io("fault", f.fault);
  io("message", f.message);
  io("advice", f.advice);
  io("evidence", f.evidence);
  io("run", f.run);
  io("reference", f.reference);
  io("attempts", f.attempts);
  io("gaps_ms", f.gaps_ms);
  io.callers("site_callers", f.site);
  io.late("retried_by", f.retried_by);
  io.late("sdk", f.sdk);
  io.late("raised_at", f.raised_at);
}
template <class Io, class T>
void of_judged(Io& io, T& j) {
  io("test", j.test);
  io("site", j.site);
  io("service", j.service);
  io("operation", j.operation);
  io("policy", j.policy);
  io("fault", j.fault);
  io("why", j.why);
  io.callers("site_callers", j.site);
}
template <class Io, class T>
void of_case(Io& io, T& c) {
  io("id", c.id);
  io("policy", c.policy);
  io("plan", c.plan);
  io("test", c.test);
  io("site", c.site);
  io("service", c.service);
  io("operation", c.operation);
  io("occurrence", c.occurrence);
  io("outcome", c.outcome);
  io("why", c.why);
  io("runs", c.runs);
  io("reference", c.reference);
  io.callers("site_callers", c.site);
  io.late("execution", c.execution);
  io.late("followed_by", c.followed_by);
  io.late("hands_on_errors", c.hands_on_errors);
  io.late("guards", c.guards);
  io.late("compensated_step", c.compensation.step);
  io.late("compensated_by", c.compensation.by);
  io.late("compensated_at", c.compensation.at);
  io.late("compensated_after_error", c.compensation.after_error);
  io.late("compensated_seen", c.compensation.seen);
}
template <class Io, class T>
void of_service(Io& io, T& s) {
  io("address", s.address);
  io("name", s.name);
  io("profile", s.profile);
  io("exchanges", s.exchanges);
}
template <class Io, class T>
void of_retry(Io& io, T& at) {
  io("file", at.file);
  io("line", at.line);
  io("function", at.function);
  io("what", at.what);
  io("bound", at.bound);
  io("wait", at.wait);
  io("verdicts", at.verdicts);
  io("ids", at.ids);
  io("state", at.state);
  io("text", at.text);
}
// One row each of campaign (key, value).
template <class Io, class T>
void of_campaign(Io& io, T& c) {
  io("command", c.command);
  io("runner", c.runner);
  io("directory", c.directory);
  io("wall_began", c.wall_began);
  io("took", c.took);
  io("overhead", c.overhead);
  io("capture", c.capture);
  io("hold", c.hold);
  io("left_alone", c.left_alone);
  io("remarks", c.remarks);
  io("incomplete", c.incomplete);
  io.late("plan", c.plan);
  io.late("shard", c.shard);
  io.late("folder", c.folder);
  io.late("options", c.options);
}

}  // namespace retrial::trace::columns
