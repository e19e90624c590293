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

// Media types whose bodies are records, each ended by a line: who has read some has made something of them.
bool is_of_lines(std::string_view type) {
  static constexpr std::string_view kTypes[] = {
      "application/x-ndjson",    "application/ndjson", "application/jsonl", "application/x-jsonlines",
      "application/stream+json", "text/event-stream",  "text/csv",          "text/plain"};
  return std::ranges::any_of(kTypes, [&](auto known) { return type.starts_with(known); });
}

class Cut final : public Edit {
 public:
  explicit Cut(const trace::FaultSpec& fault) : fault_(fault) {}

  Did head(std::string& head, const trace::Exchange& exchange, bool bodiless) override {
    if (fault_.point == Point::after_response_head) {
      auto did = strike();
      did.cuts_head = true;
      return did;
    }
    if (bodiless) return {.spares = "the response has no body"};
    auto framing = framing_in(head);
    if (auto field = field_in(head, "content-type"); field && fault_.bytes == trace::kHalf && !framing.length) {
      auto type = lower(head.substr(field->value, field->value_end - field->value));
      messages_ = type.starts_with("application/grpc") && !type.starts_with("application/grpc-web");
      if (is_of_lines(type)) records_ = type.starts_with("text/csv") ? 2 : 1;  // of a table its names come first
      events_ = type.starts_with("text/event-stream");
      shows_its_end_ = framing.chunked || exchange.stream != 0;
    }
    if (messages_ || records_) return {};
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
    if (records_) return after_first_records(content, last, out);
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
    if (records_) return fmt::format("{} after the first lines of the response's body, {} bytes", sign, passed_);
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

  // Lines, of an event stream as far as the empty one that ends an event, whole, and nothing of what follows them:
  // where nothing does, before the body's own end.
  Did after_first_records(std::string_view content, bool last, std::string& out) {
    while (!content.empty() && *records_ > 0) {
      auto piece = content.substr(0, content.find('\n') + 1);
      if (piece.empty()) piece = content;
      content.remove_prefix(piece.size());
      out.append(piece);
      passed_ += static_cast<std::int64_t>(piece.size());
      empty_line_ = empty_line_ && (piece == "\r" || piece == "\n" || piece == "\r\n");
      if (!piece.ends_with('\n')) continue;
      if (!events_ || empty_line_) --*records_;
      empty_line_ = true;
    }
    if (!content.empty() || (last && passed_ > 0 && shows_its_end_)) return strike();
    if (last) return {.spares = "the response's body is no longer than what was to be passed"};
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
  std::optional<int> records_;  // to come before it; none: it is no body of lines
  bool events_ = false;         // they are an event stream's
  bool empty_line_ = true;      // nothing has come of the line that comes
  bool shows_its_end_ = false;  // a body that ends here would be no whole one
  std::optional<std::int64_t> length_;
  std::int64_t left_ = 0;
  std::int64_t passed_ = 0;
};
}  // namespace

std::unique_ptr<Edit> cut_edit(const trace::FaultSpec& fault) { return std::make_unique<Cut>(fault); }

}  // namespace retrial::proxy
