#include "campaign/first_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/escape.h"
#include "base/text.h"
#include "campaign/report/words.h"
#include "campaign/workload/project/published_ports.h"
#include "policies/policy.h"
#include "trace/profiles/profile.h"

namespace retrial::campaign {
namespace {

using report::counted;
using report::Sight;

struct Key {
  std::string key, value, means;
};

// One below the other, their values and what they mean in columns.
std::string keys(const std::vector<Key>& all) {
  std::size_t key = 0, value = 0;
  for (auto& k : all) key = std::max(key, k.key.size()), value = std::max(value, k.value.size());
  std::string out;
  for (auto& k : all) out += fmt::format("# {:<{}} = {:<{}}  # {}\n", k.key, key, k.value, value, k.means);
  return out;
}

std::string in_quotes(std::string_view text) { return fmt::format("\"{}\"", text); }

std::string run_table() {
  std::vector<std::string> usual;
  for (auto& policy : policies::policies())
    if (policy.by_default) usual.push_back(in_quotes(lower(policy.name)));
  return "[run]\n" +
         keys({{"budget", in_quotes("10m"), "at most so long; what does not fit is left, and named (no budget)"},
               {"policies", fmt::format("[{}]", fmt::join(usual, ", ")), "the faults that are tried (retrial explain faults)"},
               {"workers", "2", "runs side by side (one a core)"},
               {"fail_on", in_quotes("likely"), "the least sure finding that makes the exit status 1"}});
}

std::string port_of(std::string_view address) { return std::string(address.substr(address.rfind(':') + 1)); }
bool has_table(const Sight::Service& service) { return !service.address.ends_with(":*"); }
bool is_known(const Sight::Service& service) {
  return service.profile != trace::kGeneric && !service.profile.contains(',');
}

// What tables are called: by the Compose file, else by the kind of service, else by the port.
class Names {
 public:
  Names(const Sight& sight, const std::filesystem::path& project) : published_(published_ports(project)) {
    for (auto& s : sight.services)
      if (has_table(s) && is_known(s)) known_[s.profile]++;
  }
  const Publisher* publisher(std::string_view address) const {
    auto it = published_.find(port_of(address));
    return it == published_.end() ? nullptr : &it->second;
  }
  std::string name(const std::string& address, const std::string& profile = {}) {
    std::string name = profile.empty() ? "port-" + port_of(address) : profile;
    if (auto it = known_.find(profile); it != known_.end() && it->second > 1) name += "-" + port_of(address);
    if (auto* by = publisher(address)) name = by->service;
    // Bare keys of TOML.
    std::ranges::replace_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_'; }, '-');
    while (!taken_.insert(name).second) name += "-2";
    return name;
  }

 private:
  std::map<std::string, Publisher> published_;
  std::map<std::string, int> known_;
  std::set<std::string> taken_;
};

Key start_of(const Names& names, const std::string& address) {
  if (auto* by = names.publisher(address))
    return {"start", in_quotes("docker compose up " + by->service), by->file + " publishes this port"};
  return {"start", in_quotes("COMMAND"), "a shell command: Retrial starts it before the tests, and ends it"};
}

std::string table(const Sight::Service& service, Names& names) {
  auto out = fmt::format("\n# {}, {}{}.\n[service.{}]\naddress = \"{}\"\n", counted(service.requests, "request"),
                         fmt::join(service.protocols, " and "), service.opened ? " over TLS, which was opened" : "",
                         names.name(service.address, is_known(service) ? service.profile : ""), service.address);
  std::vector<Key> more;
  if (is_known(service))
    more.push_back(
        {"profile", in_quotes(service.profile), "found from the traffic: its errors, and what may be repeated"});
  more.push_back(start_of(names, service.address));
  more.push_back(
      {"ready", in_quotes("tcp"), "with start: it is up when this port is open; or \"http:/path\", \"log:REGEX\""});
  more.push_back({"reset", in_quotes("restart"), "with start, before each run; or a command that empties it"});
  return out + keys(more);
}

std::string refused_table(const std::string& address, Names& names) {
  return fmt::format(
      "\n# Nobody was at {} when the tests asked. If they need it, take these # away and say how it is started.\n"
      "# [service.{}]\n{}",
      address, names.name(address),
      keys({{"address", in_quotes(address), "as the tests have it"}, start_of(names, address)}));
}

std::string unread_table(const std::string& address, Names& names) {
  auto* by = names.publisher(address);
  auto reset = by ? fmt::format("docker compose restart {}", by->service) : "./reset.sh";
  return fmt::format(
      "\n# {} was spoken to in another protocol than HTTP, which passes as it is. What a case leaves there can spoil "
      "the\n"
      "# next one: a command that brings it back to its first state keeps them apart.\n"
      "# [service.{}]\n{}",
      address, names.name(address),
      keys({{"address", in_quotes(address), "as the tests have it"},
            {"reset", in_quotes(reset), "a shell command, run before each run of tests"}}));
}

std::string moving(const Sight& sight) {
  std::string out;
  for (auto& s : sight.services)
    if (!has_table(s))
      out += fmt::format("\n# At {} on a port that changes from run to run: {}, {}. Such a service needs no table.\n",
                         s.address.substr(0, s.address.rfind(':')), counted(s.requests, "request"),
                         fmt::join(s.protocols, " and "));
  return out;
}

std::string head(const Sight& sight, const std::string& command) {
  auto runner = sight.runner != "command" ? sight.runner
                : sight.behind.empty()    ? std::string("a runner that is not known, so that all of it is one test")
                                          : fmt::format("{}", fmt::join(sight.behind, " and "));
  return fmt::format(
      "# What Retrial knows of this project. Everything is optional: docs/configuration.md has every key, and\n"
      "# `retrial check` says whether this file is right. A # before a key is to be taken away; what it means stands\n"
      "# behind it, and in brackets what holds without it.\n"
      "#\n"
      "# Written after one run without faults of\n#   {0}\n"
      "# {1}; {2}, of which {3} can be put on trial. What of it is not seen:\n#   retrial doctor -- {0}\n"
      "# Its trial:\n#   retrial run -- {0}\n\n",
      command, runner, counted(sight.tests, "test"), sight.on_trial);
}

constexpr std::string_view kFindings =
    "\n# A finding that is known and lived with: it stays in the report, and no longer counts for the exit status.\n"
    "# [[accept]]\n"
    "# finding = \"8f3a61c2\"  # its id in the report\n"
    "# why     = \"the reader of this queue is idempotent\"\n";

}  // namespace

std::string first_config(const Sight& sight, const std::string& command, const std::filesystem::path& project) {
  Names names(sight, project);
  auto out = head(sight, one_line(command)) + run_table();
  for (auto& service : sight.services)
    if (has_table(service)) out += table(service, names);
  out += moving(sight);
  for (auto& address : sight.refused) out += refused_table(address, names);
  for (auto& address : sight.unread) out += unread_table(address, names);
  return out + std::string(kFindings);
}

}  // namespace retrial::campaign
