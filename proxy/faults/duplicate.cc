// duplicate: the response comes twice; the second stands before the next one on this connection.
#include <fmt/format.h>

#include "proxy/faults/edits.h"
#include "proxy/faults/head_text.h"

namespace retrial::proxy {
namespace {
constexpr std::size_t kMost = 1u << 20;  // bytes that are kept for it

class Duplicate final : public Edit {
 public:
  Did head(std::string& head, const trace::Exchange&, bool bodiless) override {
    auto framing = framing_in(head);
    if (!bodiless && !framing.chunked && !framing.length)
      return {.spares = "the response ends with its connection: nothing can come after it"};
    kept_ = head;
    return {};
  }
  Did body(std::string_view wire, bool last, std::string& out) override {
    out.append(wire);
    kept_.append(wire);
    if (kept_.size() > kMost) return {.spares = "the response is too large to be kept for a second time"};
    if (!last) return {};
    out.append(kept_);
    return {.fires = true};
  }
  std::string evidence() const override { return fmt::format("the response's {} bytes came twice", kept_.size()); }

 private:
  std::string kept_;
};
}  // namespace

std::unique_ptr<Edit> duplicate_edit() { return std::make_unique<Duplicate>(); }

}  // namespace retrial::proxy
