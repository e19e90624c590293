// lengthen(times): the body comes so many times over, as one: a file of the same kind that is so much longer. Of JSON
// that would be none any more: there is grow.
#include <fmt/format.h>

#include "base/text.h"
#include "proxy/faults/head_text.h"
#include "proxy/faults/of_response.h"

namespace retrial::proxy {
namespace {

constexpr std::size_t kMostKept = 1u << 20;    // bytes, as the service sends it
constexpr std::size_t kMostSent = 128u << 20;  // as the client gets it

class Lengthen final : public Edit {
 public:
  explicit Lengthen(const trace::FaultSpec& fault) : times_(static_cast<std::size_t>(fault.by)) {}

  Did head(std::string& head, const trace::Exchange&, bool bodiless) override {
    if (bodiless) return {.spares = "the response has no body"};
    if (field_in(head, "content-encoding")) return {.spares = "the response's body is packed"};
    auto type = field_in(head, "content-type");
    if (type && icontains(head.substr(type->value, type->value_end - type->value), "json"))
      return {.spares = "the response is JSON"};
    if (field_in(head, "content-range")) return {.spares = "the response is a part"};
    if (auto length = field_in(head, "content-length")) {
      head.erase(length->line, length->line_end - length->line);
      head.insert(fields_end(head), "Transfer-Encoding: chunked\r\n");
    }
    return {};
  }
  Did body(std::string_view content, bool last, std::string& out) override {
    kept_.append(content);
    if (kept_.size() > std::min(kMostKept, kMostSent / times_)) {
      out.append(kept_);
      return {.spares = "the response's body is longer than what is read of it"};
    }
    if (!last) return {};
    if (kept_.empty()) return {.spares = "the response has no body"};
    out.reserve(out.size() + times_ * kept_.size());
    for (std::size_t i = 0; i < times_; i++) out.append(kept_);
    return {.fires = true};
  }
  std::string evidence(const trace::Exchange&) const override {
    return fmt::format("a body of {} bytes came {} times over", kept_.size(), times_);
  }

 private:
  std::size_t times_;
  std::string kept_;
};
}  // namespace

const Fault& lengthen_fault() {
  static const OfResponse fault(made_of<Lengthen>);
  return fault;
}

}  // namespace retrial::proxy
