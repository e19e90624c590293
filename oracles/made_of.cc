#include "oracles/made_of.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/exchange_members.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {
using trace::Exchange;

namespace {

constexpr std::size_t kMostCopied = 2;     // so many values make a copy
constexpr std::size_t kMostAnswers = 256;  // that are looked at, the latest
constexpr std::array<std::string_view, 4> kIdWords{"id", "uuid", "key", "name"};

// Of an answer, also of messages that stand in it as texts: {"Body": "{\"order\": 7}"}.
std::vector<Member> members_told(const Exchange& read) {
  auto told = members_answered(read);
  for (std::size_t i = 0, own = told.size(); i < own && told.size() < kMostMembers; i++) {
    if (!told[i].value.starts_with('{')) continue;
    auto at = told[i];
    for (auto& inner : members_of(at.value)) {
      inner.path = at.path + inner.path;
      inner.listed |= at.listed;
      told.push_back(std::move(inner));
    }
  }
  return told;
}

// Of several entries the one that the most of it stands in.
void keep_one_entry(Source& source) {
  std::map<std::size_t, std::size_t> held;
  for (auto& m : source.handed_on)
    if (auto place = place_of(m)) held[*place]++;
  if (held.empty()) return;
  auto most = std::ranges::max_element(held, {}, [](auto& one) { return one.second; });
  std::erase_if(source.handed_on, [&](auto& m) {
    auto place = place_of(m);
    return place && held[*place] < most->second;
  });
}

}  // namespace

bool Source::is_copied() const { return whole || handed_on.size() >= kMostCopied; }

std::vector<std::string> values_of(const Exchange& e) {
  std::vector<std::string> values;
  for (auto& m : members_sent(e))
    if (m.kind != Member::Kind::boolean) values.push_back(m.value);
  for (auto part : trace::message::segments(trace::message::path_of(e.target))) values.push_back(percent_decode(part));
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::optional<std::size_t> place_of(const Member& m) {
  for (auto part : m.listed ? split(m.path, '/') : std::vector<std::string_view>())
    if (auto place = to_int(part)) return static_cast<std::size_t>(*place);
  return {};
}

std::optional<Source> source_of(const trace::Run& run, const Exchange& work) {
  auto values = values_of(work);
  auto sent = members_sent(work);
  auto same = [&](auto& m) {  // by its name, too
    return std::ranges::any_of(sent,
                               [&](auto& s) { return s.name == m.name && !m.name.empty() && s.value == m.value; });
  };
  auto parts = trace::message::segments(trace::message::path_of(work.target));
  auto in_path = [&](auto& m) {  // by the name of what it identifies
    return has_word(m.name, kIdWords) &&
           std::ranges::any_of(parts, [&](auto part) { return percent_decode(part) == m.value; });
  };
  auto handed_on = [&](auto& m) {
    return m.value.size() >= kTellingValue ? std::ranges::binary_search(values, m.value) : same(m) || in_path(m);
  };
  bool of_members = !sent.empty();
  std::optional<Source> source;
  std::size_t answers = 0;
  for (auto at = run.exchanges.rbegin(); at != run.exchanges.rend() && answers < kMostAnswers; ++at) {
    auto& e = *at;
    bool reads = e.method != "PUT" && e.method != "DELETE" && e.told && e.told <= work.begun;
    if (!reads || !delivered(e) || !trace::carried_out(e)) continue;
    answers++;
    bool whole = !of_members && work.request_sample.size() >= kTellingValue && e.response_sample == work.request_sample;
    if (whole) return Source{.read = &e, .told = {}, .handed_on = {}, .whole = true};
    Source its{.read = &e, .told = members_told(e), .handed_on = {}};
    std::ranges::copy_if(its.told, std::back_inserter(its.handed_on), handed_on);
    keep_one_entry(its);
    bool telling = std::ranges::any_of(its.handed_on, [](auto& m) { return m.value.size() >= kTellingValue; });
    if ((telling || its.is_copied()) && (!source || its.handed_on.size() > source->handed_on.size()))
      source = std::move(its);
  }
  return source;
}

}  // namespace retrial::oracles
