// reset, close, stall and rst-stream in the response: after its head, or in the middle of its body.
#include <fmt/format.h>

#include "proxy/faults/body_reader.h"
#include "proxy/faults/edits.h"
#include "proxy/faults/head_text.h"
#include "proxy/faults/strike.h"

namespace retrial::proxy {
namespace {
using trace::FaultName;
using trace::Point;

class Cut final : public Edit {
 public:
  explicit Cut(const trace::FaultSpec& fault) : fault_(fault) {}

  Did head(std::string& head, const trace::Exchange& exchange, bool bodiless) override {
    if (fault_.point == Point::after_response_head) {
      // With its empty line a response without a body would be whole; on HTTP/2 it is not, without END_STREAM.
      cut_head_ = bodiless && exchange.stream == 0;
      if (cut_head_) head.resize(fields_end(head));
      return strike();
    }
    if (bodiless) return {.spares = "the response has no body"};
    auto framing = framing_in(head);
    length_ = framing.length;
    reader_ = BodyReader(framing.chunked);
    if (fault_.bytes != trace::kHalf)
      left_ = fault_.bytes;
    else
      left_ = length_ ? *length_ / 2 : 1;
    if (length_ && left_ >= *length_) return {.spares = "the response's body is no longer than what was to be passed"};
    return left_ == 0 ? strike() : Did{};
  }
  Did body(std::string_view wire, bool last, std::string& out) override {
    while (!wire.empty() && left_ > 0) {
      auto piece = reader_.next(wire);
      if (piece.content && static_cast<std::int64_t>(piece.bytes.size()) >= left_) {
        out.append(piece.bytes.substr(0, static_cast<std::size_t>(left_)));
        passed_ += left_;
        left_ = 0;
        return strike();
      }
      if (piece.content) {
        left_ -= static_cast<std::int64_t>(piece.bytes.size());
        passed_ += static_cast<std::int64_t>(piece.bytes.size());
      }
      out.append(piece.bytes);
    }
    if (last) return {.spares = "the response's body is no longer than what was to be passed"};
    return {};
  }
  int status(int status) const override { return cut_head_ ? 0 : status; }
  std::string evidence() const override {
    auto sign = sign_of(fault_);
    if (cut_head_) return fmt::format("{} after the response's head but for its last line", sign);
    if (fault_.point == Point::after_response_head) return fmt::format("{} after the response's head", sign);
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
  BodyReader reader_{false};
  std::optional<std::int64_t> length_;
  std::int64_t left_ = 0;
  std::int64_t passed_ = 0;
  bool cut_head_ = false;
};
}  // namespace

std::unique_ptr<Edit> cut_edit(const trace::FaultSpec& fault) { return std::make_unique<Cut>(fault); }

}  // namespace retrial::proxy
