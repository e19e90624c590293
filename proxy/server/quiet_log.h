#pragma once
#include <mutex>
#include <optional>

#include "proxy/server/log.h"
#include "proxy/server/repeats.h"

namespace retrial::proxy {

// Hands a server's lines on, and warnings only as often as Repeats has them told. From any thread.
class QuietLog final : public Log {
 public:
  QuietLog(Log& to, const Clock& clock) : to_(to), clock_(clock) {}
  ~QuietLog() override;  // what is owed is told
  void say(Level level, std::string_view line) override;

  // How long until there will be something for remind() to tell of what was left out.
  std::optional<Nanos> due() const;
  void remind();

 private:
  Log& to_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  Repeats repeats_;
};

}  // namespace retrial::proxy
