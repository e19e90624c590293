#include "proxy/net/client_hello.h"

#include <algorithm>
#include <utility>

namespace retrial::proxy {
namespace {

constexpr std::size_t kMost = 64 << 10;    // of all its records
constexpr std::size_t kRecord = 16 << 10;  // RFC 8446 5.1
constexpr std::size_t kRecordHead = 5, kMessageHead = 4;
constexpr std::size_t kHandshake = 22, kClientHello = 1;
constexpr std::size_t kServerName = 0, kAlpn = 16;

// Reads from the front; whatever is missing makes it bad, and stays so.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}
  std::size_t number(int bytes) {
    std::size_t n = 0;
    for (unsigned char c : take(static_cast<std::size_t>(bytes))) n = n << 8 | c;
    return n;
  }
  std::string_view take(std::size_t size) {
    if (size > rest_.size()) {
      bad_ = true;
      rest_ = {};
      return {};
    }
    auto taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  Bytes vector(int length_bytes) {
    Bytes inner(take(number(length_bytes)));
    inner.bad_ = bad_;
    return inner;
  }
  std::string_view rest() const { return rest_; }
  bool bad() const { return bad_; }

 private:
  std::string_view rest_;
  bool bad_ = false;
};

bool read_server_name(Bytes extension, std::string& name) {
  auto list = extension.vector(2);
  while (!list.rest().empty()) {
    auto type = list.number(1);
    auto value = list.vector(2);
    if (list.bad() || value.rest().empty()) return false;
    if (type == 0 && name.empty()) name = value.rest();
  }
  // RFC 6066 3: ASCII, and what stands here becomes part of a certificate and of log lines.
  auto printable = [](char c) { return c > 0x20 && c < 0x7f; };
  return !list.bad() && extension.rest().empty() && name.size() <= 255 &&
         std::all_of(name.begin(), name.end(), printable);
}

bool read_alpn(Bytes extension, std::vector<std::string>& alpn) {
  auto list = extension.vector(2);
  while (!list.rest().empty()) {
    auto protocol = list.vector(1);
    if (list.bad() || protocol.rest().empty()) return false;
    alpn.emplace_back(protocol.rest());
  }
  return !list.bad() && extension.rest().empty() && !alpn.empty();
}

bool read_message(std::string_view body, ClientHello& hello) {
  constexpr std::size_t kVersionAndRandom = 2 + 32;
  Bytes message(body);
  message.take(kVersionAndRandom);
  auto session = message.vector(1);
  auto ciphers = message.vector(2);
  auto compressions = message.vector(1);
  if (message.bad() || session.rest().size() > 32 || ciphers.rest().size() < 2 || compressions.rest().empty())
    return false;
  if (message.rest().empty()) return true;  // no extensions, as TLS 1.2 allows
  auto extensions = message.vector(2);
  if (message.bad() || !message.rest().empty()) return false;
  bool named = false, listed = false;
  while (!extensions.rest().empty()) {
    auto type = extensions.number(2);
    auto value = extensions.vector(2);
    if (extensions.bad()) return false;
    if (type == kServerName && (std::exchange(named, true) || !read_server_name(value, hello.server_name)))
      return false;
    if (type == kAlpn && (std::exchange(listed, true) || !read_alpn(value, hello.alpn))) return false;
  }
  return !extensions.bad();
}

}  // namespace

HelloStep read_client_hello(std::string_view bytes, ClientHello& hello) {
  std::string joined;  // the message, where it goes over several records
  std::string_view message;
  const auto more = bytes.size() < kMost ? HelloStep::more : HelloStep::not_tls;
  for (auto rest = bytes;;) {
    auto byte = [&](std::size_t n) { return static_cast<unsigned char>(rest[n]); };
    if (rest.empty()) return more;
    if (byte(0) != kHandshake || (rest.size() > 1 && byte(1) != 3) || (rest.size() > 2 && byte(2) > 4))
      return HelloStep::not_tls;
    if (rest.size() < kRecordHead) return more;
    std::size_t size = byte(3) << 8 | byte(4);
    if (size == 0 || size > kRecord) return HelloStep::not_tls;
    auto declared = message.size() + size;
    auto record = rest.substr(kRecordHead, size);
    if (message.empty()) {
      message = record;
    } else {
      if (joined.empty()) joined = message;
      joined += record;
      message = joined;
    }
    if (!message.empty() && message[0] != kClientHello) return HelloStep::not_tls;
    if (message.size() >= kMessageHead) {
      Bytes head(message);
      head.take(1);
      auto length = head.number(3);
      // Nothing else shares the last record: the client has to wait for the answer.
      if (length > kMost || declared > kMessageHead + length) return HelloStep::not_tls;
      if (head.rest().size() == length) {
        hello = {};
        if (read_message(head.rest(), hello)) return HelloStep::whole;
        hello = {};
        return HelloStep::not_tls;
      }
    }
    if (rest.size() < kRecordHead + size) return more;
    rest.remove_prefix(kRecordHead + size);
  }
}

}  // namespace retrial::proxy
