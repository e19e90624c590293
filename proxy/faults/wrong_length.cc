// wrong-length(by): Content-Length tells more than there is, and the client waits for what never comes; or less, and
// what is beyond it stands before the next response.
#include <fmt/format.h>

#include "proxy/faults/head_text.h"
#include "proxy/faults/of_response.h"

namespace retrial::proxy {
namespace {

class WrongLength final : public Edit {
 public:
  explicit WrongLength(const trace::FaultSpec& fault) : fault_(fault) {}

  Did head(std::string& head, const trace::Exchange& exchange, bool bodiless) override {
    auto length = framing_in(head).length;
    if (!length) return {.spares = "the response tells no length"};
    // A response to HEAD, 204 and 304 end with their heads, whatever they tell (RFC 9112 6.3).
    bool never = exchange.method == "HEAD" || exchange.service_status == 204 || exchange.service_status == 304;
    if (bodiless && (never || fault_.by < 0)) return {.spares = "the response has no body"};
    is_ = *length;
    told_ = std::max<std::int64_t>(0, is_ + fault_.by);
    auto field = *field_in(head, "content-length");
    head.replace(field.value, field.value_end - field.value, std::to_string(told_));
    return {.fires = true};
  }
  Did body(std::string_view wire, bool last, std::string& out) override {
    out.append(wire);
    return {.act = last && told_ > is_ ? Act::hold : Act::pass};
  }
  std::string evidence(const trace::Exchange&) const override {
    return fmt::format("a Content-Length of {} before {} bytes of body", told_, is_);
  }

 private:
  const trace::FaultSpec& fault_;
  std::int64_t is_ = 0;
  std::int64_t told_ = 0;
};
}  // namespace

const Fault& wrong_length_fault() {
  static const OfResponse fault(made_of<WrongLength>);
  return fault;
}

}  // namespace retrial::proxy
