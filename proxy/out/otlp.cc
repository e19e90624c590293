#include "proxy/out/otlp.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>

#include "base/text.h"
#include "proxy/codec/protobuf.h"
#include "proxy/out/span.h"

namespace retrial::proxy {
namespace {

// collector/trace/v1, trace/v1, common/v1 and resource/v1; those of logs are the same.
namespace request_field {
constexpr std::uint32_t of_resource = 1;                 // of the request
constexpr std::uint32_t resource = 1, of_scope = 2;      // of ResourceSpans
constexpr std::uint32_t scope = 1, record = 2;           // of ScopeSpans
constexpr std::uint32_t scope_name = 1;                  // of InstrumentationScope
constexpr std::uint32_t attributes = 1;                  // of Resource
constexpr std::uint32_t partial = 1;                     // of the response
constexpr std::uint32_t rejected = 1, rejected_why = 2;  // of a partial success
}  // namespace request_field

struct Rejected {
  std::uint64_t count = 0;
  std::string why;
};
// Of an answer of status 200: what the receiver did not take all the same.
Rejected rejected_by(std::string_view body) {
  Rejected out;
  auto partial = proto_bytes(body, request_field::partial);
  out.count = proto_number(partial, request_field::rejected);
  out.why = proto_bytes(partial, request_field::rejected_why);
  return out;
}

// Of an answer that is an error, what a google.rpc.Status says, or its text.
std::string words_of(std::string_view body) {
  constexpr std::uint32_t kMessage = 2;
  std::string words(body.substr(0, 200));
  ProtoReader status(body);
  std::string_view message;
  for (ProtoField f; status.next(f);)
    if (f.holds(kMessage)) message = f.bytes;
  if (!status.broken() && !message.empty()) words = message.substr(0, 200);
  for (auto& c : words)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return words;
}

}  // namespace

std::string otlp_resource(std::string_view service, std::uint64_t id) {
  std::string attributes, out;
  write_attribute(attributes, request_field::attributes, "service.name", service);
  write_attribute(attributes, request_field::attributes, "service.instance.id", hex(id, 16));
  Protobuf(out).bytes(request_field::resource, attributes);
  return out;
}

std::string otlp_export(std::string_view resource, std::string_view records) {
  constexpr std::string_view kScope = "retrial";
  auto scope_size = 1 + Protobuf::size_of(kScope.size()) + kScope.size();
  auto scoped = 1 + Protobuf::size_of(scope_size) + scope_size + records.size();
  std::string out;
  out.reserve(records.size() + resource.size() + 64);
  Protobuf to(out);
  to.length(request_field::of_resource, resource.size() + 1 + Protobuf::size_of(scoped) + scoped);
  out += resource;
  to.length(request_field::of_scope, scoped);
  to.length(request_field::scope, scope_size);
  to.bytes(request_field::scope_name, kScope);
  out += records;
  return out;
}

OtlpExporter::OtlpExporter(Options options, Log& log)
    : options_(std::move(options)),
      client_({.at = options_.at,
               .token = {},
               .ca = {},
               .timeout = options_.timeout,
               .content_type = "application/x-protobuf"}),
      log_(log),
      resource_(otlp_resource(options_.service, options_.id)) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "retrial-otlp");
    run();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

OtlpExporter::~OtlpExporter() {
  {
    std::unique_lock lock(mutex_);
    ending_ = true;
    more_.notify_one();
    if (!end_.wait_for(lock, std::chrono::nanoseconds(kLast), [&] { return ended_; })) client_.give_up();
  }
  thread_.join();
}

void OtlpRecords::finish(std::size_t begin) {
  auto size = bytes.size() - begin - kBefore;
  std::string before;
  Protobuf(before).length(request_field::record, size);
  bytes.replace(begin, kBefore, before);  // of the same size, mostly
}

void OtlpExporter::add(OtlpRecords& records) {
  bool wakes = false;
  {
    std::lock_guard lock(mutex_);
    if (waiting_ + records.count > options_.most_waiting) {
      dropped_ += records.count;
    } else {
      wakes = options_.linger != 0 && filling_.count == 0;
      waiting_ += records.count;
      if (filling_.count == 0) {
        std::swap(filling_, records);
      } else {
        filling_.bytes += records.bytes;
        filling_.count += records.count;
      }
      if (fill_a_batch(filling_)) {
        ready_.push_back(std::exchange(filling_, {std::exchange(spare_, {}), 0}));
        wakes = true;
      }
    }
  }
  records.bytes.clear();
  records.count = 0;
  if (wakes) more_.notify_one();
}

void OtlpExporter::flush() {
  {
    std::lock_guard lock(mutex_);
    if (filling_.count == 0) return;
    ready_.push_back(std::exchange(filling_, {std::exchange(spare_, {}), 0}));
  }
  more_.notify_one();
}

// True: they were taken, all but those that it told us it did not.
bool OtlpExporter::send(const OtlpRecords& batch) {
  auto answer = client_.ask("POST", options_.path, otlp_export(resource_, batch.bytes));
  auto warn = [&](const std::string& why) {
    log_.say(Log::Level::warning, fmt::format("{} were not taken by {}: {}", options_.what, options_.at.show(), why));
  };
  if (!answer || answer->status / 100 != 2) {
    dropped_ += batch.count;
    warn(answer ? fmt::format("it answered {}: {}", answer->status, words_of(answer->body)) : answer.error().line());
    return false;
  }
  auto rejected = rejected_by(answer->body);
  rejected.count = std::min<std::uint64_t>(rejected.count, batch.count);
  sent_ += batch.count - rejected.count;
  dropped_ += rejected.count;
  if (rejected.count) warn(fmt::format("{} of {}: {}", rejected.count, batch.count, rejected.why.substr(0, 200)));
  return true;
}

void OtlpExporter::run() {
  OtlpRecords batch;
  for (bool last = false; !last;) {
    {
      std::unique_lock lock(mutex_);
      if (batch.bytes.capacity() > spare_.capacity()) std::swap(spare_, batch.bytes);
      spare_.clear();
      more_.wait(lock, [&] { return ending_ || !ready_.empty() || (options_.linger != 0 && filling_.count != 0); });
      if (ready_.empty())
        more_.wait_for(lock, std::chrono::nanoseconds(options_.linger), [&] { return ending_ || !ready_.empty(); });
      if (ready_.empty()) ready_.push_back(std::exchange(filling_, {}));
      batch = std::move(ready_.front());
      ready_.pop_front();
      waiting_ -= batch.count;
      last = ending_ && waiting_ == 0;
    }
    if (batch.count == 0 || send(batch)) continue;
    std::lock_guard lock(mutex_);
    if (!ending_) continue;
    dropped_ += std::exchange(waiting_, 0);  // whoever does not answer is not waited for again at the end
    last = true;
  }
  std::lock_guard lock(mutex_);
  ended_ = true;
  end_.notify_one();
}

}  // namespace retrial::proxy
