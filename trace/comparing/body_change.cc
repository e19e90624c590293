#include "trace/comparing/body_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "trace/calls/content.h"
#include "trace/calls/correlator_keys.h"
#include "trace/calls/json_order.h"
#include "trace/calls/operation.h"
#include "trace/profiles/grpc_message.h"
#include "trace/profiles/message.h"
#include "trace/recording/redact.h"

namespace retrial::trace {
namespace {

constexpr std::array<std::string_view, 10> kConditions{"if-match",
                                                       "upload-offset",
                                                       "if-none-match",
                                                       "if-modified-since",
                                                       "if-unmodified-since",
                                                       "x-ms-lease-id",
                                                       "x-ms-if-tags",
                                                       "x-ms-blob-condition-appendpos",
                                                       "x-amz-write-offset-bytes",
                                                       "x-goog-if-generation-match"};

bool moved_with_time(std::string_view a, std::string_view b, Nanos between) {
  constexpr double kGrain = 2;  // seconds: a date's own grain, and what lies between making and sending it
  auto from = time_of(a), to = time_of(b);
  return from && to && *to >= *from && *to - *from <= static_cast<double>(between) / 1e9 + kGrain;
}

void say(Change& change, std::string what) {
  if (change.what.empty()) change.what = std::move(what);
}
std::string shortened(std::string_view text) {
  return text.size() <= 40 ? std::string(text) : std::string(text.substr(0, 37)) + "...";
}

void compare_header(const Exchange& a, const Exchange& b, std::string_view name, bool& flag, Change& change) {
  auto before = find(a.request_headers, name), now = find(b.request_headers, name);
  if (before == now) return;
  flag = true;
  say(change, before.empty() ? fmt::format("{} came only with the later attempt", name)
              : now.empty()  ? fmt::format("{} was left out", name)
                             : fmt::format("{} went from {} to {}", name, shortened(before), shortened(now)));
}

std::string what_is_left(const Exchange& a, const Exchange& b, Left left) {
  auto before = size_of(a), now = size_of(b);
  if (left == Left::nothing)
    return before ? fmt::format("the body is empty where it had {} bytes", *before) : "the body is empty";
  if (left == Left::emptied)
    return before && now ? fmt::format("a value in the body is empty where it had {} bytes", *before - *now)
                         : "a value in the body is empty";
  auto part = left == Left::end ? "end" : "beginning";
  return before && now ? fmt::format("only the {} of the body was sent, {} of {} bytes", part, *now, *before)
                       : fmt::format("only the {} of the body was sent", part);
}

// Of RPCs: which field is another, by its number. No bytes are shown that are no text.
void compare_messages(const Exchange& a, const Exchange& b, Change& change) {
  auto read = [](const Exchange& e) { return fields_of(e, e.request_sample).value_or(std::vector<RpcField>()); };
  auto before = read(a), now = read(b);
  auto shown = [](const RpcField& f) {
    if (f.kind == RpcField::Kind::number) return f.value;
    return f.kind == RpcField::Kind::text ? fmt::format("\"{}\"", shortened(f.value)) : std::string("other bytes");
  };
  bool explained = false;
  for (std::size_t i = 0; i < std::min(before.size(), now.size()); i++) {
    auto &was = before[i], &is = now[i];
    bool same = was.value == is.value || moved_with_time(was.value, is.value, b.begun - a.begun);
    explained |= was.value != is.value;
    if (was.path == is.path && same) continue;
    change.body = true;
    if (was.path != is.path || was.kind != is.kind) break;
    if (was.kind == RpcField::Kind::fixed || was.kind == RpcField::Kind::bytes)
      return say(change, fmt::format("field {} of the message is another", was.path));
    return say(change, fmt::format("field {} of the message went from {} to {}", was.path, shown(was), shown(is)));
  }
  if (!change.body && explained && before.size() == now.size()) return;
  change.body = true;
  say(change, "the message is another");
}

void compare_body(const Exchange& a, const Exchange& b, Change& change) {
  if (auto left = left_of(a, b); left != Left::other && !change.method) {
    change.body = change.shrunk = true;
    return say(change, what_is_left(a, b, left));
  }
  if (!a.request_read || !b.request_read || a.request_digest == b.request_digest || packed(a) || packed(b)) return;
  if (a.grpc.is && b.grpc.is) return compare_messages(a, b, change);
  auto one = sample_of(a), other = sample_of(b);
  if (auto first = json_in_order(one), second = json_in_order(other); first && second)
    one = std::move(*first), other = std::move(*second);
  bool cut = !whole_sample(a) || !whole_sample(b);
  auto before = tokens_of(one), now = tokens_of(other);
  bool explained = false;
  auto common = std::min(before.size(), now.size());
  // Secrets or boundaries of two lengths: the samples end at different places, and their last words may be cut.
  bool unlike = one.find(kRedacted) != one.npos || one.size() != other.size();
  if (cut && common > 0 && unlike) common--;
  for (std::size_t i = 0; i < common; i++) {
    if (before[i] == now[i]) continue;
    auto name = i ? before[i - 1] : std::string_view();
    if (is_volatile_name(name) || moved_with_time(before[i], now[i], b.begun - a.begun)) {
      explained = true;
      continue;
    }
    (is_key_name(name) ? change.key : change.body) = true;
    say(change, fmt::format("in the body {} went from {} to {}", name.empty() ? "the text" : shortened(name),
                            shortened(before[i]), shortened(now[i])));
    return;
  }
  if (cut) {
    if (a.request_sample != b.request_sample || one.find(kRedacted) != one.npos) return;
    change.body = true;
    say(change, fmt::format("the body differs behind its first {} bytes", a.request_sample.size()));
  } else if (before.size() != now.size()) {
    change.body = true;
    say(change, fmt::format("the body has {} names and values where it had {}", now.size(), before.size()));
  } else if (one != other && !explained) {
    change.body = true;
    say(change, "the body is written otherwise");
  }
}

}  // namespace

Change change_between(const Exchange& a, const Exchange& b) {
  Change change;
  if (a.method != b.method) {
    change.method = true;
    say(change, fmt::format("the method went from {} to {}", a.method, b.method));
  }
  if (target_key(a.target) != target_key(b.target)) {
    change.target = true;
    say(change, fmt::format("the target went from {} to {}", shortened(a.target), shortened(b.target)));
  }
  for (auto name : message::key_headers()) compare_header(a, b, name, change.key, change);
  for (auto name : profile_of(a).key_headers()) compare_header(a, b, name, change.key, change);
  auto part = part_of(a), next = part_of(b);
  bool resumed = part != next && resumes(part, next);
  if (part != next && !resumed) {
    change.condition = true;
    say(change, fmt::format("the part that is meant went from \"{}\" to \"{}\"", part, next));
  }
  for (auto name : kConditions)
    if (!resumed || !find(a.request_headers, name).empty()) compare_header(a, b, name, change.condition, change);
  compare_body(a, b, change);
  return change;
}

}  // namespace retrial::trace
