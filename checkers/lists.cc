#include "checkers/lists.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "trace/profiles/message.h"

namespace retrial::checkers {
namespace {

constexpr std::string_view kNext[] = {
    "next",          "next_cursor", "nextcursor", "next_page", "nextpage",     "next_page_token",
    "nextpagetoken", "next_token",  "nexttoken",  "cursor",    "continuation", "continuation_token",
    "marker",        "next_marker", "nextmarker", "next_link", "nextlink",     "@odata.nextlink"};
constexpr std::string_view kMore[] = {"has_more", "hasmore", "more", "truncated", "is_truncated", "istruncated"};

bool is_one_of(std::string_view path, std::span<const std::string_view> words) {
  auto name = lower(path.substr(path.rfind('.') == path.npos || path.starts_with('@') ? 0 : path.rfind('.') + 1));
  return std::ranges::find(words, name) != words.end();
}

// What names the next page; "" where there is none. Nothing: there is more, and nobody says how to ask for it.
std::optional<std::string> next_of(const Body& body) {
  bool more = false;
  for (auto& leaf : body.leaves) {
    if (leaf.in_array) continue;
    bool none = leaf.text.empty() || leaf.text == "null" || leaf.text == "false";
    if (is_one_of(leaf.path, kNext) && !none) return leaf.text;
    more = more || (is_one_of(leaf.path, kMore) && leaf.text == "true");
  }
  if (more) return {};
  return "";
}

}  // namespace

std::optional<Lists::Whole> Lists::take(const Deed& d, std::uint64_t begun) {
  if (!d.answer.known) return {};
  auto key = fmt::format("{} {}", d.spot, d.e->pid);
  auto query = trace::message::query_of(d.e->target);
  auto next = next_of(d.answer);
  Whole whole{d.answer, begun, false};
  if (!query.empty()) {
    auto it = chains_.find(key);
    if (it == chains_.end()) return {};
    auto chain = std::move(it->second);
    chains_.erase(it);
    bool goes_on = std::ranges::any_of(split(query, '&'), [&](auto part) {
      auto equals = part.find('=');
      return equals != part.npos && percent_decode(std::string(part.substr(equals + 1))) == chain.next;
    });
    if (!goes_on && percent_decode(std::string(d.e->target)) != chain.next) return {};
    whole = std::move(chain.so_far);
    whole.paged = true;
    whole.body.append(d.answer);
  } else {
    chains_.erase(key);
  }
  if (next && next->empty()) return whole;
  if (next && whole.body.leaves.size() < kMostLeaves) {
    if (chains_.size() >= kMostChains) chains_.clear();
    chains_[key] = {std::move(whole), *next};
  }
  return {};
}

}  // namespace retrial::checkers
