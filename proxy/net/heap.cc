#include "proxy/net/heap.h"

#include <cstdint>

// Weak: sanitizers have no jemalloc beside them.
extern "C" int mallctl(const char* name, void* old, std::size_t* size, void* given, std::size_t given_size)
    __attribute__((weak));
// What is freed goes back to the kernel within a second, and not after ten: what the process is seen to hold is near
// what is counted.
extern "C" const char* malloc_conf;
const char* malloc_conf = "dirty_decay_ms:1000,muzzy_decay_ms:0";

namespace retrial::proxy {
namespace {

template <class T>
T asked(const char* name) {
  T value{};
  std::size_t size = sizeof value;
  if (mallctl) mallctl(name, &value, &size, nullptr, 0);
  return value;
}

struct Jemalloc final : Heap {
  std::size_t in_use() const override {
    if (!mallctl) return 0;
    std::uint64_t epoch = 1;  // the statistics are of when this was last written
    mallctl("epoch", nullptr, nullptr, &epoch, sizeof epoch);
    return asked<std::size_t>("stats.allocated");
  }
  std::int64_t by_this_thread() const override {
    thread_local auto* allocated = asked<std::uint64_t*>("thread.allocatedp");
    thread_local auto* freed = asked<std::uint64_t*>("thread.deallocatedp");
    return allocated && freed ? static_cast<std::int64_t>(*allocated - *freed) : 0;
  }
};
}  // namespace

const Heap& Heap::own() {
  static const Jemalloc heap;
  return heap;
}

}  // namespace retrial::proxy
