#include "proxy/capture/ledger.h"

#include <fmt/format.h>

#include <cstring>

#include "proxy/capture/processes.h"

namespace retrial::proxy::capture {
namespace {
constexpr std::size_t kMostNamed = 500;  // a port scan must not fill our memory
}

void Ledger::beyond(const Address& to) {
  if (counts_.beyond.size() < kMostNamed) counts_.beyond.insert(to.show());
}
void Ledger::failed(const Address& to, int error_number) {
  ++counts_.failed;
  name(fmt::format("{} ({})", to.show(), std::strerror(error_number)));
}
void Ledger::late(const Address& to) {
  ++counts_.late;
  if (counts_.missed.size() < kMostNamed) counts_.missed.insert(to.show());
  name(to.show() + " (late)");
}
void Ledger::outside(const Address& to, std::string_view why) {
  ++counts_.outside;
  name(fmt::format("{} ({})", to.show(), why));
}
void Ledger::unreadable(pid_t thread, std::string_view what, int error_number) {
  ++counts_.unreadable;
  Stat stat;
  name(fmt::format("{} ({} cannot be read: {})", read_stat(thread, stat) ? stat.name : "?", what,
                   std::strerror(error_number)));
}
void Ledger::unreadable(const Address& to, std::string_view why) {
  ++counts_.unreadable;
  name(fmt::format("{} ({})", to.show(), why));
}
void Ledger::left_over(pid_t process, std::string_view process_name, std::string_view remark) {
  if (counts_.left_over.size() < kMostNamed)
    counts_.left_over.push_back(fmt::format("{}[{}]{}", process_name, process, remark));
}
void Ledger::name(std::string text) {
  if (named_.size() < kMostNamed && named_.insert(text).second) counts_.not_seen.push_back(std::move(text));
}

}  // namespace retrial::proxy::capture
