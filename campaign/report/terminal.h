#pragma once
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "trace/campaign_record.h"

namespace retrial::campaign::report {

// What a stream can show. Colours on a terminal, or where CLICOLOR_FORCE is set (and not 0); never with NO_COLOR.
struct Style {
  bool terminal = false;
  bool colour = false;
  int width = 80;  // columns; text is wrapped there
};
Style style_of(std::FILE* stream);

// What will be done, before anything is: one paragraph.
struct Opening {
  std::vector<trace::ServiceSeen> services;
  std::size_t tests = 0;         // tests that send requests
  std::size_t side_by_side = 0;  // services at ports that change, as many as one test asks
  std::size_t targets = 0;
  std::size_t cases = 0;                // that will be run
  std::size_t further = 0;              // that will be, as long as that is cheap
  std::vector<std::string> repeated;    // writes that a client may repeat: "queue POST /{queue}/messages"
  bool ends_processes = false;          // some case ends the process that sends the call
  Nanos expected = 0;                   // for all cases
  Nanos budget = 0;                     // 0: none
  std::vector<std::string> left_alone;  // what is left alone and why
  std::vector<std::string> remarks;
};
std::string opening(const Opening& plan, const Style& style);

struct Progress {
  std::string phase;         // "reference run", "cases", "confirming"
  std::size_t number = 0;    // case n …
  std::size_t total = 0;     // … of m; 0: no case yet
  std::string what;          // "P1 POST /{queue}/messages at src/jobs.mjs:41"
  std::size_t findings = 0;  // so far
  Nanos left = 0;            // expected; 0: not known
};

// One line that tells how far it is. On a terminal it is redrawn in place; elsewhere each phase, and each tenth of its
// cases, is a line of its own. Writes to `out`, which it does not own; leaves a clean line behind when it dies.
class LiveLine {
 public:
  LiveLine(std::FILE* out, Style style) : out_(out), style_(style) {}
  ~LiveLine() { clear(); }
  LiveLine(const LiveLine&) = delete;

  void show(const Progress& progress);
  // As show(), of what goes on meanwhile: where nothing is redrawn it is nothing.
  void update(const Progress& progress);
  // A line that stays, above the live one.
  void say(std::string_view line);
  void clear();

 private:
  void draw();
  std::FILE* out_;
  Style style_;
  std::string line_;  // as drawn now, or the last plain one
  bool drawn_ = false;
};

// Live line as text, cut to `width` columns.
std::string live_text(const Progress& progress, int width);

// The end, for a tired person: findings by cause, the worst first; what was judged clean; notes; what could not be
// judged and why; where the report is. `folder` is the campaign's folder, as it is to be shown; empty: there is none.
std::string summary(const trace::CampaignRecord& campaign, const std::filesystem::path& folder,
                    trace::Confidence fail_on, const Style& style);

}  // namespace retrial::campaign::report
