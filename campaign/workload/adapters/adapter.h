#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace retrial::campaign {

// How a runner is started for some purpose: argv, and what is added to the environment.
struct Launch {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // KEY=VALUE
  std::string python_path;               // put before the user's PYTHONPATH; may be empty
  std::string only;  // ids to put into the file named by RETRIAL_ONLY, one a line; empty: no such file
};

// Knows one test runner: how a user's command is run whole and test by test. Stateless (docs/agents.md has the other
// half, the hook inside the runner).
class Adapter {
 public:
  virtual ~Adapter() = default;
  virtual std::string_view name() const = 0;  // "pytest"
  virtual bool knows(const std::vector<std::string>& argv) const = 0;
  // The suite as the user runs it, its tests one after another.
  virtual Launch suite(const std::vector<std::string>& argv) const = 0;
  // That test alone, with the user's own options. Namesakes may run too. `wide`: in case the narrow form did not reach
  // it.
  virtual Launch only(const std::vector<std::string>& argv, std::string_view test, bool wide) const = 0;
  // A runner without tests of its own: the whole command is one test.
  virtual bool whole() const { return false; }
};

std::span<const Adapter* const> adapters();
// The adapter that knows this command; the last one, "command", knows every one.
const Adapter& adapter_for(const std::vector<std::string>& argv);
// The id of the one test of a runner that is not known.
inline constexpr std::string_view kWholeCommand = "command";

// `npm test`, `npm run NAME`, `yarn test`, `pnpm test`: the words of the script in `directory`/package.json, if it is
// one plain command; else argv as it is.
std::vector<std::string> resolve_script(const std::vector<std::string>& argv, const std::string& directory);

// The last part of a path: "/usr/bin/python3.11" -> "python3.11".
std::string_view program_name(std::string_view word);

}  // namespace retrial::campaign
