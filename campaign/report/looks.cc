#include "campaign/report/looks.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracles/evidence.h"
#include "oracles/members.h"
#include "oracles/other_state.h"

namespace retrial::campaign::report {
namespace {

constexpr std::size_t kShown = 3;     // members that differ
constexpr std::size_t kLongest = 40;  // characters of a value

bool is_read(const trace::Exchange& e) { return oracles::delivered(e) && oracles::is_success(e.client_status); }

// Why nothing is known of what it was to show.
std::string unread(const trace::Exchange& e) {
  return e.told && e.client_status ? fmt::format("answered {}", e.client_status)
                                   : std::string("without a whole answer");
}

bool is_whole(const trace::Exchange& e) { return e.response_bytes == e.response_sample.size(); }

std::string text_of(const std::optional<oracles::OtherState>& other) { return other ? other->text : ""; }

// Empty: there is none.
std::string difference(const trace::Exchange& was, const trace::Exchange& is) {
  if (is_read(was) != is_read(is))
    return is_read(is) ? fmt::format("answered {}, and {} without the fault", is.client_status, unread(was))
                       : fmt::format("{}, and answered {} without the fault", unread(is), was.client_status);
  if (was.response_bytes != is.response_bytes && (!is_whole(was) || !is_whole(is)))
    return fmt::format("{} bytes, and {} without the fault", is.response_bytes, was.response_bytes);
  if (auto other = oracles::other_state(was, is, nullptr)) return other->text;
  auto usual = oracles::members_of(was.response_sample), now = oracles::members_of(is.response_sample);
  std::string others;
  std::size_t count = 0;
  for (auto& m : usual) {
    auto it = std::ranges::find(now, m.path, &oracles::Member::path);
    auto value = it == now.end() ? std::string("nothing") : oracles::shorten(it->value, kLongest);
    if ((it != now.end() && it->value == m.value) || ++count > kShown) continue;
    auto name = m.name.empty() ? std::string("it") : fmt::format("\"{}\"", m.name);
    others += fmt::format("{}{} is {}, and {} without the fault", others.empty() ? "" : "; ", name, value,
                          oracles::shorten(m.value, kLongest));
  }
  for (auto& m : now) {
    if (std::ranges::find(usual, m.path, &oracles::Member::path) != usual.end() || ++count > kShown) continue;
    others += fmt::format("{}\"{}\" is {}, and nothing without the fault", others.empty() ? "" : "; ", m.name,
                          oracles::shorten(m.value, kLongest));
  }
  return count > kShown ? fmt::format("{}; and {} more", others, count - kShown) : others;
}

}  // namespace

std::vector<std::string> what_looks_show(const trace::Run& reference, const trace::Run& run,
                                         const trace::Run* control) {
  std::vector<std::string> lines;
  for (auto& is : run.exchanges) {
    if (!oracles::is_look(is)) continue;
    auto was = std::ranges::find_if(reference.exchanges, [&](auto& e) {
      return oracles::is_look(e) && e.target == is.target && e.host == is.host;
    });
    if (was == reference.exchanges.end()) continue;
    auto line = [&](std::string what) {
      lines.push_back(fmt::format("{} {}, read at the end: {}", is.method, is.target, what));
    };
    if (!is_read(*was) && !is_read(is)) {
      line(unread(is) + ", here as without the fault: it shows nothing");
      continue;
    }
    auto other = difference(*was, is);
    auto* again = control ? oracles::same_look(*control, is) : nullptr;
    if (again && !other.empty() && again->response_sample != was->response_sample) {
      // What differs between the two runs without the fault, in the same respect.
      auto by_itself = oracles::other_state(*was, is, nullptr) ? text_of(oracles::other_state(*was, *again, nullptr))
                                                               : difference(*was, *again);
      if (by_itself == other)
        other += ", once more without it too: the fault has nothing to do with that";
      else if (!by_itself.empty())
        other += ", and once more without it another answer yet: that says little of the fault";
    }
    bool same = was->response_sample == is.response_sample;
    if (!other.empty())
      line(other);
    else if (!same && (oracles::members_of(is.response_sample).empty() || !is_whole(is)))
      line("another answer than without the fault");
    else if (!is_whole(is))
      line(fmt::format("as without the fault in its first {} of {} bytes", is.response_sample.size(),
                       is.response_bytes));
    else
      line("as without the fault");
  }
  return lines;
}

}  // namespace retrial::campaign::report
