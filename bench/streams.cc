// retrial_streams PORT PATH HELD SECONDS [STREAMS]
//
// One HTTP/2 connection in clear text with STREAMS (100) streams: all but one are a closed load of GETs of PATH, each
// sent when the one before it was answered. In every other phase of a tenth of a second the last stream asks for
// HELD, which must not be answered whole; it is cancelled at the phase's end. The connection's window is given back on
// receipt, a stream's never. Prints JSON: the latencies (us) without and with the held stream, of requests that began
// and ended in one phase, and the requests that failed. Exit status 1 where the held stream ended or the connection
// did.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {
using Clock = std::chrono::steady_clock;
constexpr auto kPhase = std::chrono::milliseconds(100);
constexpr std::uint32_t kWindow = 1U << 30;
enum : std::uint8_t { kData, kHeaders, kPriority, kReset, kSettings, kPush, kPing, kGoaway, kWindowUpdate };
constexpr std::uint8_t kEndStream = 1, kAck = 1, kEndHeaders = 4, kPadded = 8, kPriorityFlag = 0x20;

[[noreturn]] void die(const char* what) {
  std::fprintf(stderr, "retrial_streams: %s\n", what);
  std::exit(1);
}

std::string number(std::uint32_t n) {
  return {static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8), static_cast<char>(n)};
}
std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream, std::string_view payload) {
  std::string out = number(static_cast<std::uint32_t>(payload.size())).substr(1);
  out += static_cast<char>(type), out += static_cast<char>(flags);
  return out.append(number(stream)).append(payload);
}
std::uint32_t number_at(const unsigned char* p) {
  return std::uint32_t{p[0]} << 24 | std::uint32_t{p[1]} << 16 | std::uint32_t{p[2]} << 8 | p[3];
}

struct Request {
  Clock::time_point sent;
  int phase = 0;
  bool ok = false;  // :status 200
};

class Streams {
 public:
  Streams(int port, std::string_view path, std::string_view held)
      : get_(section(port, path)), held_(section(port, held)) {
    fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    timeval limit{5, 0};
    int one = 1;
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) die("no connection");
    out_ = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    out_ += frame(kSettings, 0, 0, std::string("\0\1\0\0\0\0\0\2\0\0\0\0", 12));  // no dynamic table, no PUSH
    out_ += frame(kWindowUpdate, 0, 0, number(kWindow));
  }

  // Phase 0 warms up; then without, with, with, without, and so on.
  void run(double seconds, int streams) {
    auto began = Clock::now();
    int phases = std::max(2, static_cast<int>(seconds * 1000 / static_cast<double>(kPhase.count())) & ~1);
    for (int i = 1; i < streams; i++) send();
    flush();
    for (;;) {
      hear();
      auto at = static_cast<int>((Clock::now() - began) / kPhase);
      if (at > phases) break;
      if (at != phase_) turn(at);
      flush();
    }
  }

  bool print() {
    std::printf("{");
    for (int held = 0; held < 2; held++) {
      auto& all = latencies_[held];
      if (all.empty()) return false;
      std::sort(all.begin(), all.end());
      auto at = [&](double part) { return all[static_cast<std::size_t>(part * static_cast<double>(all.size() - 1))]; };
      std::printf("\"%s\":{\"p50\":%.1f,\"p99\":%.1f,\"requests\":%zu},", held ? "held" : "alone",
                  static_cast<double>(at(.5)), static_cast<double>(at(.99)), all.size());
    }
    std::printf("\"failed\":%d}\n", failed_);
    return true;
  }

 private:
  // Static table: :method GET, :scheme http, then :path and :authority as literals that enter no table.
  static std::string section(int port, std::string_view path) {
    auto authority = "127.0.0.1:" + std::to_string(port);
    std::string out = "\x82\x86\x04";
    out += static_cast<char>(path.size()), out += path;
    out += '\x01', out += static_cast<char>(authority.size()), out += authority;
    return out;
  }
  static bool holds(int phase) { return phase % 4 == 2 || phase % 4 == 3; }

  void send() {
    out_ += frame(kHeaders, kEndStream | kEndHeaders, next_, get_);
    requests_[next_] = {Clock::now(), phase_};
    next_ += 2;
  }
  void turn(int phase) {
    if (holds(phase) && !holding_) {
      out_ += frame(kHeaders, kEndStream | kEndHeaders, holding_ = next_, held_);
      next_ += 2;
    } else if (!holds(phase) && holding_) {
      out_ += frame(kReset, 0, holding_, number(8));
      holding_ = 0;
    }
    phase_ = phase;
  }
  void flush() {
    if (unseen_ >= kWindow / 4) out_ += frame(kWindowUpdate, 0, 0, number(unseen_)), unseen_ = 0;
    for (std::string_view rest = out_; !rest.empty();) {
      auto n = ::send(fd_, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (n <= 0) die("the connection takes no more");
      rest.remove_prefix(static_cast<std::size_t>(n));
    }
    out_.clear();
  }

  void hear() {
    static char buffer[256 << 10];
    auto n = ::recv(fd_, buffer, sizeof buffer, 0);
    if (n <= 0) die(n == 0 ? "the connection was ended" : "no stream was answered for 5 s");
    in_.append(buffer, static_cast<std::size_t>(n));
    std::size_t at = 0;
    while (in_.size() - at >= 9) {
      const auto* p = reinterpret_cast<const unsigned char*>(in_.data() + at);
      std::size_t length = number_at(p) >> 8;
      if (in_.size() - at < 9 + length) break;
      take(p[3], p[4], number_at(p + 5) & 0x7fffffff, {in_.data() + at + 9, length});
      at += 9 + length;
    }
    in_.erase(0, at);
  }
  void take(std::uint8_t type, std::uint8_t flags, std::uint32_t stream, std::string_view payload) {
    if (type == kGoaway) die("GOAWAY came");
    if (type == kSettings && !(flags & kAck)) out_ += frame(kSettings, kAck, 0, {});
    if (type == kPing && !(flags & kAck)) out_ += frame(kPing, kAck, 0, payload);
    if (type == kData) unseen_ += static_cast<std::uint32_t>(payload.size());
    if (type != kData && type != kHeaders && type != kReset) return;
    bool over = type == kReset || flags & kEndStream;
    if (stream == holding_ && over) die("the held stream was answered");
    auto found = requests_.find(stream);
    if (found == requests_.end()) return;
    if (type == kHeaders) found->second.ok = found->second.ok || is_200(flags, payload);
    if (over) settle(found, type != kReset && found->second.ok);
  }
  void settle(std::unordered_map<std::uint32_t, Request>::iterator at, bool ok) {
    auto [sent, phase, _] = at->second;
    requests_.erase(at);
    failed_ += !ok;
    if (ok && phase == phase_ && phase > 0)
      latencies_[holds(phase)].push_back(std::chrono::duration<float, std::micro>(Clock::now() - sent).count());
    send();
  }
  // The first field is :status, and index 8 of the static table is 200; what sets the table's size may come before.
  static bool is_200(std::uint8_t flags, std::string_view section) {
    section.remove_prefix(
        std::min<std::size_t>(section.size(), (flags & kPadded ? 1 : 0) + (flags & kPriorityFlag ? 5 : 0)));
    while (!section.empty() && (section[0] & 0xe0) == 0x20) section.remove_prefix(1);
    return section.starts_with('\x88');
  }

  int fd_ = -1;
  std::string get_, held_, in_, out_;
  std::unordered_map<std::uint32_t, Request> requests_;
  std::uint32_t next_ = 1, holding_ = 0, unseen_ = 0;
  int phase_ = 0, failed_ = 0;
  std::vector<float> latencies_[2];
};
}  // namespace

int main(int count, char** args) {
  if (count < 5) {
    std::fprintf(stderr, "usage: retrial_streams PORT PATH HELD SECONDS [STREAMS]\n");
    return 2;
  }
  Streams streams(std::atoi(args[1]), args[2], args[3]);
  streams.run(std::atof(args[4]), count > 5 ? std::atoi(args[5]) : 100);
  return streams.print() ? 0 : 1;
}
