#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "campaign/workload/addr2line.h"
#include "trace/call_site.h"

namespace retrial::campaign {

// Which lines of source stand behind places in files of machine code, by the files' own debug information (DWARF). What
// was read is kept in a file, for the runs that follow.
class DebugLines {
 public:
  explicit DebugLines(std::filesystem::path kept);

  // Functions at that place, the innermost first: several where some are inlined. `file` of each is absolute, or as the
  // compiler was given it. Empty: nothing is known.
  using Places = std::vector<std::uint64_t>;
  void look_up(const std::string& file, const Places& places);
  const std::vector<trace::Frame>& at(const std::string& file, std::uint64_t place) const;

 private:
  using Known = std::map<std::uint64_t, std::vector<trace::Frame>>;
  void read_kept();
  void keep(const std::string& key, std::uint64_t place, const std::vector<trace::Frame>& frames) const;
  static std::string key_of(const std::string& file);

  std::filesystem::path kept_;
  std::map<std::string, Known> known_;                         // by key_of
  std::map<std::string, std::string> keys_;                    // by file
  std::map<std::string, std::unique_ptr<Addr2line>> readers_;  // likewise; null: there is none, or it has ended
};

// What x-retrial-frames says (docs/agents.md), in its order; empty where it cannot be read. Pure.
struct CodeAddress {
  std::string file;
  std::uint64_t offset = 0;
  bool operator==(const CodeAddress&) const = default;
};
std::vector<CodeAddress> addresses_of(std::string_view frames);

// The name alone: "shop::Client::post<int>" of "int shop::Client::post<int>(char const*) const [clone .isra.0]". Pure.
std::string bare_function(std::string_view name);

// Frames by place, of what addr2line -a -f -i -C prints. Pure.
std::map<std::uint64_t, std::vector<trace::Frame>> read_addr2line(std::string_view printed);

}  // namespace retrial::campaign
