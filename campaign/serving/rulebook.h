#pragma once
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "campaign/config/config.h"
#include "campaign/serving/audit.h"
#include "proxy/server/rules.h"

namespace retrial::campaign {

// Why an operator's wish is not granted: nothing has changed. `status` is HTTP's.
struct Refused {
  int status = 400;
  std::string why;  // one line; of a broken rule it names the key and what stands there
};
template <class T>
using Granted = std::expected<T, Refused>;
inline std::unexpected<Refused> refuse(int status, std::string why) {
  return std::unexpected(Refused{status, std::move(why)});
}

// What an operator knew of a thing when he said what to do with it (RFC 9110 13.1.1, 13.1.2). Empty: nothing is asked.
struct Conditions {
  std::string if_match;       // an ETag, or "*": it is there
  std::string if_none_match;  // "*": it is not
};

// The rules of a running `serve`: those of operators, in the order in which they were put, and behind them those of the
// file and of the command line. The first that matches decides. One thread.
class Rulebook {
 public:
  enum class From : std::uint8_t { operators, file, command };
  struct Entry {
    Rule rule;
    From from = From::operators;
    std::string etag;
    // What came of the rule of this name since it was first here, switched off or changed meanwhile or not.
    std::shared_ptr<proxy::RuleCounts> counts = std::make_shared<proxy::RuleCounts>();
  };
  static constexpr std::size_t kMost = 10'000;  // rules of operators

  explicit Rulebook(const Config& config, std::uint64_t start = 0);  // `start` tells its ETags from another's
  // Those of the file anew. Operators' stay; what an operator has switched stays so where the rule is the same.
  void reload(const Config& config);

  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* named(std::string_view name) const;  // or null
  std::vector<proxy::RuleSettings> in_force() const;
  std::string etag() const;  // of all of them; another after each change

  // What has changed since it was last asked for.
  std::vector<RuleChange> take_changes() { return std::exchange(changes_, {}); }

  // Each gives whether anything has changed: the same wish again changes nothing. `text` is JSON: the keys of [[rule]].
  Granted<bool> put(const std::string& name, std::string_view text, const Conditions& conditions);
  Granted<bool> put_all(std::string_view text, const Conditions& conditions);  // an array: all of operators
  Granted<bool> erase(const std::string& name, const Conditions& conditions);
  Granted<bool> enable(const std::string& name, bool enabled, const Conditions& conditions);

 private:
  Granted<Entry> read(const std::string& name, std::string_view text) const;
  std::vector<Entry>::iterator find(std::string_view name);
  void take(const Config& config, const std::vector<Entry>& before);
  void changed(const std::vector<Entry>& before, const std::vector<Entry>& after);

  Config services_;  // of the configuration: what rules may name, and the listeners that they are for
  std::vector<Entry> entries_;
  std::map<std::string, std::pair<std::string, bool>> switched_;  // of the file's: which rule it was, and how it stands
  std::uint64_t start_, version_ = 1;
  std::vector<RuleChange> changes_;
};

// As JSON, without counts.
std::string as_json(const Rulebook::Entry& entry);
std::string_view show(Rulebook::From from);

}  // namespace retrial::campaign
