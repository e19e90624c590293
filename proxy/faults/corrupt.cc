// corrupt[(at)]: the lowest bit of one byte of the body is another, as a bad memory or link leaves it.
#include <fmt/format.h>

#include "proxy/faults/head_text.h"
#include "proxy/faults/of_response.h"

namespace retrial::proxy {
namespace {

class Corrupt final : public Edit {
 public:
  explicit Corrupt(const trace::FaultSpec& fault) : fault_(fault) {}

  Did head(std::string& head, const trace::Exchange&, bool bodiless) override {
    if (bodiless) return {.spares = "the response has no body"};
    auto framing = framing_in(head);
    if (fault_.at != trace::kHalf)
      at_ = fault_.at;
    else
      at_ = framing.length ? *framing.length / 2 : 0;
    return {};
  }
  Did body(std::string_view content, bool last, std::string& out) override {
    Did did;
    auto begun = out.size();
    auto size = static_cast<std::int64_t>(content.size());
    out.append(content);
    if (!done_ && at_ < seen_ + size) {
      auto& byte = out[begun + static_cast<std::size_t>(at_ - seen_)];
      was_ = static_cast<unsigned char>(byte);
      byte = static_cast<char>(byte ^ 1);
      done_ = did.fires = true;
    }
    seen_ += size;
    if (last && !done_) did.spares = "the response's body ended before the byte that was to be another";
    return did;
  }
  std::string evidence(const trace::Exchange&) const override {
    return fmt::format("byte {} of the response's body was 0x{:02x}, and 0x{:02x} was passed", at_, was_, was_ ^ 1);
  }

 private:
  const trace::FaultSpec& fault_;
  std::int64_t at_ = 0;
  std::int64_t seen_ = 0;
  unsigned was_ = 0;
  bool done_ = false;
};
}  // namespace

const Fault& corrupt_fault() {
  static const OfResponse fault(made_of<Corrupt>);
  return fault;
}

}  // namespace retrial::proxy
