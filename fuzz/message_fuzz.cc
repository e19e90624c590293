// The fault `message`. Whatever the service sends: what comes out is what is read off the whole body at once, however
// it comes in pieces and however long the pause. The first bytes choose what is done, to which message, the pieces, and
// when the pause is over.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "proxy/faults/earlier.h"
#include "proxy/faults/fault.h"
#include "trace/fault_name.h"

namespace retrial::proxy {
const Fault& message_fault();
}

namespace {
using namespace retrial;
using trace::OfMessage;

[[noreturn]] void wrong(const char* what) {
  std::fprintf(stderr, "message_fuzz: %s\n", what);
  std::abort();
}

struct Made {
  std::string body;
  bool fires = false;
  bool spares = false;
  bool operator==(const Made&) const = default;
};

// By the format alone.
Made expected(const trace::FaultSpec& fault, std::string_view body) {
  std::size_t at = 0;
  for (std::int32_t n = 1; body.size() - at >= 5; n++) {
    std::uint64_t length = 0;
    for (std::size_t i = 1; i < 5; i++) length = length * 256 + static_cast<unsigned char>(body[at + i]);
    auto content = at + 5;
    auto there = std::min<std::uint64_t>(length, body.size() - content);
    auto half = length / 2;
    if (n < fault.nth) {
      at = content + there;
      continue;
    }
    std::string out(body);
    switch (fault.of_message) {
      case OfMessage::delay:
        return {out, true, false};
      case OfMessage::drop:
        return {out.erase(at, 5 + there), true, false};
      case OfMessage::truncate:
        if (length == 0 || there < half) return {out, false, true};
        return {out.substr(0, content + half), true, false};
      case OfMessage::corrupt:
        if (length == 0 || there <= half) return {out, false, true};
        out[content + half] = static_cast<char>(out[content + half] ^ 1);
        return {out, true, false};
    }
  }
  return {std::string(body), false, true};
}

Made made(const trace::FaultSpec& fault, std::string_view body, std::size_t piece, std::size_t wakes) {
  trace::Exchange exchange;
  exchange.fault = fault;
  proxy::Earlier earlier;
  auto edit = proxy::message_fault().edit(exchange, earlier);
  std::string head = "HTTP/1.1 200 \r\ncontent-type: application/grpc\r\n\r\n";
  Made all;
  bool resting = false;
  auto note = [&](const proxy::Edit::Did& did) {
    if (did.fires && std::exchange(all.fires, true)) wrong("it fired twice");
    if (did.fires && edit->evidence({}).empty()) wrong("it fired without evidence");
    if (did.act != proxy::Act::pass) wrong("it ended the response");
    all.spares |= !did.spares.empty();
    resting = did.more;
  };
  note(edit->head(head, {}, false));
  for (std::size_t at = 0, i = 0;; i++) {
    bool last = at == body.size();
    auto bytes = body.substr(at, piece);
    at += bytes.size();
    auto size = all.body.size();
    bool rested = resting;
    if (all.spares)
      all.body += bytes;
    else
      note(edit->body(bytes, last, all.body));
    if (rested && resting && all.body.size() != size) wrong("bytes came in the pause");
    if (resting && (last || i >= wakes)) note(edit->more(all.body));
    if (resting && last) wrong("the pause has no end");
    if (last) return all;
  }
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  trace::FaultSpec fault{.name = trace::FaultName::message, .delay = kMillisecond};
  fault.of_message = static_cast<OfMessage>(data[0] % 4);
  fault.nth = 1 + data[1] % 4;
  std::string_view body(reinterpret_cast<const char*>(data) + 4, size - 4);
  auto whole = expected(fault, body);
  for (auto piece : {body.size() + 1, std::size_t{data[2]} % 16 + 1})
    if (made(fault, body, piece, data[3]) != whole) wrong("it is not what it should be");
  return 0;
}
