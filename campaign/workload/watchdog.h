#pragma once
#include <optional>

#include "campaign/workload/execution.h"
#include "proxy/capture/tree.h"
#include "proxy/proxy.h"

namespace retrial::campaign {

// Looks at a run from time to time, and says when and why it has to be ended. A connect that is never answered is held
// like an exchange. All but the deadline is in the client's time, what is held in real time too; a tree hangs that does
// nothing for a minute of real time, or for hours of the client's.
class Watchdog {
 public:
  Watchdog(const RunSpec& spec, const Clock& client, const Clock& real);

  std::optional<trace::Stop> look(const proxy::Proxy& proxy, const proxy::Tree& tree, int target_attempts);
  // Client time at which look() may say so although nothing happens until then; 0: none.
  Nanos next(const proxy::Proxy& proxy, const proxy::Tree& tree) const;

 private:
  Nanos held_since(const proxy::Proxy& proxy, const proxy::Tree& tree) const;
  bool held_too_long(Nanos held);
  bool hangs(const proxy::Proxy& proxy, Nanos now);
  bool may_hang(const proxy::Proxy& proxy) const;
  bool went_on_too_long(int target_attempts, Nanos now);
  void measure(const proxy::Tree& tree);

  Nanos client_hold() const { return spec_.client_hold ? spec_.client_hold : spec_.hold; }

  const RunSpec& spec_;
  const Clock& client_;
  const Clock& real_;
  Nanos began_, really_began_;
  Nanos cpu_at_, cpu_ = 0;            // real, of the last measure
  Nanos active_ = 0;                  // Proxy::last_activity, seen at
  Nanos active_at_, longest_ = 0;     // real, as is the longest time without
  Nanos held_ = 0, really_held_ = 0;  // since when it is held, and when that was seen
  int attempts_ = 0;
  Nanos attempted_since_ = 0, attempted_last_ = 0;
};

}  // namespace retrial::campaign
