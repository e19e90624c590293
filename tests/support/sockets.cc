#include "tests/support/sockets.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace retrial::test {
namespace {

constexpr timeval kReplyPatience{20, 0};

std::size_t body_length(std::string_view head) {
  auto folded = lower(head);
  auto at = folded.find("content-length:");
  return at == folded.npos ? 0 : static_cast<std::size_t>(std::stoul(folded.substr(at + 15)));
}

}  // namespace

Client::Client(const proxy::Address& to) : fd_(::socket(to.family(), SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &kReplyPatience, sizeof kReplyPatience);
  setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &kReplyPatience, sizeof kReplyPatience);
  if (::connect(fd_, to.get(), to.size()) == 0) return;
  ::close(fd_);
  fd_ = -1;
}
Client::Client(int fd) : fd_(fd) { setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &kReplyPatience, sizeof kReplyPatience); }
Client::~Client() {
  if (fd_ >= 0) ::close(fd_);
}
Client::Client(Client&& other) noexcept : fd_(std::exchange(other.fd_, -1)), rest_(std::move(other.rest_)) {}

void Client::say(std::string_view bytes) {
  while (!bytes.empty()) {
    auto n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::string Client::hears_answer() {
  for (;;) {
    if (auto end = rest_.find("\r\n\r\n"); end != rest_.npos) {
      auto whole = end + 4 + body_length(rest_.substr(0, end + 2));
      if (rest_.size() >= whole) {
        auto answer = rest_.substr(0, whole);
        rest_.erase(0, whole);
        return answer;
      }
    }
    char buffer[4096];
    auto n = ::recv(fd_, buffer, sizeof buffer, 0);
    if (n <= 0) return std::exchange(rest_, {});
    rest_.append(buffer, static_cast<std::size_t>(n));
  }
}

bool Client::hears_end() {
  char byte;
  auto n = ::recv(fd_, &byte, 1, 0);
  return rest_.empty() && (n == 0 || (n < 0 && errno == ECONNRESET));
}

std::string Client::get(std::string_view path, std::string_view more) {
  say("GET " + std::string(path) + " HTTP/1.1\r\nHost: service\r\n" + std::string(more) + "\r\n");
  return hears_answer();
}

proxy::Address Client::own() const {
  proxy::Address at;
  socklen_t size = sizeof at.storage_;
  getsockname(fd_, at.get(), &size);
  return at;
}

Origin::Origin(std::string name, proxy::Address at)
    : name_(std::move(name)), listener_(::socket(at.family(), SOCK_STREAM | SOCK_CLOEXEC, 0)), at_(at) {
  int one = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  socklen_t size = sizeof at_.storage_;
  EXPECT_EQ(::bind(listener_, at_.get(), at_.size()), 0);
  EXPECT_EQ(::listen(listener_, 512), 0);
  EXPECT_EQ(getsockname(listener_, at_.get(), &size), 0);
  accepting_ = std::thread([this] {
    for (int fd; (fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
      std::lock_guard lock(mutex_);
      connections_++;
      open_.push_back(fd);
      threads_.emplace_back([this, fd] { serve(fd); });
    }
  });
}

Origin::~Origin() {
  ::shutdown(listener_, SHUT_RDWR);
  accepting_.join();
  for (auto fd : open_) ::shutdown(fd, SHUT_RDWR);
  for (auto& thread : threads_) thread.join();
  for (auto fd : open_) ::close(fd);
  ::close(listener_);
}

void Origin::serve(int fd) {
  std::string got;
  char buffer[4096];
  for (;;) {
    for (std::size_t end; (end = got.find("\r\n\r\n")) != got.npos;) {
      got.erase(0, end + 4);
      auto body = name_ + " " + std::to_string(++requests_);
      std::lock_guard wait(holding_);
      auto answer = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
      if (::send(fd, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) return;
    }
    auto n = ::recv(fd, buffer, sizeof buffer, 0);
    if (n <= 0) {
      ::shutdown(fd, SHUT_RDWR);
      return;
    }
    got.append(buffer, static_cast<std::size_t>(n));
  }
}

void Origin::hold() { holding_.lock(); }
void Origin::release() { holding_.unlock(); }

void KeptLog::say(Level, std::string_view line) {
  std::lock_guard lock(mutex_);
  lines_.emplace_back(line);
}
std::vector<std::string> KeptLog::lines() const {
  std::lock_guard lock(mutex_);
  return lines_;
}
int KeptLog::count(std::string_view part) const {
  auto all = lines();
  return static_cast<int>(std::ranges::count_if(all, [&](auto& l) { return l.find(part) != l.npos; }));
}

}  // namespace retrial::test
