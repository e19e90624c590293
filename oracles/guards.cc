#include "oracles/guards.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracles/ledger.h"
#include "oracles/looked_up.h"
#include "oracles/members.h"
#include "oracles/repeat.h"
#include "trace/calls/operation.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {

std::string write_key(const trace::Exchange& e) {
  return e.tag.site ? fmt::format("{} {}", e.operation, trace::key_of(*e.tag.site)) : std::string();
}

std::vector<std::string> named_in(const trace::Exchange& e) {
  std::vector<std::string> names;
  for (auto part : trace::message::segments(trace::message::path_of(e.target))) names.emplace_back(part);
  for (auto& m : members_of(e.request_sample)) names.push_back(m.value);
  std::ranges::sort(names);
  return names;
}

void Guards::learn(const trace::Run& run) {
  struct Write {
    const trace::Exchange* e;
    std::vector<std::string> names;
  };
  std::vector<Write> writes;
  for (auto& e : run.exchanges)
    if (e.tag.site && had_effect(e)) writes.push_back({&e, named_in(e)});
  for (auto& read : run.exchanges) {
    auto subject = read.tag.site && read.told != 0 && only_reads(read) ? looked_up(read) : std::string();
    if (subject.empty()) continue;
    for (auto& [write, names] : writes)
      if (write->begun >= read.told && write->pid == read.pid && write->tag.test == read.tag.test &&
          std::ranges::binary_search(names, subject))
        writes_[write_key(read)].insert(write_key(*write));
  }
}

std::vector<std::string> Guards::kept_by(const trace::Exchange& read) const {
  auto found = writes_.find(write_key(read));
  return found == writes_.end() ? std::vector<std::string>() : std::vector(found->second.begin(), found->second.end());
}

}  // namespace retrial::oracles
