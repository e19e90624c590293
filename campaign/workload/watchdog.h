#pragma once
#include <optional>

#include "campaign/workload/attempt_limit.h"
#include "campaign/workload/execution.h"
#include "proxy/capture/tree.h"
#include "proxy/proxy.h"

namespace retrial::campaign {

// Looks at a run from time to time, and says when and why it has to be ended. A connect that is never answered is held
// like an exchange: for `hold`, and as long as its clock gets on fast for `client_hold`. All but the deadline is in the
// client's time; a tree hangs that does nothing for a minute of real time, or for hours of the client's: two days, or
// two in which it wakes up again and again, too often to be looked at for days, and waits for nothing that comes later.
class Watchdog {
 public:
  Watchdog(const RunSpec& spec, const Clock& client, const Clock& real);

  // `in_vain`: CampaignDirector::in_vain. `last_wait`: client time of the latest end of a wait of the tree; 0: none.
  std::optional<trace::Stop> look(const proxy::Proxy& proxy, const proxy::Tree& tree, int target_attempts, int in_vain,
                                  Nanos last_wait);
  // Has nothing happened for so long, in the client's time, and is nothing under way?
  bool idle_for(Nanos time, const proxy::Proxy& proxy) const;
  // Client time at which look() may say so although nothing happens until then; 0: none.
  Nanos next(const proxy::Proxy& proxy, const proxy::Tree& tree) const;
  // Client time beyond which the clock is not to be moved yet, since a service may say more on a stream that is open:
  // twice as far from the last byte as it really is, once that is heard; 0: wherever the client's waits end.
  Nanos furthest(const proxy::Proxy& proxy) const;

 private:
  Nanos held_since(const proxy::Proxy& proxy, const proxy::Tree& tree) const;
  Nanos hold() const;
  Nanos sample() const;
  bool hangs(const proxy::Proxy& proxy, Nanos now, Nanos last_wait);
  bool may_hang(const proxy::Proxy& proxy) const;
  Nanos surely(Nanos idle, const proxy::Proxy& proxy) const;
  void measure(const proxy::Tree& tree);

  const RunSpec& spec_;
  const Clock& client_;
  const Clock& real_;
  Nanos began_, really_began_;
  Nanos looked_at_, longest_step_ = 0;  // between two looks since the last activity: a wait that the client ends itself
  Nanos measured_at_;                   // the last measure
  Nanos cpu_at_, cpu_ = 0;              // real, of it
  Nanos held_ = 0, held_at_ = 0;        // what is held, since; seen at (real)
  Nanos active_ = 0;                    // Proxy::last_activity, seen at
  Nanos active_at_, longest_ = 0;       // real, as is the longest time without
  AttemptLimit attempts_;
};

}  // namespace retrial::campaign
