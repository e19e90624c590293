// reset, close, stall and rst-stream in the response: after its head, or in the middle of its body.
#include <fmt/format.h>

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
    length_ = framing.length;
    if (fault_.bytes != trace::kHalf)
      left_ = fault_.bytes;
    else
      left_ = length_ ? *length_ / 2 : 1;
    if (length_ && left_ >= *length_) return {.spares = "the response's body is no longer than what was to be passed"};
    return left_ == 0 ? strike() : Did{};
  }
  Did body(std::string_view content, bool last, std::string& out) override {
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
    return fmt::format("{} after {} bytes of the response's body", sign, passed_);
  }

 private:
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
  std::optional<std::int64_t> length_;
  std::int64_t left_ = 0;
  std::int64_t passed_ = 0;
};
}  // namespace

std::unique_ptr<Edit> cut_edit(const trace::FaultSpec& fault) { return std::make_unique<Cut>(fault); }

}  // namespace retrial::proxy
