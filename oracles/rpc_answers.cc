#include "oracles/rpc_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/members.h"
#include "oracles/rpc_name.h"
#include "trace/calls/content.h"
#include "trace/profiles/grpc_message.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"
#include "trace/recording/redact.h"

namespace retrial::oracles {
using trace::Exchange;
using trace::RpcField;
using Effects = Shown::Effects;
using Fields = std::vector<RpcField>;

namespace {

// Of all messages of a body that is kept whole. Nothing: not known.
std::optional<Fields> whole_fields(const Exchange& e, const std::string& sample) {
  return sample.find(trace::kRedacted) == std::string::npos ? trace::fields_of(e, sample) : std::nullopt;
}
std::optional<Fields> answer_of(const Exchange& e) {
  if (!e.grpc.is || !trace::carried_out(e) || e.response_bytes > e.response_sample.size()) return {};
  return whole_fields(e, e.response_sample);
}
Fields fields_sent(const Exchange& e) {
  auto fields = e.grpc.is && trace::whole_sample(e) ? whole_fields(e, e.request_sample) : std::nullopt;
  return fields ? std::move(*fields) : Fields();
}
bool has_value(const Fields& fields, const RpcField& wanted) {
  return std::ranges::any_of(fields, [&](auto& f) { return f.kind == wanted.kind && f.value == wanted.value; });
}
const RpcField* at(const Fields& fields, std::size_t i, const RpcField& like) {
  return i < fields.size() && fields[i].path == like.path && fields[i].kind == like.kind ? &fields[i] : nullptr;
}

// Each field beside the other's. What is not there is 0 (proto3); where one of them repeats, by its place.
using Pairs = std::vector<std::pair<RpcField, RpcField>>;
bool repeats(const Fields& fields) {
  std::set<std::string_view> paths;
  return !std::ranges::all_of(fields, [&](auto& f) { return paths.insert(f.path).second; });
}
Pairs beside(const Fields& one, const Fields& other) {
  Pairs out;
  if (repeats(one) || repeats(other)) {
    for (std::size_t i = 0; i < one.size() && at(other, i, one[i]); i++) out.emplace_back(one[i], other[i]);
    return out;
  }
  auto nothing = [](const RpcField& f) {
    return RpcField{f.path, f.kind == RpcField::Kind::number ? "0" : "", f.kind};
  };
  for (auto& f : one) {
    auto it = std::ranges::find(other, f.path, &RpcField::path);
    out.emplace_back(f, it == other.end() ? nothing(f) : *it);
  }
  for (auto& f : other)
    if (std::ranges::find(one, f.path, &RpcField::path) == one.end()) out.emplace_back(nothing(f), f);
  return out;
}

// A moment, or a part of one (google.protobuf.Timestamp: seconds and nanoseconds).
bool is_time(const RpcField& f) {
  if (f.kind == RpcField::Kind::text) return trace::time_of(f.value).has_value();
  if (f.kind != RpcField::Kind::number) return f.kind == RpcField::Kind::fixed;  // a double or a float may be one
  auto number = std::strtod(f.value.c_str(), nullptr);
  for (double unit : {1.0, 1e3, 1e6, 1e9})
    if (number >= 1e9 * unit && number < 2.2e9 * unit) return true;
  return f.path.ends_with(".2") && number < 1e9 && number > 1e5;
}

std::string show_value(const RpcField& f) {
  if (f.kind == RpcField::Kind::number) return f.value;
  if (f.value.empty()) return "not there";
  return f.kind == RpcField::Kind::text ? fmt::format("\"{}\"", shorten(f.value, 40)) : "other bytes";
}

// What the reference answered to the same.
std::optional<Fields> usual_answer(const trace::Comparison& c, const Exchange& before) {
  for (auto& pair : c.pairs) {
    if (!pair.in_case || !pair.reference) continue;
    if (std::ranges::find(pair.in_case->attempts, &before) == pair.in_case->attempts.end()) continue;
    return answer_of(pair.reference->last());
  }
  return {};
}

// Was anything else asked of this service from the one to the other, that may have changed what it answers?
bool another_between(const trace::Run& run, const Exchange& before, const Exchange& next) {
  return std::ranges::any_of(run.exchanges, [&](auto& e) {
    bool between = e.begun < next.service_done && (e.service_done == 0 || e.service_done > before.answered);
    return between && &e != &before && &e != &next && e.call != next.call && e.service == next.service &&
           trace::executed(e) && !rpc_reads(e);
  });
}

// The same bytes to two requests of one run: an answer that is given to everybody. Of two runs each may have a key of
// its own.
bool given_to_another(const trace::Comparison& c, const Exchange& e) {
  for (auto* run : {c.reference, c.in_case}) {
    std::set<std::uint64_t> requests;
    for (auto& other : run->exchanges)
      if (other.operation == e.operation && trace::carried_out(other) && other.response_sample == e.response_sample)
        requests.insert(other.request_digest);
    if (requests.size() > 1) return true;
  }
  return false;
}
// How many other answers than this one the operation had.
std::size_t given_otherwise(const trace::Comparison& c, const Exchange& e) {
  std::set<std::string_view> others;
  for (auto* run : {c.reference, c.in_case})
    for (auto& other : run->exchanges)
      if (other.operation == e.operation && trace::carried_out(other) && !other.response_sample.empty() &&
          other.response_sample != e.response_sample)
        others.insert(other.response_sample);
  return others.size();
}

// Would it be another answer, had it been done twice?
bool would_differ(const trace::Comparison& c, const Exchange& e, const Fields& answer) {
  constexpr std::size_t kTelling = 4;  // a shorter text is a word for how it went
  constexpr std::size_t kWords = 3;    // unless there are more of them than ways for it to go
  auto sent = fields_sent(e);
  bool name = false, value = false;
  for (auto& f : answer) {
    if (has_value(sent, f)) continue;
    name |= f.kind == RpcField::Kind::text && f.value.size() >= kTelling;
    value |= f.kind != RpcField::Kind::number || f.value.size() > 1 || f.value > "1";
  }
  switch (rpc_named(e)) {
    case Named::read:
      return true;
    case Named::write:
      return (name || given_otherwise(c, e) >= kWords) && !given_to_another(c, e);
    case Named::neither:
      break;
  }
  if (rpc_gives_up(e)) return true;
  if (e.grpc.requests > 1) return name && !given_to_another(c, e);
  return (value && !given_to_another(c, e)) || given_otherwise(c, e) > 0;
}

}  // namespace

Shown shown_by_messages(const trace::Comparison& c, const Exchange& before, const Exchange& next) {
  auto one = answer_of(before), other = answer_of(next);
  if (!one || !other || one->empty() || other->empty()) return {};
  if (before.response_sample == next.response_sample)
    return would_differ(c, next, *one) ? Shown{Effects::one, "the service gave both the very same answer", true}
                                       : Shown{};
  auto named = rpc_named(before);
  bool stream = before.grpc.responses > 1 || next.grpc.responses > 1;
  if (named == Named::read || stream || another_between(*c.in_case, before, next)) return {};
  auto usual = usual_answer(c, before);
  auto sent = fields_sent(before), sent_again = fields_sent(next);
  auto usually = usual ? beside(*one, *usual) : Pairs();
  auto both = beside(*one, *other);
  for (std::size_t i = 0; i < both.size(); i++) {
    auto& [was, is] = both[i];
    if (is.value == was.value || is_time(was) || is_time(is)) continue;
    if (has_value(sent, was) && has_value(sent_again, is)) continue;  // each gives back what it was sent
    auto same = [&](auto& pair) { return pair.first.path == was.path && pair.second.value == was.value; };
    bool steady = std::ranges::any_of(usually, same);
    bool number = was.kind == RpcField::Kind::number;
    if (number && rpc_sets(before)) continue;  // a version
    if (!steady && (number || named != Named::write)) continue;
    return {Effects::two,
            fmt::format("the two answers differ: field {} is {} and {}", was.path, show_value(was), show_value(is)),
            true};
  }
  return {};
}

namespace {

// Drawn, as a UUID is, and not counted on: long enough to be no other's.
constexpr std::size_t kDrawnText = 16;

std::optional<std::string> value_at(const Exchange& e, std::size_t i, const RpcField& like) {
  auto sent = fields_sent(e);
  auto* f = at(sent, i, like);
  return f ? std::optional(f->value) : std::nullopt;
}
bool drawn_field(const trace::Comparison& c, const Exchange& before, std::size_t i, const RpcField& f) {
  bool letters = f.kind == RpcField::Kind::text || f.kind == RpcField::Kind::bytes;
  if (!letters || f.value.size() < kDrawnText || trace::time_of(f.value) || f.value.contains(' ')) return false;
  bool elsewhere = false;
  for (auto& e : c.reference->exchanges) {
    if (e.operation != before.operation || e.tag.site != before.tag.site) continue;
    auto value = value_at(e, i, f);
    if (!value || *value == f.value || value->size() != f.value.size()) return false;
    elsewhere = true;
  }
  // What the service gave out it knows, and no client makes up.
  return elsewhere && std::ranges::none_of(c.in_case->exchanges, [&](auto& e) {
           return e.begun < before.begun && e.response_sample.contains(f.value);
         });
}

}  // namespace

std::optional<RequestName> drawn_name(const trace::Comparison& c, const Exchange& before, const Exchange& next) {
  if (!before.grpc.is || before.grpc.requests > 1) return {};
  auto sent = fields_sent(before), again = fields_sent(next);
  std::optional<RequestName> found;
  for (std::size_t i = 0; i < sent.size(); i++) {
    auto* is = at(again, i, sent[i]);
    if (!is || !drawn_field(c, before, i, sent[i])) continue;
    if (is->value == sent[i].value) return RequestName{"field " + sent[i].path, true};
    if (!found && is->value.size() == sent[i].value.size()) found = RequestName{"field " + sent[i].path, false};
  }
  return found;
}

bool one_but_for_drawn(const trace::Comparison& c, const trace::Call& call) {
  auto& first = call.first();
  if (!first.grpc.is || !first.tag.site) return false;
  auto there = [&](auto& e) { return e.operation == first.operation && e.tag.site == first.tag.site; };
  if (std::ranges::count_if(c.reference->exchanges, there) != 1) return false;
  if (std::ranges::any_of(c.in_case->exchanges, [&](auto& e) { return there(e) && e.call != first.call; }))
    return false;
  auto sent = fields_sent(first);
  for (auto* e : call.attempts) {
    auto again = fields_sent(*e);
    if (sent.empty() || again.size() != sent.size()) return false;
    for (std::size_t i = 0; i < sent.size(); i++) {
      auto* is = at(again, i, sent[i]);
      if (!is || (is->value != sent[i].value && !drawn_field(c, first, i, sent[i]))) return false;
    }
  }
  return true;
}

}  // namespace retrial::oracles
