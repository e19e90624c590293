#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace retrial::cli {

// What the parser knows of a command, for whoever writes it down: the same words that --help prints.
struct Option {
  std::vector<std::string> names;   // "-c", "--config"; of a positional its name alone
  std::string value;                // "TEXT"; empty: a flag
  std::vector<std::string> values;  // where one of a few is expected
  std::string what;
  bool required = false;
};

struct Command {
  std::string path;  // "retrial ca make"
  std::string name;  // "make"
  std::string what;
  std::vector<Option> options;
  std::vector<Option> positionals;
  std::vector<Command> commands;
};

// Without what is hidden from --help. Commands and options stand in the order of --help.
Command tree_of(const CLI::App& app);

}  // namespace retrial::cli
