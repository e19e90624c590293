#include "campaign/report/rpc_words.h"

#include <fmt/format.h>

#include <vector>

#include "base/text.h"
#include "campaign/report/words.h"

namespace retrial::campaign::report {

std::string rpc_facts(const trace::Exchange& e) {
  std::vector<std::string> facts;
  if (e.stream) facts.push_back(fmt::format("stream {} of connection {}", e.stream, e.connection));
  auto& g = e.grpc;
  if (g.is) {
    facts.push_back(g.timeout ? "deadline " + show_duration(g.timeout) : "no deadline");
    if (g.previous)
      facts.push_back(
          fmt::format("{} before it, as its client counts", counted(static_cast<std::size_t>(g.previous), "attempt")));
    auto sizes = g.largest ? fmt::format(", the largest of {}", counted(g.largest, "byte")) : "";
    facts.push_back(fmt::format("{} sent, {} received{}{}", counted(g.requests, "message"), g.responses, sizes,
                                g.cut ? ", the last one cut" : ""));
    if (auto pushback = trace::pushback_told(e); pushback != trace::kNoPushback)
      facts.push_back(pushback < 0 ? "told not to retry"
                                   : "told to retry after " + show_ms(static_cast<double>(pushback)));
  }
  return joined(facts, "; ");
}

std::string aborted_as(const trace::Exchange& e) {
  if (e.aborted == trace::Exchange::Aborted::no) return "";
  auto name = trace::stream_code(e.abort_code);
  if (name.empty()) return fmt::format("RST_STREAM {:#x}", e.abort_code);
  std::string out;
  for (char c : name) out += c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return out;
}

std::string printable(std::string_view bytes) {
  std::string out;
  for (char c : bytes) {
    if (c >= ' ' && c <= '~')
      out += c;
    else
      out += "·";
  }
  return out;
}

}  // namespace retrial::campaign::report
