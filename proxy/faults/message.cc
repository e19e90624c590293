// message(what, n[, ms]): the n-th message of the service is delayed, left out, cut or changed. A message is a byte of
// flags, its length in four bytes, and as many bytes
// (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "proxy/faults/head_text.h"
#include "proxy/faults/of_response.h"

namespace retrial::proxy {
namespace {
using trace::OfMessage;

constexpr std::size_t kPrefix = 5;

class Message final : public Edit {
 public:
  explicit Message(const trace::FaultSpec& fault) : fault_(fault) {}

  Did head(std::string& head, const trace::Exchange&, bool bodiless) override {
    if (bodiless) return {.spares = "the service ended the call with its head"};
    auto type = field_in(head, "content-type");
    if (!type || !lower(head.substr(type->value, type->value_end - type->value)).starts_with("application/grpc"))
      return {.spares = "the response is none of gRPC"};
    return {};
  }

  Did body(std::string_view wire, bool last, std::string& out) override {
    Did did;
    while (!wire.empty() && did.spares.empty()) pass(wire, out, did);
    out.append(wire);
    if (last && did.spares.empty() && place_ <= Place::changed) {
      out.append(prefix_);
      did.spares = place_ <= Place::earlier ? "the call ended before this message" : "the call ended in this message";
    }
    did.more = place_ == Place::held;
    return did;
  }
  Did more(std::string& out) override {
    place_ = Place::after;
    out.append(std::exchange(queue_, {}));
    return {};
  }

  std::size_t held() const override { return queue_.size() + prefix_.size(); }

  std::string evidence(const trace::Exchange&) const override {
    auto which = fmt::format("message {} of the response", fault_.nth);
    switch (fault_.of_message) {
      case OfMessage::delay:
        return fmt::format("{}, of {} bytes, and what follows it were held for {}", which, length_,
                           show_duration(fault_.delay));
      case OfMessage::drop:
        return fmt::format("{}, of {} bytes, was left out", which, length_);
      case OfMessage::truncate:
        return fmt::format("{} of {} bytes of {}, and nothing of the body after them", length_ / 2, length_, which);
      case OfMessage::corrupt:
        return fmt::format("byte {} of {} was 0x{:02x}, and 0x{:02x} was passed", length_ / 2, which, was_, was_ ^ 1);
    }
    return {};
  }

 private:
  // Before ours; in ours, and nothing is done yet; done.
  enum class Place : std::uint8_t { prefix, earlier, first_half, changed, dropped, held, cut, after };

  // The next stretch of one kind.
  void pass(std::string_view& wire, std::string& out, Did& did) {
    auto take = [&](std::uint64_t most) {
      auto piece = wire.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(most, wire.size())));
      wire.remove_prefix(piece.size());
      return piece;
    };
    auto left = [&](std::string_view piece) { return left_ -= piece.size(); };
    switch (place_) {
      case Place::prefix:
        prefix_.append(take(kPrefix - prefix_.size()));
        if (prefix_.size() == kPrefix) begin(out, did);
        break;
      case Place::earlier:
      case Place::first_half: {
        auto piece = take(left_);
        out.append(piece);
        if (left(piece) > 0) break;
        if (place_ == Place::earlier)
          place_ = Place::prefix;
        else
          halved(did);
        break;
      }
      case Place::changed:
        was_ = static_cast<unsigned char>(take(1)[0]);
        out += static_cast<char>(was_ ^ 1);
        did.fires = true;
        place_ = Place::after;
        break;
      case Place::dropped:
        if (left(take(left_)) == 0) place_ = Place::after;
        break;
      case Place::held:
        queue_.append(take(wire.size()));
        break;
      case Place::cut:
        take(wire.size());
        break;
      case Place::after:
        out.append(take(wire.size()));
        break;
    }
  }

  // A message, whose prefix is whole.
  void begin(std::string& out, Did& did) {
    auto prefix = std::exchange(prefix_, {});
    left_ = 0;
    for (std::size_t i = 1; i < kPrefix; i++) left_ = left_ << 8 | static_cast<unsigned char>(prefix[i]);
    if (++at_ < fault_.nth) {
      out.append(prefix);
      if (left_ > 0) place_ = Place::earlier;
      return;
    }
    length_ = left_;
    switch (fault_.of_message) {
      case OfMessage::delay:
        queue_ = std::move(prefix);
        place_ = Place::held;
        did.fires = true;
        break;
      case OfMessage::drop:
        place_ = left_ > 0 ? Place::dropped : Place::after;
        did.fires = true;
        break;
      case OfMessage::truncate:
      case OfMessage::corrupt:
        out.append(prefix);
        if (length_ == 0) {
          did.spares = "this message is empty";
          break;
        }
        left_ = length_ / 2;
        place_ = Place::first_half;
        if (left_ == 0) halved(did);
        break;
    }
  }
  // Half of ours has passed.
  void halved(Did& did) {
    did.fires = fault_.of_message == OfMessage::truncate;
    place_ = did.fires ? Place::cut : Place::changed;
  }

  const trace::FaultSpec& fault_;
  Place place_ = Place::prefix;
  std::string prefix_;        // of a message, while it is not whole
  std::string queue_;         // what is held
  std::int32_t at_ = 0;       // which message, from 1
  std::uint64_t left_ = 0;    // of the stretch that is passing
  std::uint64_t length_ = 0;  // of our message
  unsigned was_ = 0;          // the byte that was changed
};
}  // namespace

const Fault& message_fault() {
  static const OfResponse fault(made_of<Message>, needs_grpc);
  return fault;
}

}  // namespace retrial::proxy
