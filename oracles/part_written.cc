#include "oracles/part_written.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "oracles/exchange_members.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {
namespace {

using trace::Call;
using trace::Exchange;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (auto line : split(text, '\n'))
    if (line = trim(line); !line.empty()) lines.push_back(line);
  return lines;
}
// A table, a report: all of its lines are there else, and so many more.
bool has_fewer_lines(std::string_view was, std::string_view is) {
  constexpr std::size_t kLines = 2;
  auto before = lines_of(was), now = lines_of(is);
  return !now.empty() && before.size() >= now.size() + kLines &&
         std::ranges::all_of(now, [&](auto line) { return std::ranges::count(before, line) > 0; });
}
bool has_fewer_lines(const Exchange& before, const Exchange& now) {
  if (!before.grpc.is && !is_json(before.request_sample))
    return has_fewer_lines(before.request_sample, now.request_sample);
  auto was = members_sent(before), is = members_sent(now);
  return was.size() == is.size() && std::ranges::any_of(was, [&](auto& m) {
           auto same = std::ranges::find(is, m.path, &Member::path);
           return m.kind == Member::Kind::text && same != is.end() && has_fewer_lines(m.value, same->value);
         });
}

bool is_cut(const Call& read) { return read.last().fired && read.last().fault.point == trace::Point::in_body; }

// Of a body that was cut: numbers that are smaller than they are else, or first parts of texts, and nothing else that
// differs.
bool says_less(const Call& read, const Exchange& before, const Exchange& now) {
  auto was = members_sent(before), is = members_sent(now);
  if (!is_cut(read) || was.empty() || was.size() != is.size()) return false;
  bool less = false;
  for (std::size_t i = 0; i < was.size(); i++) {
    if (was[i].path != is[i].path) return false;
    if (was[i].value == is[i].value) continue;
    if (was[i].kind == Member::Kind::text && was[i].value.starts_with(is[i].value)) {
      less = true;
      continue;
    }
    auto all = number_of(was[i].value), part = number_of(is[i].value);
    bool counts = may_count(was[i]) || was[i].kind == Member::Kind::text;
    if (!all || !part || !counts || *part < 0 || *part >= *all) return false;
    less = true;
  }
  return less;
}

// Was a body cut, and is what was written the first part of what is written else?
bool first_part(const Call& read, const Exchange& before, const Exchange& now) {
  auto& is = now.request_sample;
  return is_cut(read) && now.request_bytes > 0 && now.request_bytes < before.request_bytes &&
         before.request_sample.starts_with(is);
}

}  // namespace

bool is_part(const Call& read, const Exchange& before, const Exchange& now) {
  return first_part(read, before, now) || says_less(read, before, now) || has_fewer_lines(before, now);
}

bool is_written_over(const Call& read, const std::vector<Member>& told, const Exchange& before, const Exchange& now) {
  auto is = members_of(now.request_sample), was = members_of(before.request_sample);
  bool own = now.method == "PUT" && trace::message::path_of(now.target) == trace::message::path_of(read.last().target);
  if (!own || told.empty() || !is_json(now.request_sample)) return false;
  auto holds = [](auto& members) {
    return [&](auto& m) { return std::ranges::find(members, m.value, &Member::value) != members.end(); };
  };
  return std::ranges::all_of(told, holds(was)) && !std::ranges::all_of(told, holds(is));
}

}  // namespace retrial::oracles
