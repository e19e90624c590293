#include "checkers/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "checkers/plain_json.h"
#include "trace/recording/redact.h"

namespace retrial::checkers {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Leaf::Kind kind_of(const Json& value) {
  return value.is_string()   ? Leaf::Kind::text
         : value.is_number() ? Leaf::Kind::number
         : value.is_array()  ? Leaf::Kind::array
                             : Leaf::Kind::other;
}

void add(std::vector<Leaf>& leaves, const std::string& path, const Json& value, bool in_array, std::size_t depth) {
  if (!value.is_object() || value.empty()) {
    auto text = text_of(value);
    bool secret = text.contains(trace::kRedacted);
    if (secret && !value.is_structured()) return;
    if (!secret) leaves.push_back({path, std::move(text), kind_of(value), in_array});
  }
  if (value.is_object() && depth < kDeepest)
    for (auto& [key, member] : value.items())
      add(leaves, path == "body" ? key : path + "." + key, member, in_array, depth + 1);
  if (value.is_array() && !in_array) {
    leaves.push_back({path + "#", std::to_string(value.size()), Leaf::Kind::number, true});
    for (auto& item : value) add(leaves, path + "[]", item, true, depth + 1);
  }
}

bool looks_like_json(std::string_view text) {
  auto first = trim(text);
  return !first.empty() && (first.front() == '{' || first.front() == '[');
}

Body body_of(std::string_view sample, std::uint64_t bytes, const std::vector<trace::Header>& headers) {
  Body body;
  if (sample.empty()) {
    body.known = bytes == 0;
    return body;
  }
  if (!trace::find(headers, "content-encoding").empty()) return body;
  if (read_plain_json(sample, body.leaves)) {
    // Of names that come twice the last holds, which the other reader sees to.
    if (!std::ranges::is_sorted(body.leaves, {}, &Leaf::path)) std::ranges::sort(body.leaves, {}, &Leaf::path);
    if (std::ranges::adjacent_find(body.leaves, {}, &Leaf::path) == body.leaves.end()) {
      body.known = true;
      body.redacted = sample.find(trace::kRedacted) != sample.npos;
      return body;
    }
    body.leaves.clear();
  }
  auto json = Json::parse(sample, nullptr, false);
  if (!json.is_discarded()) {
    body.known = true;
    body.redacted = sample.find(trace::kRedacted) != sample.npos;
    add(body.leaves, "body", json, false, 0);
    std::ranges::stable_sort(body.leaves, {}, &Leaf::path);  // in whatever order the service writes them
  } else if (!looks_like_json(sample) && sample.size() < trace::kSampleBytes && !sample.contains(trace::kRedacted)) {
    body.known = true;
    body.leaves.push_back({"body", std::string(sample)});
  }
  return body;
}

}  // namespace

const Leaf* Body::at(std::string_view path) const {
  auto found = std::ranges::find(leaves, path, &Leaf::path);
  return found == leaves.end() ? nullptr : &*found;
}

std::vector<std::string_view> Body::items(std::string_view path) const {
  std::vector<std::string_view> out;
  for (auto& leaf : leaves)
    if (leaf.path == path) out.push_back(leaf.text);
  return out;
}

std::vector<std::string_view> Body::arrays() const {
  std::vector<std::string_view> out;
  for (auto& leaf : leaves)
    if (leaf.kind == Leaf::Kind::array && !leaf.in_array) out.push_back(leaf.path);
  return out;
}

std::size_t Body::length(std::string_view array) const {
  auto* size = at(std::string(array) + "#");
  double value = 0;
  return size && number_of(*size, value) ? static_cast<std::size_t>(value) : 0;
}

void Body::append(const Body& next) {
  known = known && next.known;
  redacted = redacted || next.redacted;
  for (auto& leaf : next.leaves) {
    auto same = std::ranges::find(leaves, leaf.path, &Leaf::path);
    if (leaf.path.ends_with('#') && same != leaves.end())
      same->text = std::to_string(length(leaf.path.substr(0, leaf.path.size() - 1)) +
                                  next.length(leaf.path.substr(0, leaf.path.size() - 1)));
    else if (leaf.in_array)
      leaves.push_back(leaf);
  }
}

Body request_body(const trace::Exchange& e) { return body_of(e.request_sample, e.request_bytes, e.request_headers); }
Body answer_body(const trace::Exchange& e) { return body_of(e.response_sample, e.response_bytes, e.response_headers); }

std::string last_name(std::string_view path) {
  auto dot = path.rfind('.');
  return std::string(dot == path.npos ? path : path.substr(dot + 1));
}

bool number_of(const Leaf& leaf, double& value) {
  if (leaf.kind != Leaf::Kind::number) return false;
  auto [end, error] = std::from_chars(leaf.text.data(), leaf.text.data() + leaf.text.size(), value);
  return error == std::errc() && end == leaf.text.data() + leaf.text.size() && std::isfinite(value);
}

std::string show_number(double value) { return fmt::format("{}", value); }

}  // namespace retrial::checkers
