#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "trace/profiles/message.h"
#include "trace/profiles/registry.h"
#include "trace/profiles/template_path.h"

namespace retrial::trace {
namespace {

// A client that parses JSON takes anything else for a broken transport, and then retries what it would never retry, or
// nothing at all; the others do not look. So HTML is for those that ask for it. What clients look for in JSON is
// "error", an object (Google AIP-193, and what else speaks so), or a "message" beside it: an "error" that is a text
// ends many of them before they get to their retry.
bool wants_html(const Exchange& e) { return icontains(find(e.request_headers, "accept"), "html"); }

// Any service: RFC 9110, and what a load balancer before it would do.
class Generic final : public Profile {
 public:
  std::string_view name() const override { return kGeneric; }
  bool recognises(const Exchange&) const override { return true; }
  std::span<const std::string_view> id_headers() const override {
    static constexpr std::array<std::string_view, 7> kIds{
        "idempotency-key",        "x-idempotency-key",     "webhook-id",        "ce-id",
        "x-ms-client-request-id", "amz-sdk-invocation-id", "gccl-invocation-id"};
    return kIds;
  }
  std::string operation(const Exchange& e) const override { return template_path(e.target); }
  // It may yet be one of a protocol's.
  bool names_in_body(const Exchange& e) const override {
    auto type = find(e.request_headers, "content-type");
    return e.method == "POST" && (icontains(type, "json") || icontains(type, "xml"));
  }
  bool is_protocol() const override { return true; }
  Repeat repeat(const Exchange& e) const override { return message::plain_repeat(e); }
  bool transient(int status, std::string_view) const override {
    return status == 408 || status == 425 || status == 429 || status == 500 || status == 502 || status == 503 ||
           status == 504;
  }
  int transient_status(const Exchange&) const override { return 503; }
  Answer error(const Exchange& e, int status, std::string_view marker) const override {
    auto answer = message::plain_error(e, status, marker);
    if (wants_html(e) || answer.body.empty()) return answer;
    answer.headers.front().value = "application/json";
    answer.body =
        fmt::format(R"_({{"error":{{"code":{0},"message":"{1} ({2})","status":"{1}"}},"message":"{1} ({2})"}})_",
                    status, answer.reason, marker);
    return answer;
  }
  std::string effect(const Exchange& e) const override {
    if (!message::succeeded(e)) return {};
    if (auto location = find(e.response_headers, "location"); !location.empty()) return std::string(location);
    for (std::string_view key : {"id", "_id", "uuid"})
      if (auto id = message::json_top(e.response_sample, key); !id.empty()) return std::string(id);
    return {};
  }
};

}  // namespace

const Profile& generic_profile() {
  static const Generic profile;
  return profile;
}

}  // namespace retrial::trace
