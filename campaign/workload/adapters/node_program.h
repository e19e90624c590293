#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/workload/adapters/hooked.h"

namespace retrial::campaign {

// Where in a command a program that npm installs stands, by any of these names ("mocha", "_mocha"): first, or behind
// assignments and launchers (`env A=1`, `cross-env A=1`, `npx`, `yarn run`, `nyc`, `node --opt`), as
// `node_modules/.bin/NAME` or as a file NAME.js, NAME.cjs or NAME.mjs.
std::optional<std::size_t> node_program_at(const std::vector<std::string>& argv,
                                           std::initializer_list<std::string_view> names);

// A runner whose hook lies in Node's agent.
class NodeRunner : public Hooked {
 public:
  bool knows(const std::vector<std::string>& argv) const override { return program_at(argv).has_value(); }

 protected:
  virtual std::optional<std::size_t> program_at(const std::vector<std::string>& argv) const = 0;
  // The files that ids ("file > suite > name") begin with, each once; empty where one is none of this folder's.
  static std::vector<std::string> files_of(const std::vector<std::string>& tests);
};

}  // namespace retrial::campaign
