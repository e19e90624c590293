#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/workload/variables.h"

namespace retrial::campaign {

// How a runner is started for some purpose: argv, and what is added to the environment.
struct Launch {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // KEY=VALUE
  std::vector<ListItem> paths;           // put before what the user has there
  std::string only;  // ids to put into the file named by RETRIAL_ONLY, one a line; empty: no such file
};

// The half of an adapter that runs inside its runner, and tells of its tests (docs/agents.md).
struct Hook {
  std::string_view file;  // below integration/agents, not named like a test file; empty: there is none
  // What makes the runner load it, put behind what the user has there. Without a variable the hook's agent does: it
  // loads all that lies in its folder `runners`.
  std::string_view variable = {}, value = {}, separator = {};
};

// How the files of a runner's tests are named: any of these is enough.
struct TestFiles {
  std::vector<std::string_view> names = {};     // "conftest.py"
  std::vector<std::string_view> prefixes = {};  // "test_"
  std::vector<std::string_view> suffixes = {};  // before the ending: ".test" of a.test.mjs
  std::vector<std::string_view> folders = {};   // anywhere above it, within the project
};

struct Runner {
  std::string_view name;  // "pytest"
  Hook hook = {};
  TestFiles test_files = {};
  bool whole = false;           // it has no tests of its own: the whole command is one test
  bool files_at_once = false;   // by itself it runs test files side by side
  bool executes_again = false;  // its hook executes a test as often as it is named (trace/executions.h)
};

// Knows one test runner: how a user's command is run whole and test by test, and what lists and reports its tests.
// Stateless.
class Adapter {
 public:
  virtual ~Adapter() = default;
  virtual const Runner& runner() const = 0;
  // Is this its command?
  virtual bool knows(const std::vector<std::string>& argv) const = 0;
  // The suite as the user runs it, its tests one after another; what the hook reports of it is the list of its tests.
  virtual Launch suite(const std::vector<std::string>& argv) const = 0;
  // The same as one command, whose parts are no tests.
  virtual Launch whole(const std::vector<std::string>& argv) const { return suite(argv); }
  // Those tests and no others (never none), one after another, with the user's own options. Namesakes may run too.
  // `wide`: in case the narrow form did not reach them.
  virtual Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool wide) const = 0;
};

// What RETRIAL_ONLY holds of a runner that is told its tests by arguments: their names, where one is to be executed
// again, else nothing. A runner that a test of it starts obeys that file too.
std::string only_where_again(const std::vector<std::string>& tests);

// registry.h
std::span<const Adapter* const> adapters();
// The first that knows this command; the last one, "command", knows every one.
const Adapter& adapter_for(const std::vector<std::string>& argv);
// The id of the one test of a runner that is not known.
inline constexpr std::string_view kWholeCommand = "command";
// Is that a file of tests, by the names that runners go by? Whichever runs it: one may run another's.
bool is_test_file(std::string_view file);

// `npm test`, `npm run NAME`, `yarn test`, `pnpm test`: the words of the script in `directory`/package.json, if it is
// one plain command (behind assignments or `cross-env`, too) with nothing to run before or after it; else
// argv as it is.
std::vector<std::string> resolve_script(const std::vector<std::string>& argv, const std::string& directory);

// The last part of a path: "/usr/bin/python3.11" -> "python3.11".
std::string_view program_name(std::string_view word);

}  // namespace retrial::campaign
