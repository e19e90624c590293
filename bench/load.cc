// retrial_load PORT [--rate N] [--seconds S] [--connections N] [--timeout-ms N] [--paths A,B,C]
//
// An open load of GETs: request i is due at i/rate, whatever became of the others, and its latency counts from then. It
// goes out on a connection that waits, else on a new one, else (all N busy) when one is free. What came of each is
// counted exactly, by path: whole answers, those with a fault's marker, resets, ends before a whole answer, silence
// past the time-out. Prints JSON; exit status 1 only if the load itself failed.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {
using Clock = std::chrono::steady_clock;
using Nanos = std::int64_t;
constexpr Nanos kSecond = 1'000'000'000;

struct Options {
  int port = 0;
  double rate = 1000;
  double seconds = 10;
  std::size_t connections = 64;
  Nanos timeout = 5 * kSecond;
  std::vector<std::string> paths{"/"};
};
struct Counts {
  std::uint64_t sent = 0, ok = 0, marked = 0, other = 0, reset = 0, closed = 0, silent = 0, failed_connect = 0;
};
struct Connection {
  int fd = -1;
  bool busy = false;
  std::size_t path = 0;
  Nanos due = 0;
  Nanos sent_at = 0;
  std::string in;
};

Nanos now() { return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count(); }

[[noreturn]] void die(const char* what) {
  std::fprintf(stderr, "retrial_load: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

// Where the answer at the head of `in` ends, once it is there: head, and a body of Content-Length. npos: not yet.
std::size_t end_of_answer(std::string_view in) {
  auto head = in.find("\r\n\r\n");
  if (head == in.npos) return head;
  constexpr std::string_view kName = "\r\ncontent-length:";
  auto at = std::search(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(head), kName.begin(), kName.end(),
                        [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
  auto found = static_cast<std::size_t>(at - in.begin());
  auto length = found < head ? std::strtoull(in.data() + found + kName.size(), nullptr, 10) : 0;
  return in.size() >= head + 4 + length ? head + 4 + length : in.npos;
}

class Load {
 public:
  explicit Load(Options options) : options_(std::move(options)), counts_(options_.paths.size()) {
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    if (epoll_ < 0) die("epoll_create1");
    ::prctl(PR_SET_TIMERSLACK, 1);
    for (auto& path : options_.paths)
      requests_.push_back("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(options_.port) +
                          "\r\nUser-Agent: retrial-load\r\nAccept: */*\r\n\r\n");
    connections_.resize(options_.connections);
    for (std::size_t i = options_.connections; i-- > 0;) waiting_.push_back(i);
  }

  void run() {
    auto all = static_cast<std::uint64_t>(options_.rate * options_.seconds);
    auto began = now();
    Nanos swept = began;
    for (std::uint64_t next = 0; next < all || busy_ > 0;) {
      auto at = now();
      if (at - began > 2 * static_cast<Nanos>(options_.seconds * kSecond)) next = all;  // it will not catch up
      auto due = [&] { return began + static_cast<Nanos>(static_cast<double>(next) * kSecond / options_.rate); };
      while (next < all && due() <= at && !waiting_.empty()) send(next % requests_.size(), due()), next++;
      Nanos wait = next < all && !waiting_.empty() ? std::max<Nanos>(0, due() - now()) : kSecond / 20;
      hear(std::min(wait, kSecond / 20));
      if (at - swept > kSecond / 20) sweep(swept = at);
    }
    took_ = static_cast<double>(now() - began) / kSecond;
  }

  void print() {
    std::sort(latencies_.begin(), latencies_.end());
    auto at = [&](double part) {
      return latencies_.empty()
                 ? 0.0
                 : latencies_[static_cast<std::size_t>(part * static_cast<double>(latencies_.size() - 1))] / 1e3;
    };
    std::printf("{\"seconds\":%.3f,\"p50\":%.1f,\"p99\":%.1f,\"p999\":%.1f,\"paths\":{", took_, at(.5), at(.99),
                at(.999));
    Counts sum;
    for (std::size_t i = 0; i < counts_.size(); i++) {
      const auto& c = counts_[i];
      std::printf("%s\"%s\":", i ? "," : "", options_.paths[i].c_str());
      print(c);
      sum.sent += c.sent, sum.ok += c.ok, sum.marked += c.marked, sum.other += c.other, sum.reset += c.reset;
      sum.closed += c.closed, sum.silent += c.silent, sum.failed_connect += c.failed_connect;
    }
    std::printf("},\"total\":");
    print(sum);
    std::printf("}\n");
  }

 private:
  static void print(const Counts& c) {
    std::printf(
        "{\"sent\":%lu,\"ok\":%lu,\"marked\":%lu,\"other\":%lu,\"reset\":%lu,\"closed\":%lu,\"silent\":%lu,\"failed_"
        "connect\":%lu}",
        c.sent, c.ok, c.marked, c.other, c.reset, c.closed, c.silent, c.failed_connect);
  }

  bool open(std::size_t i) {
    auto& c = connections_[i];
    c.fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c.fd < 0) die("socket");
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(options_.port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(c.fd, reinterpret_cast<sockaddr*>(&to), sizeof to)) {
      ::close(c.fd);
      c.fd = -1;
      return false;
    }
    int one = 1;
    ::setsockopt(c.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    epoll_event event{.events = EPOLLIN | EPOLLRDHUP, .data = {.u64 = i}};
    if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, c.fd, &event)) die("epoll_ctl");
    c.in.clear();
    return true;
  }
  void shut(std::size_t i) {
    ::close(connections_[i].fd);
    connections_[i].fd = -1;
  }

  // A connection that the proxy ended while it waited is replaced, as any client's pool would: the request was not
  // sent.
  bool still_open(const Connection& c) {
    char byte;
    auto n = ::recv(c.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
  void send(std::size_t path, Nanos due) {
    auto i = waiting_.back();
    auto& c = connections_[i];
    if (c.fd >= 0 && !still_open(c)) shut(i);
    counts_[path].sent++;
    if (c.fd < 0 && !open(i)) {
      counts_[path].failed_connect++;
      return;
    }
    waiting_.pop_back();
    c.busy = true, c.path = path, c.due = due, c.sent_at = now();
    busy_++;
    const auto& request = requests_[path];
    if (::send(c.fd, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size()))
      settle(i, &Counts::reset, true);
  }

  void settle(std::size_t i, std::uint64_t Counts::* what, bool over) {
    auto& c = connections_[i];
    counts_[c.path].*what += 1;
    c.busy = false;
    busy_--;
    waiting_.push_back(i);
    if (over) shut(i);
  }

  void hear(Nanos wait) {
    epoll_event events[256];
    timespec limit{wait / kSecond, wait % kSecond};
    int n = ::epoll_pwait2(epoll_, events, 256, &limit, nullptr);
    for (int e = 0; e < n; e++) read(static_cast<std::size_t>(events[e].data.u64));
  }

  void read(std::size_t i) {
    auto& c = connections_[i];
    if (c.fd < 0) return;
    char buffer[64 << 10];
    auto n = ::recv(c.fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (!c.busy) return shut(i);
    if (n <= 0) return settle(i, n < 0 ? &Counts::reset : &Counts::closed, true);
    c.in.append(buffer, static_cast<std::size_t>(n));
    auto end = end_of_answer(c.in);
    if (end == c.in.npos) return;
    latencies_.push_back(static_cast<float>(now() - c.due));
    std::string_view answer(c.in.data(), end);
    bool marked = answer.find("retrial-") != answer.npos, ok = answer.starts_with("HTTP/1.1 200");
    bool last = end < c.in.size() || answer.substr(0, answer.find("\r\n\r\n")).find("onnection: close") != answer.npos;
    c.in.clear();
    settle(i, marked ? &Counts::marked : ok ? &Counts::ok : &Counts::other, last);
  }

  void sweep(Nanos at) {
    for (std::size_t i = 0; i < connections_.size(); i++)
      if (connections_[i].busy && at - connections_[i].sent_at > options_.timeout) settle(i, &Counts::silent, true);
  }

  Options options_;
  std::vector<Counts> counts_;
  int epoll_ = -1;
  std::vector<std::string> requests_;
  std::vector<Connection> connections_;
  std::vector<std::size_t> waiting_;
  std::size_t busy_ = 0;
  std::vector<float> latencies_;
  double took_ = 0;
};
}  // namespace

int main(int count, char** args) {
  Options options;
  if (count < 2 || count % 2 != 0) {
    std::fprintf(
        stderr, "usage: retrial_load PORT [--rate N] [--seconds S] [--connections N] [--timeout-ms N] [--paths A,B]\n");
    return 2;
  }
  options.port = std::atoi(args[1]);
  for (int i = 2; i + 1 < count; i += 2) {
    std::string_view name = args[i];
    if (name == "--rate") options.rate = std::atof(args[i + 1]);
    if (name == "--seconds") options.seconds = std::atof(args[i + 1]);
    if (name == "--connections") options.connections = static_cast<std::size_t>(std::atoi(args[i + 1]));
    if (name == "--timeout-ms") options.timeout = std::atoll(args[i + 1]) * 1'000'000;
    if (name == "--paths") {
      options.paths.clear();
      for (std::string_view rest = args[i + 1]; !rest.empty();) {
        auto comma = std::min(rest.find(','), rest.size());
        options.paths.emplace_back(rest.substr(0, comma));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
      }
    }
  }
  Load load(std::move(options));
  load.run();
  load.print();
}
