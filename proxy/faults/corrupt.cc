// corrupt[(at)]: the lowest bit of one byte of the body is another, as a bad memory or link leaves it.
#include <fmt/format.h>

#include "proxy/faults/body_reader.h"
#include "proxy/faults/edits.h"
#include "proxy/faults/head_text.h"

namespace retrial::proxy {
namespace {

class Corrupt final : public Edit {
 public:
  explicit Corrupt(const trace::FaultSpec& fault) : fault_(fault) {}

  Did head(std::string& head, const trace::Exchange&, bool bodiless) override {
    if (bodiless) return {.spares = "the response has no body"};
    auto framing = framing_in(head);
    reader_ = BodyReader(framing.chunked);
    if (fault_.bytes != trace::kHalf)
      at_ = fault_.bytes;
    else
      at_ = framing.length ? *framing.length / 2 : 0;
    return {};
  }
  Did body(std::string_view wire, bool last, std::string& out) override {
    Did did;
    while (!wire.empty()) {
      auto piece = reader_.next(wire);
      auto begun = out.size();
      out.append(piece.bytes);
      if (!piece.content || done_) continue;
      auto size = static_cast<std::int64_t>(piece.bytes.size());
      if (at_ < seen_ + size) {
        auto& byte = out[begun + static_cast<std::size_t>(at_ - seen_)];
        was_ = static_cast<unsigned char>(byte);
        byte = static_cast<char>(byte ^ 1);
        done_ = did.fires = true;
      }
      seen_ += size;
    }
    if (last && !done_) did.spares = "the response's body ended before the byte that was to be another";
    return did;
  }
  std::string evidence() const override {
    return fmt::format("byte {} of the response's body was 0x{:02x}, and 0x{:02x} was passed", at_, was_, was_ ^ 1);
  }

 private:
  const trace::FaultSpec& fault_;
  BodyReader reader_{false};
  std::int64_t at_ = 0;
  std::int64_t seen_ = 0;
  unsigned was_ = 0;
  bool done_ = false;
};
}  // namespace

std::unique_ptr<Edit> corrupt_edit(const trace::FaultSpec& fault) { return std::make_unique<Corrupt>(fault); }

}  // namespace retrial::proxy
