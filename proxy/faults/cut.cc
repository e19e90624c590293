// reset, close, stall and rst-stream in the response: after its head, or in the middle of its body.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "proxy/faults/head_text.h"
#include "proxy/faults/strike.h"
#include "trace/fault_name.h"

namespace retrial::proxy {
namespace {
using trace::FaultName;
using trace::Point;

class Cut final : public Edit {
 public:
  explicit Cut(const trace::FaultSpec& fault) : fault_(fault) {}

  Did head(std::string& head, const trace::Exchange&, bool bodiless) override {
    if (fault_.point == Point::after_response_head) {
      auto did = strike();
      did.cuts_head = true;
      return did;
    }
    if (bodiless) return {.spares = "the response has no body"};
    auto framing = framing_in(head);
    auto type = field_in(head, "content-type");
    messages_ = fault_.bytes == trace::kHalf && !framing.length && type &&
                lower(head.substr(type->value, type->value_end - type->value)).starts_with("application/grpc") &&
                !lower(head.substr(type->value, type->value_end - type->value)).starts_with("application/grpc-web");
    if (messages_) return {};
    length_ = framing.length;
    if (fault_.bytes != trace::kHalf)
      left_ = fault_.bytes;
    else
      left_ = length_ ? *length_ / 2 : 1;
    if (length_ && left_ >= *length_) return {.spares = "the response's body is no longer than what was to be passed"};
    return left_ == 0 ? strike() : Did{};
  }
  Did body(std::string_view content, bool last, std::string& out) override {
    if (messages_) return after_first_message(content, last, out);
    auto passes = content.substr(0, static_cast<std::size_t>(left_));
    out.append(passes);
    left_ -= static_cast<std::int64_t>(passes.size());
    passed_ += static_cast<std::int64_t>(passes.size());
    if (left_ == 0) return strike();
    if (last) return {.spares = "the response's body is no longer than what was to be passed"};
    return {};
  }
  std::string evidence(const trace::Exchange& e) const override {
    auto sign = sign_of(fault_);
    if (fault_.point == Point::after_response_head)
      return fmt::format("{} after the response's head{}", sign, e.client_status == 0 ? " but for its last line" : "");
    if (length_) return fmt::format("{} after {} of {} bytes of the response's body", sign, passed_, *length_);
    if (messages_) return fmt::format("{} after the first message of the response, {} bytes", sign, passed_);
    return fmt::format("{} after {} bytes of the response's body", sign, passed_);
  }

 private:
  // Of gRPC's messages the first, whole, and of those that follow nothing: where there are none, before the trailers.
  Did after_first_message(std::string_view content, bool last, std::string& out) {
    while (!content.empty() && (prefix_.size() < kPrefix || left_ > 0)) {
      bool prefix = prefix_.size() < kPrefix;
      auto piece = content.substr(0, prefix ? kPrefix - prefix_.size()
                                            : static_cast<std::size_t>(std::min<std::int64_t>(
                                                  left_, static_cast<std::int64_t>(content.size()))));
      content.remove_prefix(piece.size());
      out.append(piece);
      passed_ += static_cast<std::int64_t>(piece.size());
      if (!prefix) {
        left_ -= static_cast<std::int64_t>(piece.size());
        continue;
      }
      prefix_.append(piece);
      if (prefix_.size() < kPrefix) break;
      for (std::size_t i = 1; i < kPrefix; i++) left_ = left_ << 8 | static_cast<unsigned char>(prefix_[i]);
    }
    bool whole = prefix_.size() == kPrefix && left_ == 0;
    if ((whole && !content.empty()) || (last && passed_ > 0)) return strike();
    if (last) return {.spares = "the response has no message"};
    return {};
  }

  Did strike() const {
    switch (fault_.name) {
      case FaultName::reset:
        return {.act = Act::reset, .fires = true};
      case FaultName::close:
        return {.act = Act::close, .fires = true};
      case FaultName::rst_stream:
        return {.act = Act::abort, .fires = true};
      default:
        return {.act = Act::hold, .fires = true};
    }
  }
  const trace::FaultSpec& fault_;
  static constexpr std::size_t kPrefix = 5;  // of a message of gRPC: a flag, and its length
  bool messages_ = false;                    // it is one of gRPC's
  std::string prefix_;
  std::optional<std::int64_t> length_;
  std::int64_t left_ = 0;
  std::int64_t passed_ = 0;
};
}  // namespace

std::unique_ptr<Edit> cut_edit(const trace::FaultSpec& fault) { return std::make_unique<Cut>(fault); }

}  // namespace retrial::proxy
