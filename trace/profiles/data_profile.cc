#include "trace/profiles/data_profile.h"

#include <algorithm>

#include "base/glob.h"
#include "base/text.h"
#include "trace/profiles/json_pointer.h"
#include "trace/profiles/message.h"
#include "trace/profiles/registry.h"

namespace retrial::trace {
namespace {

bool fits(const ValuePattern& pattern, const std::optional<std::string_view>& value) {
  if (!value || !pattern.there) return value.has_value() == pattern.there;
  return pattern.like.empty() ||
         std::ranges::any_of(pattern.like, [&](auto& glob) { return glob_matches(glob, *value); });
}
bool all_fit(const std::vector<ValuePattern>& patterns, const std::vector<Header>& headers) {
  return std::ranges::all_of(patterns, [&](auto& pattern) {
    auto at = std::ranges::find_if(headers, [&](auto& h) { return iequals(h.name, pattern.name); });
    return fits(pattern, at == headers.end() ? std::nullopt : std::optional<std::string_view>(at->value));
  });
}
bool all_fit(const std::vector<ValuePattern>& patterns, std::string_view body) {
  return std::ranges::all_of(patterns, [&](auto& pattern) { return fits(pattern, json_at(body, pattern.name)); });
}
std::string_view without_port(std::string_view host) {
  auto colon = host.rfind(':');
  return colon == host.npos || host.find(']', colon) != host.npos ? host : host.substr(0, colon);
}

// The places of an error's shape. JSON's own braces are none.
std::string filled(std::string_view shape, const std::vector<std::pair<std::string_view, std::string>>& places) {
  std::string out;
  while (!shape.empty()) {
    auto at = shape.find('{');
    out += shape.substr(0, at);
    if (at == shape.npos) break;
    shape.remove_prefix(at);
    auto place = std::ranges::find_if(places, [&](auto& p) { return shape.starts_with(p.first); });
    out += place == places.end() ? "{" : std::string_view(place->second);
    shape.remove_prefix(place == places.end() ? 1 : place->first.size());
  }
  return out;
}

class DataProfile final : public Profile {
 public:
  explicit DataProfile(ProfileData data)
      : data_(std::move(data)),
        ids_(data_.id_headers.begin(), data_.id_headers.end()),
        keys_(data_.key_headers.begin(), data_.key_headers.end()) {
    if (!ids_.empty()) return;
    ids_ = keys_;
    std::ranges::copy(generic_profile().id_headers(), std::back_inserter(ids_));
  }

  std::string_view name() const override { return data_.name; }
  bool recognises(const Exchange& e) const override {
    return std::ranges::any_of(data_.signs, [&](auto& sign) { return sign.fits(e); }) ||
           (data_.by_operation && operation_for(e));
  }
  std::span<const std::string_view> id_headers() const override { return ids_; }
  std::span<const std::string_view> key_headers() const override { return keys_; }
  std::string operation(const Exchange& e) const override {
    auto* known = operation_for(e);
    return known ? known->name : protocol_of(e).operation(e);
  }
  bool names_in_body(const Exchange& e) const override {
    for (auto& one : data_.operations) {
      if (!one.request.fits_at_head(e)) continue;
      if (!one.request.json.empty()) return true;
      return false;
    }
    return generic_profile().names_in_body(e);
  }
  Repeat repeat(const Exchange& e) const override {
    auto* known = operation_for(e);
    auto repeat = known && known->repeat ? *known->repeat : known ? message::plain_repeat(e) : protocol_of(e).repeat(e);
    return repeat != Repeat::safe && keyed(e) ? Repeat::guarded : repeat;
  }
  bool transient(int status, std::string_view body) const override {
    if (auto* answer = answer_for(status, body)) return answer->transient;
    if (!data_.transient) return generic_profile().transient(status, body);
    return std::ranges::find(*data_.transient, status) != data_.transient->end();
  }
  bool fails(const Exchange& e) const override {
    return answer_for(e.service_status, e.response_sample) || (!operation_for(e) && protocol_of(e).fails(e));
  }
  int transient_status(const Exchange& e) const override {
    auto* known = operation_for(e);
    return known && known->transient_status ? known->transient_status : data_.transient_status;
  }

  bool times_out(int status) const override { return std::ranges::count(data_.timeouts, status) > 0; }

  Answer error(const Exchange& e, int status, std::string_view marker) const override {
    auto known = std::ranges::find_if(data_.errors, [&](auto& error) { return error.statuses.holds(status); });
    static const DataError kNone;
    auto& error = known == data_.errors.end() ? kNone : *known;
    auto& shape = error.body.empty() ? data_.error_body : error.body;
    if (shape.empty()) return generic_profile().error(e, status, marker);
    if (error.code.empty() && shape.find("{code}") != shape.npos)
      return message::plain_error(e, status, marker);  // it comes from what stands before the service
    std::string reason(message::reason_of(status));
    std::vector<std::pair<std::string_view, std::string>> places{
        {"{status}", std::to_string(status)},
        {"{reason}", reason},
        {"{code}", error.code},
        {"{message}", error.message.empty() ? reason : error.message},
        {"{marker}", std::string(marker)}};
    Answer answer{.status = status, .reason = reason, .body = filled(shape, places)};
    for (auto& header : data_.error_headers) answer.headers.push_back({header.name, filled(header.value, places)});
    return message::finished(std::move(answer), e, marker);
  }

  std::string effect(const Exchange& e) const override {
    if (!message::succeeded(e)) return {};
    auto* known = operation_for(e);
    auto& created = known && known->created ? known->created : data_.created;
    if (!created) return generic_profile().effect(e);
    if (repeat(e) == Repeat::safe) return {};
    for (auto& where : *created) {
      auto found = is_json_pointer(where) ? json_at(e.response_sample, where).value_or("")
                                          : std::string(find(e.response_headers, where));
      if (!found.empty() && found != "null") return found;
    }
    return {};
  }

 private:
  const DataOperation* operation_for(const Exchange& e) const {
    auto it = std::ranges::find_if(data_.operations, [&](auto& one) { return one.request.fits(e); });
    return it == data_.operations.end() ? nullptr : &*it;
  }
  const DataAnswer* answer_for(int status, std::string_view body) const {
    auto it = std::ranges::find_if(data_.answers, [&](auto& answer) {
      return std::ranges::any_of(answer.statuses, [&](auto& range) { return range.holds(status); }) &&
             all_fit(answer.json, body) &&
             (answer.texts.empty() ||
              std::ranges::any_of(answer.texts, [&](auto& text) { return body.find(text) != body.npos; }));
    });
    return it == data_.answers.end() ? nullptr : &*it;
  }
  bool keyed(const Exchange& e) const {
    auto query = message::query_of(e.target);
    return std::ranges::any_of(keys_, [&](auto key) { return !find(e.request_headers, key).empty(); }) ||
           std::ranges::any_of(data_.key_queries, [&](auto& key) { return message::value_of(query, key).has_value(); });
  }

  ProfileData data_;
  std::vector<std::string_view> ids_, keys_;  // of data_'s texts
};

}  // namespace

bool RequestPattern::fits(const Exchange& e) const {
  return fits_at_head(e) && (json.empty() || all_fit(json, e.request_sample));
}
bool RequestPattern::fits_at_head(const Exchange& e) const {
  if (!methods.empty() && std::ranges::find(methods, e.method) == methods.end()) return false;
  if (!paths.empty()) {
    auto path = message::path_of(e.target);
    if (std::ranges::none_of(paths, [&](auto& pattern) { return pattern.matches(path); })) return false;
  }
  if (!hosts.empty()) {
    auto host = lower(without_port(e.host));
    if (std::ranges::none_of(hosts, [&](auto& glob) { return glob_matches(glob, host); })) return false;
  }
  auto of_query = [&](auto& pattern) {
    return trace::fits(pattern, message::value_of(message::query_of(e.target), pattern.name));
  };
  return std::ranges::all_of(query, of_query) && all_fit(request, e.request_headers) &&
         all_fit(response, e.response_headers);
}

std::shared_ptr<const Profile> profile_of_data(ProfileData data) {
  return std::make_shared<const DataProfile>(std::move(data));
}

}  // namespace retrial::trace
