#include "proxy/net/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>
#include <vector>

namespace retrial::proxy {
namespace {
constexpr std::size_t kMostSpare = 16;
thread_local std::vector<std::unique_ptr<Pipe>> spare;
}  // namespace

std::unique_ptr<Pipe> Pipe::take() {
  if (!spare.empty()) {
    auto pipe = std::move(spare.back());
    spare.pop_back();
    return pipe;
  }
  int ends[2];
  if (::pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0) return nullptr;
  ::fcntl(ends[1], F_SETPIPE_SZ, static_cast<int>(kRoom));
  return std::unique_ptr<Pipe>(new Pipe(ends[0], ends[1]));
}

void Pipe::let_go(std::unique_ptr<Pipe> pipe) {
  if (pipe && pipe->size() == 0 && spare.size() < kMostSpare) spare.push_back(std::move(pipe));
}

Pipe::~Pipe() {
  ::close(out_);
  ::close(in_);
}

ssize_t Pipe::fill(int from, std::size_t most) {
  auto n = ::splice(from, nullptr, in_, nullptr, most, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  if (n > 0) size_ += static_cast<std::size_t>(n);
  return n;
}

ssize_t Pipe::empty(int into) {
  auto n = ::splice(out_, nullptr, into, nullptr, size_, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  if (n > 0) size_ -= static_cast<std::size_t>(n);
  return n;
}

void Pipe::read_into(std::string& out) {
  auto at = out.size();
  out.resize(at + size_);
  while (size_ > 0) {
    auto n = ::read(out_, out.data() + at, size_);
    if (n <= 0) break;  // of bytes that are there it does not fail
    at += static_cast<std::size_t>(n);
    size_ -= static_cast<std::size_t>(n);
  }
  out.resize(at);
}

}  // namespace retrial::proxy
