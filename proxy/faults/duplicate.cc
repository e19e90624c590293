// duplicate: the response comes twice; the second stands before the next one on this connection.
#include <fmt/format.h>

#include "proxy/faults/head_text.h"
#include "proxy/faults/of_response.h"

namespace retrial::proxy {
namespace {
constexpr std::size_t kMost = 1u << 20;  // bytes that are kept for it

class Duplicate final : public Edit {
 public:
  Did head(std::string& head, const trace::Exchange&, bool bodiless) override {
    auto framing = framing_in(head);
    if (!bodiless && !framing.chunked && !framing.length)
      return {.spares = "the response ends with its connection: nothing can come after it"};
    chunked_ = framing.chunked && !bodiless;
    head_ = head;
    return {};
  }
  Did body(std::string_view content, bool last, std::string& out) override {
    out.append(content);
    body_.append(content);
    if (head_.size() + body_.size() > kMost)
      return {.spares = "the response is too large to be kept for a second time"};
    if (!last) return {};
    again_ = head_;
    if (chunked_ && !body_.empty()) again_.append(fmt::format("{:x}\r\n{}\r\n", body_.size(), body_));
    again_.append(chunked_ ? "0\r\n\r\n" : body_);
    return {.fires = true};
  }
  std::string_view after_end() const override { return again_; }
  std::string evidence(const trace::Exchange&) const override {
    return fmt::format("the response's {} bytes came twice", again_.size());
  }

 private:
  std::string head_, body_, again_;
  bool chunked_ = false;
};

std::string_view needs_order(const Scene& scene) {
  return scene.streams ? "HTTP/2 has no second response on a stream" : "";
}
}  // namespace

const Fault& duplicate_fault() {
  static const OfResponse fault(
      [](const trace::Exchange&, Earlier&) -> std::unique_ptr<Edit> { return std::make_unique<Duplicate>(); },
      needs_order);
  return fault;
}

}  // namespace retrial::proxy
