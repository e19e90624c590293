#pragma once
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "trace/calls/correlator_keys.h"

namespace retrial::trace {

// What only a whole run shows.
class Hindsight {
 public:
  // `by_time` points into `all`, which must outlive it; so must every exchange that it is asked about.
  Hindsight(std::span<const Exchange> all, const std::vector<const Exchange*>& by_time);

  // That a request which begins `gap` after the same one failed goes on from it, against that it would have come
  // anyway: how often the same comes as long after a failure, beside how often it comes after a success. The same is
  // what has the same place and content, or the same place alone. Gaps are without what the client's thread worked in
  // them (pause_between): load makes them of all lengths.
  double odds(const Exchange& e, Nanos gap, bool same_content = true) const;
  // Has enough come to a good end to say so?
  bool knows(const Exchange& e) const;
  // Does what names its call come once more, later than that? Then nothing else goes on from it.
  bool comes_again(const Exchange& e, Nanos after) const;
  // Has nothing come from its call site after a success, or at once with another? Then it goes over no items.
  bool ends_with_success(const Exchange& e) const;
  // Were there too few requests from its call site to compare one with another?
  bool few(const Exchange& e) const;
  // Was its content sent this one time?
  bool once(const Exchange& e) const;
  // The next request of its place; null: it is the last.
  const Exchange* next(const Exchange& e) const { return known(e).next; }
  // Two of these requests were under way at once.
  bool in_parallel(const Exchange& e) const { return parallel_.contains(key_of(e)); }
  // Is that id header one by which this client names more than a call?
  bool names_more(const Exchange& e, Key header) const;
  // Does this client ask the same of several ports of one host, without one of them having failed?
  bool many_services(const Exchange& e) const;

  // Place, part and content; 0 where the content is not known.
  Key key_of(const Exchange& e) const;

 private:
  struct Window {
    Nanos from, to;
  };
  // Of requests that may be compared: after how long the same came again.
  struct Again {
    std::vector<Nanos> after_success, after_failure;  // gaps, sorted
    std::size_t successes = 0, failures = 0;
    std::size_t interrupted = 0;  // gaps after failures in which something else began
    double exposure = 0;          // seconds, after successes
    bool concurrent = false;      // two were under way at once

    double odds(Window window, double usual, double told, double width) const;
  };
  void read_gaps(const std::vector<const Exchange*>& by_time);
  void read_ids(const std::vector<const Exchange*>& by_time);
  void read_services(const std::vector<const Exchange*>& by_time);

  void read_gaps(const std::vector<const Exchange*>& requests, bool same_content);
  bool between(const Exchange& e, const Exchange& next) const;  // did its process begin anything?
  const Again* again_of(const Exchange& e, bool same_content) const;
  Key content_at(const Exchange& e) const;

  struct Known {
    Key place = 0, content = 0;
    bool has_content = false;
    Nanos named_until = 0;  // begin of the last with its call id, or an id of its
    const Exchange* next = nullptr;
  };
  const Known& known(const Exchange& e) const;
  const Exchange* first_;
  std::vector<Known> known_;                            // of all exchanges
  std::unordered_map<Key, Again> again_;                // by operation and call site, and by service
  std::unordered_map<Key, std::size_t> times_;          // by content
  std::unordered_map<Key, std::vector<Nanos>> begins_;  // of a process at a service, in order
  Nanos ended_ = 0;
  std::unordered_set<Key> parallel_;
  std::unordered_set<Key> sessions_;
  std::unordered_map<Key, std::set<std::string>> asked_;  // by anywhere_key
};

}  // namespace retrial::trace
