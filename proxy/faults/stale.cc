// stale: an earlier response to the same request line, in place of the one that the service gave now.
#include <fmt/format.h>

#include "base/text.h"
#include "proxy/faults/earlier.h"
#include "proxy/faults/edits.h"
#include "proxy/faults/head_text.h"

namespace retrial::proxy {
namespace {

int status_in(std::string_view head) {
  auto line = head.substr(0, head.find('\n'));
  auto space = line.find(' ');
  return space == line.npos ? 0 : static_cast<int>(to_int(line.substr(space + 1, 3)).value_or(0));
}

std::size_t head_size(std::string_view response) {
  auto end = response.find("\r\n\r\n");
  return end == response.npos ? response.size() : end + 4;
}

// The trailers that follow are the service's own, and hold the call's status: a head that holds one too is no head for
// them.
bool is_trailers_only(const trace::Exchange& exchange, bool bodiless) {
  return bodiless && exchange.grpc.is && exchange.stream != 0;
}

class Stale final : public Edit {
 public:
  explicit Stale(std::string earlier) : earlier_(std::move(earlier)) {}

  Did head(std::string& head, const trace::Exchange& exchange, bool bodiless) override {
    if (earlier_.empty()) return {.spares = "no earlier response to this request was kept"};
    if (is_trailers_only(exchange, bodiless)) return {.spares = "the service ended the call with its head"};
    service_ = exchange.service_status;
    body_at_ = exchange.stream == 0 ? earlier_.size() : head_size(earlier_);
    head = earlier_.substr(0, body_at_);
    return {.fires = true};
  }
  Did body(std::string_view, bool last, std::string& out) override {
    if (last) out.append(earlier_, body_at_);
    return {};
  }
  int status(int) const override { return status_in(earlier_); }
  std::string evidence() const override {
    return fmt::format("an earlier response ({}, {} bytes) in place of the service's own ({})", status_in(earlier_),
                       earlier_.size(), service_);
  }

 private:
  std::string earlier_;
  std::size_t body_at_ = 0;
  int service_ = 0;
};

// Changes nothing, and keeps what has passed.
class Keeping final : public Edit {
 public:
  Keeping(Earlier& earlier, std::string key) : earlier_(earlier), key_(std::move(key)) {}

  Did head(std::string& head, const trace::Exchange& exchange, bool bodiless) override {
    auto framing = framing_in(head);
    if (is_trailers_only(exchange, bodiless)) return {.spares = "not kept"};
    if (!bodiless && exchange.stream == 0 && !framing.chunked && !framing.length) return {.spares = "not kept"};
    kept_ = head;
    return {};
  }
  Did body(std::string_view wire, bool last, std::string& out) override {
    out.append(wire);
    kept_.append(wire);
    if (kept_.size() > Earlier::kMostBytes) return {.spares = "not kept"};
    if (last) earlier_.keep(std::move(key_), std::move(kept_));
    return {};
  }
  std::string evidence() const override { return {}; }

 private:
  Earlier& earlier_;
  std::string key_, kept_;
};
}  // namespace

std::unique_ptr<Edit> stale_edit(std::string earlier) { return std::make_unique<Stale>(std::move(earlier)); }

std::string Earlier::key_of(const trace::Exchange& exchange) {
  return fmt::format("{} {} {}{}{}", exchange.method, exchange.service, exchange.host, exchange.target,
                     exchange.stream == 0 ? "" : " HTTP/2");
}
std::string Earlier::find(const std::string& key) const {
  auto it = responses_.find(key);
  return it == responses_.end() ? std::string() : it->second;
}
void Earlier::keep(std::string key, std::string response) {
  if (responses_.size() >= kMost && !responses_.contains(key)) return;
  responses_[std::move(key)] = std::move(response);
}
std::unique_ptr<Edit> Earlier::keeping(const trace::Exchange& exchange) {
  return std::make_unique<Keeping>(*this, key_of(exchange));
}

}  // namespace retrial::proxy
