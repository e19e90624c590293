#include "proxy/exchange/head_lines.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "proxy/codec/tags.h"
#include "trace/recording/redact.h"

namespace retrial::proxy {
namespace {

void read_tag(trace::Tag& tag, std::string_view what, std::string_view value) {
  if (iequals(what, "site")) {
    tag.site = trace::parse_call_site(value);
  } else if (iequals(what, "call")) {
    tag.call_id = percent_decode(value);
  } else if (iequals(what, "test")) {
    tag.test = percent_decode(value);
  } else if (iequals(what, "libraries")) {
    if (value.size() <= trace::kLibrariesBytes) tag.libraries = value;
  } else if (iequals(what, "stack")) {
    if (value.size() <= trace::kStackBytes) tag.stack = value;
  } else if (iequals(what, "frames")) {
    if (value.size() <= trace::kFramesBytes) tag.frames = value;
  } else if (iequals(what, "statement")) {
    std::from_chars(value.data(), value.data() + value.size(), tag.statement, 16);
  } else if (iequals(what, "phase")) {
    tag.phase = trace::phase_of(value);
  }
}
}  // namespace

HeadLines::Known& HeadLines::known_at(std::size_t n, std::string_view name) {
  constexpr std::size_t kMostKnown = 64;
  n = std::min(n, kMostKnown);  // those behind share the last place
  if (n >= known_.size()) known_.resize(n + 1);
  auto& known = known_[n];
  if (known.name == name) return known;
  known.name.assign(name);
  known.harmless.clear();
  known.kind = is_tag(name)                            ? Known::Kind::tag
               : iequals(name, "content-encoding")     ? Known::Kind::encoding
               : iequals(name, "x-amz-content-sha256") ? Known::Kind::payload
               : authorizes(name)                      ? Known::Kind::authorization
               : trace::secret_name(name)              ? Known::Kind::secret
                                                       : Known::Kind::plain;
  return known;
}

// Values mostly come again, too.
bool HeadLines::harmless(Known& known, std::string_view value) {
  constexpr std::size_t kMostKept = 128;  // bytes: there is one for each name of each connection
  if (known.harmless == value) return true;
  if (trace::has_secrets(value)) return false;
  if (value.size() <= kMostKept) known.harmless.assign(value);
  return true;
}

std::size_t HeadLines::holds() const {
  std::size_t all = sizeof(Known) * known_.capacity() + credentials_.value.capacity();
  for (auto& known : known_) all += known.name.capacity() + known.harmless.capacity();
  return all;
}

void HeadLines::take(const Head& head, std::string& lines, trace::Tag* tag) {
  lines.clear();
  encoding_.clear();
  credentials_.digest = 0;
  if (head.fields.empty()) return;
  std::string_view callers;  // of a site that may stand behind them: some write their fields in order of their names
  auto begin = head.fields.front().name;
  auto block = head.raw.substr(begin, head.raw.size() - (head.raw.ends_with("\r\n") ? 2 : 1) - begin);
  bool plain = head.ambiguous.empty() && !trace::secret_names_added;
  if (plain && !head.unknown && !head.encoded) {  // no known field holds a secret
    lines.append(block);
    return;
  }
  std::size_t done = begin;
  for (std::size_t i = 0; i < head.fields.size(); i++) {
    auto& f = head.fields[i];
    if (plain && f.known != FieldName::other && f.known != FieldName::content_encoding) continue;
    auto& known = known_at(i, head.name(f));
    auto kind = known.kind;
    if (kind == Known::Kind::plain && plain && harmless(known, head.value(f))) continue;
    if (kind == Known::Kind::encoding && !iequals(head.value(f), "identity")) pack(head.value(f));
    if (kind == Known::Kind::payload && head.value(f).starts_with("STREAMING-")) pack("aws-chunked");
    if ((kind == Known::Kind::encoding || kind == Known::Kind::payload) && plain) continue;
    lines.append(head.raw.substr(done, f.name - done));
    done = f.name + head.line(i).size();
    if (kind == Known::Kind::tag && tag) {
      auto what = head.name(f).substr(kTagPrefix.size());
      if (iequals(what, "callers"))
        callers = head.value(f);
      else
        read_tag(*tag, what, head.value(f));
      continue;
    }
    lines.append(head.name(f)).append(": ");
    if (kind == Known::Kind::authorization) credentials_.take(head.value(f));
    if (kind == Known::Kind::authorization || kind == Known::Kind::secret)
      lines.append(trace::kRedacted);
    else
      trace::redact_value(head.value(f), lines);
    lines.append("\r\n");
  }
  if (tag && tag->site && !callers.empty() && callers.size() <= trace::kCallersBytes) tag->site->callers = callers;
  auto end = begin + block.size();
  if (done < end) lines.append(head.raw.substr(done, end - done));
}

}  // namespace retrial::proxy
