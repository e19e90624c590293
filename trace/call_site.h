#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Where a request comes from: the chain of the application's functions, from the one that sent it outwards to the test,
// whose own lines are no part of it (docs/agents.md; docs/decisions/0025).
namespace retrial::trace {

struct Frame {
  std::string file;  // relative to the working directory where it lies below it
  int line = 0;
  std::string function;
  bool operator==(const Frame&) const = default;
};

// Its innermost frame, and who called that. Two lines of one function that call the same are one chain, and what the
// innermost frame sends from another line is another: of callers the line is shown, and tells nothing apart.
//
//   retry.py:4 ask <- track.py:5 track    retry.py:4 ask <- track.py:9 track    equal
//   retry.py:4 ask <- track.py:5 track    retry.py:6 ask <- track.py:5 track    not
//   retry.py:4 ask <- track.py:5 track    retry.py:4 ask <- label.py:5 label    not
//   retry.py:4 ask <- track.py:5 track    retry.py:4 ask                        not
struct CallSite {
  std::string file;
  int line = 0;
  std::string function;
  // The nearest first, "file:line:function,file:line:function" as an agent sends them, percent-encoded; "": none known.
  std::string callers = {};
  bool operator==(const CallSite& other) const;
};
inline constexpr std::size_t kCallersBytes = 1024;  // more of a request is not read
inline constexpr std::size_t kMostFrames = 12;      // of a chain, the innermost

// Innermost first, never empty. What cannot be read of `callers` is left out.
std::vector<Frame> frames_of(const CallSite& site);

std::string show(const Frame& frame);              // file:line function
std::string show(const CallSite& site);            // src/base.mjs:6 ask <- src/track.mjs:5 track
std::string show_innermost(const CallSite& site);  // src/base.mjs:6 ask: what a call's attempts have in common
// What tells it apart: equal where the two are (operator==). "src/base.mjs:6 ask <- src/track.mjs track".
std::string key_of(const CallSite& site);

std::string encoded(const Frame& frame);                           // as an agent says a caller
std::optional<CallSite> parse_call_site(std::string_view header);  // file:line:function, percent-decoded
std::optional<CallSite> read_call_site(std::string_view shown);    // what show() wrote; nothing for another text

}  // namespace retrial::trace
