#include "campaign/workload/events.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "campaign/workload/test_source.h"
#include "trace/recording/redact.h"

namespace retrial::campaign {
namespace {

using Json = nlohmann::json;

std::string text(const Json& object, const char* key) {
  auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string{};
}
template <class T>
T number(const Json& object, const char* key) {
  auto it = object.find(key);
  return it != object.end() && it->is_number() ? it->get<T>() : T{};
}

constexpr std::size_t kMostTroubles = 8;  // of agents that are told of
constexpr std::size_t kMostBehind = 64;   // of one test

trace::Thrown thrown(const Json& e) {
  trace::Thrown t{text(e, "type"), trace::redacted(text(e, "msg")), text(e, "code"),    text(e, "link"),
                  text(e, "file"), number<int>(e, "line"),          text(e, "function")};
  if (auto it = e.find("in_test"); it != e.end() && it->is_boolean()) t.in_test = it->get<bool>();
  if (t.in_test) t.source = lines_up_to(t.file, t.line);
  if (auto it = e.find("code"); it != e.end() && it->is_number_integer()) t.code = std::to_string(it->get<long>());
  return t;
}

std::vector<trace::Thrown> chain_of(const Json& event) {
  std::vector<trace::Thrown> chain;
  if (auto it = event.find("chain"); it != event.end() && it->is_array())
    for (auto& t : *it)
      if (t.is_object()) chain.push_back(thrown(t));
  return chain;
}

}  // namespace

Events::~Events() {
  if (fd_ >= 0) close(fd_);
}

void Events::read_into(trace::Run& run) {
  if (fd_ < 0) fd_ = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) return;
  char buffer[16384];
  for (ssize_t n; (n = read(fd_, buffer, sizeof buffer)) > 0;) rest_.append(buffer, static_cast<std::size_t>(n));
  std::size_t from = 0;
  for (std::size_t end; (end = rest_.find('\n', from)) != rest_.npos; from = end + 1)
    take(std::string_view(rest_).substr(from, end - from), run);
  rest_.erase(0, from);
}

void Events::take(std::string_view line, trace::Run& run) {
  auto e = Json::parse(line, nullptr, false);
  if (!e.is_object()) return;
  auto kind = text(e, "ev");
  auto pid = number<std::int32_t>(e, "pid");
  auto test = text(e, "id");
  auto phase = trace::phase_of(text(e, "phase"));
  if (kind == "start" || kind == "end") {
    run.stages.push_back({test, phase, pid, kind == "start", now_ ? now_() : 0});
    auto& open = open_[pid];
    if (kind == "start") {
      open.push_back({{test, phase}, number<double>(e, "at")});
      latest_ = pid;
    } else {
      auto it = std::find_if(open.rbegin(), open.rend(), [&](auto& c) { return c.test == test && c.phase == phase; });
      if (it == open.rend()) return;
      if (it->at > 0 && phase != trace::Phase::shared) add_time(test, number<double>(e, "at") - it->at, run);
      open.erase(std::next(it).base());
    }
  } else if (kind == "result") {
    trace::TestResult r{test, phase, text(e, "outcome"), number<double>(e, "ms"), chain_of(e)};
    if (auto it = took_.find(test); it != took_.end()) r.ms = it->second;
    if (auto behind = behind_.extract(test)) std::ranges::move(behind.mapped(), std::back_inserter(r.chain));
    run.results.push_back(std::move(r));
  } else if (kind == trace::kExpected || kind == trace::kUnheard) {
    auto& all = behind_[test];
    auto chain = chain_of(e);
    if (chain.empty() || all.size() + chain.size() > kMostBehind) return;
    chain.front().link = kind;
    std::ranges::move(chain, std::back_inserter(all));
  } else if (kind == "uncaught") {
    uncaught_ = chain_of(e);
  } else if (kind == "listed") {
    run.listed.push_back(test);
  } else if (kind == "broken") {
    run.broken.push_back(text(e, "file") + ": " + trace::redacted(text(e, "msg")));
  } else if (kind == "application") {
    installed_.insert(text(e, "package"));
  } else if (kind == "serial") {
    made_serial_.insert(trace::redacted(text(e, "what")));
  } else if (kind == "agent") {
    auto language = text(e, "language");
    if (auto runner = text(e, "runner"); !runner.empty()) runners_.insert(runner);
    if (auto error = text(e, "error"); !error.empty() && troubles_.size() < kMostTroubles)
      troubles_.insert(language + ": " + trace::redacted(error));
    if (std::find(run.agents.begin(), run.agents.end(), language) == run.agents.end()) run.agents.push_back(language);
  }
}

// A result comes when its test is done, and before it is torn down.
void Events::add_time(const std::string& test, double ms, trace::Run& run) {
  auto& all = took_[test] += ms;
  auto result = std::find_if(run.results.rbegin(), run.results.rend(), [&](auto& r) { return r.test == test; });
  if (result != run.results.rend()) result->ms = all;
}

bool Events::open() const {
  return std::ranges::any_of(open_, [](auto& process) { return !process.second.empty(); });
}

Events::Current Events::current(std::int32_t pid) const {
  for (auto of : {pid, latest_})
    if (auto it = open_.find(of); it != open_.end() && !it->second.empty()) return it->second.back();
  return {};
}

}  // namespace retrial::campaign
