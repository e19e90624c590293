#pragma once
#include <string>
#include <vector>

#include "campaign/judging/stored_setting.h"

namespace CLI {
class App;
}

namespace retrial::cli {

// What `judge` and `merge` take on the command line, but for `--out`, which each has in its own way.
struct StoredOptions {
  std::vector<std::string> folders;
  std::string config, out, since, fail_on, checkers;

  void add_to(CLI::App& command, const std::string& folders_are);
};

// The folders are not looked at. Every error is the user's.
Result<campaign::StoredSetting> setting_of(const StoredOptions& options);

}  // namespace retrial::cli
