// truncate[(bytes)]: the body ends early, and its framing says so too: nothing but the content shows it.
#include <fmt/format.h>

#include "proxy/faults/head_text.h"
#include "proxy/faults/of_response.h"

namespace retrial::proxy {
namespace {
constexpr std::string_view kNoLonger = "the response's body is no longer than what was to be passed";

class Truncate final : public Edit {
 public:
  explicit Truncate(const trace::FaultSpec& fault) : fault_(fault) {}

  Did head(std::string& head, const trace::Exchange&, bool bodiless) override {
    if (bodiless) return {.spares = "the response has no body"};
    auto framing = framing_in(head);
    if (fault_.bytes != trace::kHalf)
      left_ = fault_.bytes;
    else
      left_ = framing.length ? *framing.length / 2 : 1;
    if (!framing.length) return {};
    if (left_ >= *framing.length) return {.spares = kNoLonger};
    auto field = *field_in(head, "content-length");
    head.replace(field.value, field.value_end - field.value, std::to_string(left_));
    whole_ = *framing.length;
    told_ = left_;
    fired_ = true;
    return {.fires = true};
  }
  Did body(std::string_view content, bool last, std::string& out) override {
    bool was = fired_;
    auto passes = content.substr(0, static_cast<std::size_t>(left_));
    left_ -= static_cast<std::int64_t>(passes.size());
    passed_ += passes.size();
    if (passes.size() < content.size()) fired_ = true;
    out.append(passes);
    if (fired_ && !was) return {.fires = true};
    if (last && !fired_) return {.spares = kNoLonger};
    return {};
  }
  std::string evidence(const trace::Exchange&) const override {
    if (whole_) return fmt::format("{} of {} bytes of the response's body, told as its length", told_, whole_);
    return fmt::format("{} bytes of the response's body, ended as if there were no more", passed_);
  }

 private:
  const trace::FaultSpec& fault_;
  bool fired_ = false;
  std::int64_t left_ = 0;
  std::int64_t whole_ = 0, told_ = 0;  // where a length was told
  std::uint64_t passed_ = 0;
};
}  // namespace

const Fault& truncate_fault() {
  static const OfResponse fault(made_of<Truncate>);
  return fault;
}

}  // namespace retrial::proxy
