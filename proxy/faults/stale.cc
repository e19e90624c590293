// stale: an earlier response to the same request line, in place of the one that the service gave now.
#include <fmt/format.h>

#include "base/text.h"
#include "proxy/faults/of_response.h"

namespace retrial::proxy {
namespace {

int status_in(std::string_view head) {
  auto line = head.substr(0, head.find('\n'));
  auto space = line.find(' ');
  return space == line.npos ? 0 : static_cast<int>(to_int(line.substr(space + 1, 3)).value_or(0));
}

// The trailers that follow are the service's own, and hold the call's status: a head that holds one too is no head for
// them.
bool is_trailers_only(const trace::Exchange& exchange, bool bodiless) { return bodiless && exchange.grpc.is; }

class Stale final : public Edit {
 public:
  explicit Stale(const Earlier::Response* earlier) {
    if (earlier) earlier_ = *earlier;
  }

  Did head(std::string& head, const trace::Exchange& exchange, bool bodiless) override {
    if (earlier_.head.empty()) return {.spares = "no earlier response to this request was kept"};
    if (is_trailers_only(exchange, bodiless)) return {.spares = "the service ended the call with its head"};
    service_ = exchange.service_status;
    head = earlier_.head;
    return {.fires = true};
  }
  Did body(std::string_view, bool last, std::string& out) override {
    if (last) out.append(earlier_.body);
    return {};
  }
  int status(int) const override { return status_in(earlier_.head); }
  std::string evidence(const trace::Exchange&) const override {
    return fmt::format("an earlier response ({}, {} bytes) in place of the service's own ({})",
                       status_in(earlier_.head), earlier_.head.size() + earlier_.body.size(), service_);
  }

 private:
  Earlier::Response earlier_;
  int service_ = 0;
};

// Changes nothing, and keeps what has passed.
class Keeping final : public Edit {
 public:
  Keeping(Earlier& earlier, std::string key) : earlier_(earlier), key_(std::move(key)) {}

  Did head(std::string& head, const trace::Exchange& exchange, bool bodiless) override {
    if (is_trailers_only(exchange, bodiless)) return {.spares = "not kept"};
    kept_.head = head;
    return {};
  }
  Did body(std::string_view content, bool last, std::string& out) override {
    out.append(content);
    kept_.body.append(content);
    if (kept_.head.size() + kept_.body.size() > Earlier::kMostBytes) return {.spares = "not kept"};
    if (last) earlier_.keep(std::move(key_), std::move(kept_));
    return {};
  }
  std::string evidence(const trace::Exchange&) const override { return {}; }

 private:
  Earlier& earlier_;
  std::string key_;
  Earlier::Response kept_;
};
}  // namespace

const Fault& stale_fault() {
  static const OfResponse fault([](const trace::Exchange& e, Earlier& earlier) -> std::unique_ptr<Edit> {
    return std::make_unique<Stale>(earlier.find(e));
  });
  return fault;
}

std::string Earlier::key_of(const trace::Exchange& exchange) {
  return fmt::format("{} {} {}{}", exchange.method, exchange.service, exchange.host, exchange.target);
}
const Earlier::Response* Earlier::find(const trace::Exchange& exchange) const {
  auto it = responses_.find(key_of(exchange));
  return it == responses_.end() ? nullptr : &it->second;
}
void Earlier::keep(std::string key, Response response) {
  if (responses_.size() >= kMost && !responses_.contains(key)) return;
  responses_[std::move(key)] = std::move(response);
}
std::string Earlier::list_of(const trace::Exchange& exchange) {
  auto path = exchange.target.substr(0, exchange.target.find('?'));
  return fmt::format("page {} {} {}{}", exchange.method, exchange.service, exchange.host, path);
}
const std::string* Earlier::page(const std::string& list) const {
  auto it = responses_.find(list);
  return it == responses_.end() ? nullptr : &it->second.body;
}
void Earlier::keep_page(const std::string& list, std::string body) {
  if (body.size() <= kMostBytes) keep(list, {.head = {}, .body = std::move(body)});
}
std::unique_ptr<Edit> Earlier::keeping(const trace::Exchange& exchange) {
  return std::make_unique<Keeping>(*this, key_of(exchange));
}

}  // namespace retrial::proxy
