#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/workload/adapters/adapter.h"

namespace retrial::campaign {

// Where in a command a program that npm installs stands, by any of these names ("mocha", "_mocha"): first, or behind
// assignments and launchers (`env A=1`, `cross-env A=1`, `npx`, `yarn run`, `nyc`, `node --opt`), as
// `node_modules/.bin/NAME` or as a file NAME.js, NAME.cjs or NAME.mjs.
std::optional<std::size_t> node_program_at(const std::vector<std::string>& argv,
                                           std::initializer_list<std::string_view> names);

// A runner whose hook, in Node's agent, has its tests run one after another, chooses them, and lifts their time limits.
class NodeRunner : public Adapter {
 public:
  bool knows(const std::vector<std::string>& argv) const override { return program_at(argv).has_value(); }
  Launch suite(const std::vector<std::string>& argv) const override;
  // The whole command: every file is loaded.
  Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool wide) const override;

 protected:
  virtual std::optional<std::size_t> program_at(const std::vector<std::string>& argv) const = 0;
  // The files that ids ("file > suite > name") begin with, each once; empty where one is none of this folder's.
  static std::vector<std::string> files_of(const std::vector<std::string>& tests);
};

}  // namespace retrial::campaign
