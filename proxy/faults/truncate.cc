// truncate[(bytes)]: the body ends early, and its framing says so too: nothing but the content shows it.
#include <fmt/format.h>

#include "proxy/faults/body_reader.h"
#include "proxy/faults/edits.h"
#include "proxy/faults/head_text.h"

namespace retrial::proxy {
namespace {
constexpr std::string_view kNoLonger = "the response's body is no longer than what was to be passed";

class Truncate final : public Edit {
 public:
  explicit Truncate(const trace::FaultSpec& fault) : fault_(fault) {}

  Did head(std::string& head, const trace::Exchange&, bool bodiless) override {
    if (bodiless) return {.spares = "the response has no body"};
    auto framing = framing_in(head);
    chunked_ = framing.chunked;
    reader_ = BodyReader(chunked_);
    if (fault_.bytes != trace::kHalf)
      left_ = fault_.bytes;
    else
      left_ = framing.length ? *framing.length / 2 : 1;
    if (!framing.length) return {};
    if (left_ >= *framing.length) return {.spares = kNoLonger};
    auto field = *field_in(head, "content-length");
    head.replace(field.value, field.value_end - field.value, std::to_string(left_));
    whole_ = *framing.length;
    fired_ = true;
    return {.fires = true};
  }
  // A chunk's size would tell of what is left out: each stretch becomes a chunk of its own.
  Did body(std::string_view wire, bool last, std::string& out) override {
    bool was = fired_;
    while (!wire.empty()) {
      auto piece = reader_.next(wire);
      if (!piece.content) {
        if (chunked_) continue;
        out.append(piece.bytes);
        continue;
      }
      auto passes = piece.bytes.substr(0, static_cast<std::size_t>(left_));
      left_ -= static_cast<std::int64_t>(passes.size());
      passed_ += passes.size();
      if (passes.size() < piece.bytes.size()) fired_ = true;
      if (passes.empty()) continue;
      if (chunked_)
        out.append(fmt::format("{:x}\r\n{}\r\n", passes.size(), passes));
      else
        out.append(passes);
    }
    if (last && chunked_) out.append("0\r\n\r\n");
    if (fired_ && !was) return {.fires = true};
    if (last && !fired_) return {.spares = kNoLonger};
    return {};
  }
  std::string evidence() const override {
    if (whole_) return fmt::format("{} of {} bytes of the response's body, told as its length", left_, whole_);
    return fmt::format("{} bytes of the response's body, ended as if there were no more", passed_);
  }

 private:
  const trace::FaultSpec& fault_;
  BodyReader reader_{false};
  bool chunked_ = false;
  bool fired_ = false;
  std::int64_t left_ = 0;
  std::int64_t whole_ = 0;  // where a length was told
  std::uint64_t passed_ = 0;
};
}  // namespace

std::unique_ptr<Edit> truncate_edit(const trace::FaultSpec& fault) { return std::make_unique<Truncate>(fault); }

}  // namespace retrial::proxy
