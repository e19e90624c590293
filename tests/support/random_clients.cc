#include "tests/support/random_clients.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "trace/calls/operation.h"
#include "trace/fault_name.h"
#include "trace/profiles/profile.h"

namespace retrial::trace {

// One call on its way, attempt after attempt.
struct RandomRun::Sending {
  Request request;
  Style style;
  Done done;
  std::int32_t pid = 0;
  std::string id, call_id;
  int of_layer = 0, layer = 1;  // attempts of this entry into the library; entries
  bool resent = false;          // this attempt is the transport's own repeat
  std::int64_t last = -1;       // exchange
  bool leg = false;
};

RandomRun::Style RandomRun::any_style() {
  Style s;
  s.site = chance(0.4);
  s.call_id = s.site && chance(0.6);
  s.id = static_cast<Id>(chance(0.5) ? 0 : any(1, 4));
  s.counter = chance(0.7) ? Counter::none : static_cast<Counter>(any(1, 2));
  s.reuses = chance(0.6);
  s.resends = chance(0.1);
  s.wait = static_cast<Wait>(any(0, 5));
  s.base = std::array{5 * kMillisecond, 100 * kMillisecond, kSecond}[static_cast<std::size_t>(any(0, 2))];
  s.cap = chance(0.2) ? 1 : static_cast<int>(any(2, 6));
  s.layers = chance(0.85) ? 1 : static_cast<int>(any(2, 3));
  s.on_status = chance(0.85);
  s.on_loss = chance(0.85) || !s.on_status;
  s.stamps = chance(0.1);
  return s;
}

RandomRun::RandomRun(std::uint64_t seed) : random_(seed) {
  style_ = any_style();
  lost_ = std::array{0.0, 0.3, 1.0}[static_cast<std::size_t>(any(0, 2))];
  auto what = static_cast<std::size_t>(any(0, 9));
  if (chance(0.4)) {  // the same without faults goes before
    correlator_ = std::make_unique<Correlator>();
    play(what);
    lessons = lessons_of(run);
    run = {};
    truth.clear();
    idle_.clear();
    now_ = kSecond;
  }
  correlator_ = std::make_unique<Correlator>(lessons);
  trouble_ = static_cast<Trouble>(any(1, 3));
  failures_ = chance(0.3) ? 0 : static_cast<int>(any(1, 4));
  failing_ = trouble_ == Trouble::some_calls    ? std::array{0.05, 0.2}[static_cast<std::size_t>(any(0, 1))]
             : trouble_ == Trouble::any_attempt ? std::array{0.02, 0.1, 0.3, 0.6}[static_cast<std::size_t>(any(0, 3))]
                                                : 1;
  play(what);
}

bool RandomRun::fails(const Exchange& e) {
  if (trouble_ == Trouble::none) return false;
  if (trouble_ == Trouble::any_attempt) return chance(failing_);
  if (e.attempt == 1 && chance(failing_)) struck_.insert(e.call);
  return struck_.contains(e.call) && (failures_ == 0 || e.attempt <= failures_);
}

Nanos RandomRun::delay(const Sending& s) {
  auto n = s.of_layer - 1;  // retries before this one
  auto ladder = s.style.base << std::min(n, 8);
  switch (s.style.wait) {
    case Wait::none:
      return any(0, 400'000);
    case Wait::fixed:
      return s.style.base + any(0, kMillisecond);
    case Wait::exponential:
      return ladder + any(0, kMillisecond);
    case Wait::some_jitter:
      return ladder * any(75, 125) / 100;
    case Wait::full_jitter:
      return any(0, ladder);
    case Wait::first_at_once:
      return n == 0 ? any(0, kMillisecond) : ladder;
  }
  return 0;
}

// A pool gives out what was used last.
std::uint64_t RandomRun::connection() {
  if (idle_.empty()) return ++connections_;
  auto last = idle_.back();
  idle_.pop_back();
  return last;
}

void RandomRun::call(const Request& request, Done done) {
  auto s = std::make_shared<Sending>();
  s->request = request;
  s->style = style_;
  s->done = std::move(done);
  s->pid = pid_;
  s->id = fmt::format("id-{}", ++ids_);
  s->call_id = fmt::format("{}-{}", pid_, ++call_ids_);
  attempt(s);
}

void RandomRun::attempt(std::shared_ptr<Sending> s) {
  auto& r = s->request;
  auto& style = s->style;
  if (!s->resent && !s->leg) s->of_layer++;
  Exchange e;
  e.id = run.exchanges.size() + 1;
  e.fresh = s->resent || !style.reuses || idle_.empty();
  e.connection = e.fresh ? ++connections_ : connection();
  e.pid = s->pid;
  e.service = r.service;
  e.host = r.host;
  e.method = r.method;
  e.target = r.target;
  auto body = r.body;
  if (style.stamps && !body.empty())
    body += fmt::format(R"({{"timestamp":{:013}}})", 1763770479123 + now_ / kMillisecond);
  e.request_headers = {{"Host", r.host}, {"User-Agent", "client/1"}};
  for (auto& h : r.headers) e.request_headers.push_back(h);
  if (!body.empty()) e.request_headers.push_back({"Content-Length", std::to_string(body.size())});
  if (style.id == Id::key_of_writes ? r.method == "POST" : style.id != Id::none) {
    auto value = style.id == Id::changed ? fmt::format("id-{}", ++ids_) : style.id == Id::session ? "session" : s->id;
    e.request_headers.push_back({style.id == Id::key_of_writes ? "Idempotency-Key" : "x-ms-client-request-id", value});
  }
  if (style.counter == Counter::aws)
    e.request_headers.push_back({"amz-sdk-request", fmt::format("attempt={}; max={}", s->of_layer, style.cap)});
  if (style.counter == Counter::stainless)
    e.request_headers.push_back({"x-stainless-retry-count", std::to_string(s->of_layer - 1)});
  if (style.site) e.tag.site = CallSite{"app.py", 10 + r.site, "f"};
  if (style.call_id) e.tag.call_id = s->call_id;
  e.request_sample = body.substr(0, kSampleBytes);
  e.request_bytes = body.size();
  e.request_digest = body.empty() ? 0 : fnv1a(body);
  e.profile = "generic";
  e.operation = lessons.operation(e);
  e.begun = e.request_read = now_;
  auto assigned = correlator_->at_head(e);
  e.call = assigned.call;
  e.attempt = assigned.attempt;
  e.confidence = assigned.confidence;
  truth.push_back({s->last, s->leg});
  s->last = static_cast<std::int64_t>(run.exchanges.size());
  s->leg = false;
  run.exchanges.push_back(std::move(e));
  auto index = run.exchanges.size() - 1;
  at(now_ + around(r.latency), [this, index, s] { end(index, s); });
}

void RandomRun::end(std::size_t index, std::shared_ptr<Sending> s) {
  auto& e = run.exchanges[index];
  e.told = e.answered = now_;
  bool failed = fails(e);
  bool lost = failed && chance(lost_);
  if (lost) {
    e.ending = chance(0.8) ? Ending::reset : Ending::client_left;
    e.answered = chance(0.3) ? now_ : 0;
    e.fired = true;
    e.fault = {.name = FaultName::reset};
  } else {
    e.ending = Ending::answered;
    e.client_status = failed ? std::array{503, 500, 429, 502}[static_cast<std::size_t>(any(0, 3))] : 200;
    e.fired = failed && chance(0.7);
    if (e.fired) e.fault = {.name = FaultName::error, .status = e.client_status};
    if (!e.fired) e.service_status = e.client_status;
    if (s->style.reuses) idle_.push_back(e.connection);
    if (!failed && s->request.target.starts_with("/moved/")) {
      e.client_status = e.service_status = 307;
      e.response_headers = {{"Location", "/at" + s->request.target}};
    }
  }
  correlator_->over(e);
  go_on(index, s, !failed);
}

void RandomRun::go_on(std::size_t index, const std::shared_ptr<Sending>& s, bool success) {
  auto& e = run.exchanges[index];
  auto& style = s->style;
  bool lost = e.ending != Ending::answered;
  if (e.client_status == 307) {
    s->leg = true;
    s->request.target = "/at" + s->request.target;
    at(now_ + any(0, kMillisecond), [this, s] { attempt(s); });
    return;
  }
  if (s->request.target.starts_with("/at/")) s->request.target.erase(0, 3);  // a retry begins where the call did
  if (success) {
    at(now_, [s] { s->done(true); });
    return;
  }
  if (style.resends && e.ending == Ending::reset && !s->resent) {
    s->resent = true;
    at(now_ + any(100'000, 2 * kMillisecond), [this, s] { attempt(s); });
    return;
  }
  s->resent = false;
  if (lost ? style.on_loss : style.on_status) {
    if (s->request.failover)
      s->request.service = s->request.host =
          s->request.service == "127.0.0.1:8001" ? "127.0.0.1:8002" : "127.0.0.1:8001";
    if (s->of_layer < style.cap) {
      at(now_ + delay(*s), [this, s] { attempt(s); });
      return;
    }
  }
  if (s->layer < style.layers) {
    s->layer++;
    s->of_layer = 0;
    s->id = fmt::format("id-{}", ++ids_);
    s->call_id = fmt::format("{}-{}", s->pid, ++call_ids_);
    at(now_ + any(0, 2 * kSecond), [this, s] { attempt(s); });
    return;
  }
  at(now_, [s] { s->done(false); });
}

// A loop over items goes on after one has failed. What parts them: target (0), body of one length (1) or of any (2),
// part of an upload (3), of a download (4); nothing at all (5).
void RandomRun::items(int left, int worker, int kind) {
  if (left == 0) return;
  Request r;
  r.site = kind;
  auto item = worker * 1000 + left;
  switch (kind) {
    case 0:
      r.target = fmt::format("/items/{}", item);
      break;
    case 1:
      r = {.method = "POST", .target = "/items", .body = fmt::format(R"({{"item":{:06}}})", item), .site = kind};
      break;
    case 2:
      r = {.method = "POST",
           .target = "/items",
           .body = fmt::format(R"({{"item":"{:0{}}"}})", item, any(4, 60)),
           .site = kind};
      break;
    case 3:
      r = {.method = "PUT",
           .target = fmt::format("/blob?comp=block&blockid={:06}", item),
           .body = "0123456789",
           .site = kind};
      break;
    case 4:
      r.target = "/blob";
      r.headers = {{"Range", fmt::format("bytes={}-{}", item * 100, item * 100 + 99)}};
      break;
    case 5:
      r = {.method = chance(0.5) ? "GET" : "POST", .target = "/same", .site = kind};
      if (r.method == "POST") r.body = "{}";
      break;
  }
  call(r, [=, this](bool) { at(now_ + any(0, 3 * kMillisecond), [=, this] { items(left - 1, worker, kind); }); });
}

// Looks again after a while, whatever came.
void RandomRun::poll(int left, Nanos interval, const Request& request) {
  if (left == 0) return;
  call(request, [=, this](bool) { at(now_ + around(interval), [=, this] { poll(left - 1, interval, request); }); });
}

// A user who presses the button again when it has failed, some day; or once more because it was right.
void RandomRun::repeat(int left, const Request& request) {
  if (left == 0) return;
  call(request, [=, this](bool success) {
    if (!success && !chance(0.5)) return;
    at(now_ + any(kSecond, 20 * kSecond), [=, this] { repeat(left - 1, request); });
  });
}

void RandomRun::play(std::size_t what) {
  // Of a poll that always fails nobody can say that it is no retry.
  static constexpr std::array kWorkloads = {
      "one call a process", "loop over items", "workers over items", "identical in parallel", "polls", "user repeats",
      "application",        "redirects",       "two ports",          "services of one host"};
  workload = kWorkloads[what];
  pid_ = 100;
  Request write{.method = "POST", .target = "/orders", .body = R"({"order":1})", .site = 20};
  switch (what) {
    case 0:
      for (int i = 0; i < 12; i++)
        at(kSecond + any(0, 2 * kSecond), [=, this] {
          pid_ = 100 + i;
          call(i % 2 ? write : Request{.target = "/orders/1", .site = 21}, [](bool) {});
        });
      break;
    case 1:
      items(static_cast<int>(any(5, 40)), 1, static_cast<int>(any(0, 4)));
      break;
    case 2: {
      auto kind = static_cast<int>(any(0, 4));
      for (int worker = static_cast<int>(any(2, 8)); worker > 0; worker--)
        items(static_cast<int>(any(3, 20)), worker, kind);
      break;
    }
    case 3:
      for (int worker = static_cast<int>(any(2, 8)); worker > 0; worker--)
        at(kSecond + (chance(0.5) ? 0 : any(0, kSecond)), [=, this] { items(static_cast<int>(any(1, 3)), 0, 5); });
      break;
    case 4:
      failures_ = std::max(failures_, 1);
      poll(static_cast<int>(any(5, 40)), any(20, 2000) * kMillisecond, {.target = "/jobs/7", .site = 22});
      if (chance(0.3)) items(10, 1, 0);
      break;
    case 5:
      for (int i = 0; i < 5; i++)
        repeat(4, i % 2 ? write : Request{.target = fmt::format("/orders/{}", i), .site = 23});
      break;
    case 6:  // five requests under way at most, of twenty kinds, again and again
      for (int i = 0; i < 40; i++)
        at(kSecond + any(0, 8 * kSecond), [=, this] {
          auto n = any(0, 19);
          auto r = n < 12 ? Request{.target = fmt::format("/things/{}", n), .site = static_cast<int>(n)} : write;
          if (n >= 16) r.body = fmt::format(R"({{"order":{}}})", n);
          call(r, [](bool) {});
        });
      break;
    case 7:
      for (int i = 0; i < 8; i++)
        at(kSecond + any(0, 2 * kSecond), [=, this] {
          call({.method = "PUT", .target = fmt::format("/moved/{}", i), .body = "{}", .site = 24}, [](bool) {});
        });
      break;
    case 8:
      for (int i = 0; i < 8; i++)
        at(kSecond + any(0, 20 * kSecond), [=, this] {
          call({.target = fmt::format("/index/{}", i),
                .service = "127.0.0.1:8001",
                .host = "127.0.0.1:8001",
                .site = 25,
                .failover = true},
               [](bool) {});
        });
      break;
    case 9:  // each is asked the same, once
      for (int port = 8001; port < 8005; port++)
        at(kSecond + any(0, 3 * kSecond), [=, this] {
          auto where = fmt::format("127.0.0.1:{}", port);
          call({.target = chance(0.7) ? "/health" : "/api/config", .service = where, .host = where, .site = 26},
               [](bool) {});
        });
      break;
  }
  while (!events_.empty() && run.exchanges.size() < 2000) {
    auto event = events_.top();
    events_.pop();
    now_ = event.when;
    event.what();
  }
  events_ = {};
}

}  // namespace retrial::trace
