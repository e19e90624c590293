#pragma once
#include <unordered_set>

#include "proxy/net/address.h"
#include "trace/run.h"

namespace retrial::proxy::capture {

// Counts of a tree's connects, and the names of what stayed native.
class Ledger {
 public:
  const trace::CaptureCounts& counts() const { return counts_; }
  trace::CaptureCounts& counts() { return counts_; }

  void reached(const Address& to) { counts_.reached.insert(to.show()); }
  void beyond(const Address& to);
  void failed(const Address& to, int error_number);
  void late(const Address& to);
  void outside(const Address& to, std::string_view why = "outside");
  void unreadable(pid_t thread, std::string_view what, int error_number);
  void unreadable(const Address& to, std::string_view why);
  void left_over(pid_t process, std::string_view name, std::string_view remark = {});

 private:
  void name(std::string text);
  trace::CaptureCounts counts_;
  std::unordered_set<std::string> named_;
};

}  // namespace retrial::proxy::capture
