#include "oracles/exchange_members.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "trace/calls/content.h"
#include "trace/profiles/grpc_message.h"
#include "trace/recording/redact.h"

namespace retrial::oracles {
namespace {

constexpr char kFieldMark = '#';

std::vector<Member> members_of_messages(const trace::Exchange& e, const std::string& sample) {
  std::vector<Member> out;
  if (sample.find(trace::kRedacted) != std::string::npos) return out;
  auto fields = trace::fields_of(e, sample);
  if (!fields) return out;
  std::map<std::string_view, std::size_t> times, met;
  for (auto& f : *fields) times[f.path]++;
  for (auto& f : *fields) {
    bool listed = times[f.path] > 1;
    auto path = listed ? fmt::format("{}{}/{}", kFieldMark, f.path, met[f.path]++) : kFieldMark + f.path;
    auto kind = f.kind == trace::RpcField::Kind::number ? Member::Kind::number : Member::Kind::text;
    if (f.kind != trace::RpcField::Kind::bytes) out.push_back({{}, std::move(path), f.value, kind, listed});
  }
  return out;
}

}  // namespace

std::vector<Member> members_sent(const trace::Exchange& e) {
  if (!e.grpc.is) return members_of(e.request_sample);
  return trace::whole_sample(e) ? members_of_messages(e, e.request_sample) : std::vector<Member>();
}

bool kept_whole(const trace::Exchange& e) {
  return e.response_bytes == e.response_sample.size() || is_json(e.response_sample);
}

std::vector<Member> members_answered(const trace::Exchange& e) {
  if (!e.grpc.is) return members_of(e.response_sample);
  bool whole = e.response_bytes <= e.response_sample.size();
  return whole ? members_of_messages(e, e.response_sample) : std::vector<Member>();
}

void add_defaults(std::vector<Member>& members, const std::vector<Member>& other) {
  for (auto& m : other) {
    if (!m.path.starts_with(kFieldMark) || std::ranges::find(members, m.path, &Member::path) != members.end()) continue;
    auto missing = m;
    missing.value = m.kind == Member::Kind::number ? "0" : "";
    members.push_back(std::move(missing));
  }
  if (std::ranges::all_of(members, [](auto& m) { return m.path.starts_with(kFieldMark); }))
    std::ranges::stable_sort(members, {}, &Member::path);
}

std::multiset<std::string> entries_sent(const trace::Exchange& e) {
  std::map<std::string_view, std::string> entries;  // by where they stand: "/readings/0"
  auto members = members_sent(e);
  for (auto& m : members) {
    auto entry = entry_path(m.path);
    if (m.listed) entries[entry] += fmt::format("{}={}\n", m.path.substr(entry.size()), m.value);
  }
  std::multiset<std::string> texts;
  for (auto& [path, text] : entries) texts.insert(text);
  return texts;
}

}  // namespace retrial::oracles
