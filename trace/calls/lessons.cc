#include "trace/calls/lessons.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "trace/calls/content.h"
#include "trace/calls/correlator_keys.h"
#include "trace/calls/operation.h"
#include "trace/calls/polls.h"
#include "trace/calls/service_name.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"

namespace retrial::trace {
namespace {

constexpr std::string_view kName = "{name}", kPath = "{path}";

// "GET /users/alice Action=x": the method, the path's segments, and what follows them.
struct Parts {
  std::string_view method, tail;
  std::vector<std::string_view> segments;
};
Parts parts_of(std::string_view operation) {
  auto space = operation.find(' ');
  if (space == operation.npos || operation.size() == space + 1 || operation[space + 1] != '/') return {};
  auto end = operation.find(' ', space + 1);
  return {operation.substr(0, space), end == operation.npos ? std::string_view() : operation.substr(end),
          message::segments(operation.substr(space + 1, end == operation.npos ? end : end - space - 1))};
}

bool is_webdav(std::string_view method) {
  static constexpr std::array<std::string_view, 5> kMethods{"PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE"};
  return std::ranges::find(kMethods, method) != kMethods.end();
}
bool lies_in(std::string_view path, std::string_view tree) {
  return path.starts_with(tree) && (path.size() == tree.size() || path[tree.size()] == '/');
}
// Other services copy and move by these methods, too (CouchDB): nobody else has folders and their properties.
bool is_webdav_alone(std::string_view method) { return is_webdav(method) && method != "COPY" && method != "MOVE"; }

// The folders that WebDAV's methods were sent to ("/dav/"), and those of what else they were sent to; but for those
// that lie in another.
std::set<std::string, std::less<>> webdav_trees(const Run& run) {
  std::set<std::string, std::less<>> folders, trees;
  std::set<std::string> services, webdav;
  for (auto& e : run.exchanges) {
    services.insert(service_name(e.service));
    if (is_webdav_alone(parts_of(e.operation).method)) webdav.insert(service_name(e.service));
  }
  for (auto& e : run.exchanges) {
    auto parts = parts_of(e.operation);
    if (!is_webdav(parts.method) || !webdav.contains(service_name(e.service))) continue;
    auto segments = parts.segments.size();
    if (segments > 0 && !message::path_of(e.target).ends_with('/')) segments--;
    std::string folder;
    for (std::size_t i = 0; i < segments; i++) folder.append("/").append(parts.segments[i]);
    folders.insert(folder);
  }
  if (services.size() > webdav.size()) folders.erase("");
  for (auto& folder : folders)
    if (std::ranges::none_of(trees, [&](auto& tree) { return lies_in(folder, tree); })) trees.insert(folder);
  return trees;
}

bool file_like(std::string_view segment) {
  auto dot = segment.rfind('.');
  return dot != segment.npos && dot > 0 && segment.size() - dot >= 3 && segment.size() - dot <= 5;
}
// Words that stand where a name could, and are none.
bool is_reserved(std::string_view segment) {
  static constexpr std::array<std::string_view, 18> kWords{"me",    "self",   "search", "count",  "new",    "list",
                                                           "all",   "batch",  "bulk",   "latest", "health", "status",
                                                           "login", "logout", "edit",   "token",  "query",  "metadata"};
  return std::ranges::find(kWords, segment) != kWords.end();
}
bool may_be_name(std::string_view segment, std::size_t depth) {
  if (segment.find_first_of("{:") != segment.npos || is_reserved(segment)) return false;
  return depth > 0 || file_like(segment);
}

// The keys of a JSON body, at any depth: its shape.
std::set<std::string_view> shape_of(std::string_view body) {
  std::set<std::string_view> keys;
  if (!body.starts_with('{') && !body.starts_with('[')) return keys;
  for (std::size_t at = body.find('"'); at != body.npos; at = body.find('"', at + 1)) {
    auto end = at;
    do end = body.find('"', end + 1);
    while (end != body.npos && body[end - 1] == '\\');
    if (end == body.npos) break;
    auto after = body.find_first_not_of(" \t\r\n", end + 1);
    if (after != body.npos && body[after] == ':') keys.insert(body.substr(at + 1, end - at - 1));
    at = end;
  }
  return keys;
}

using Shape = std::set<std::string_view>;
// Bodies of one kind of thing have most keys in common; what was not seen says nothing.
bool alike(const std::vector<const Shape*>& shapes) {
  Shape common, all;
  bool first = true;
  for (auto* shape : shapes) {
    if (shape->empty()) continue;
    all.insert(shape->begin(), shape->end());
    if (std::exchange(first, false))
      common = *shape;
    else
      std::erase_if(common, [&](auto key) { return !shape->contains(key); });
  }
  return common.size() * 2 >= all.size();
}

constexpr std::size_t kLongestGiven = 64, kMostGiven = 20'000;  // bytes; values

// "parcel=P106", of a member that may be called as what lies in "/parcels".
std::string by_name(std::string_view member, std::string_view value) { return fmt::format("{}={}", member, value); }
bool is_given(const std::unordered_set<std::string>& given, const std::vector<std::string_view>& segments,
              std::size_t at) {
  if (given.contains(std::string(segments[at]))) return true;
  if (at == 0) return false;
  auto folder = lower(segments[at - 1]);
  for (std::size_t plural = 0; plural < 3; plural++) {  // "parcels", "boxes"
    if (given.contains(by_name(folder, segments[at]))) return true;
    if (folder.empty() || (folder.back() != 's' && folder.back() != 'e')) return false;
    folder.pop_back();
  }
  return false;
}

// What an answer names by a member that stands for a thing ("id", "order_id", "slug"), at any depth, and of Location
// the last segment; any other with its name. A sample may end anywhere, so this is no parser.
void add_given(const Exchange& e, std::unordered_set<std::string>& given) {
  static constexpr std::array<std::string_view, 8> kNaming{"id",   "uuid", "guid",   "key",
                                                           "slug", "ref",  "number", "name"};
  std::string_view body = e.response_sample;
  for (std::size_t at = body.find('"'); at != body.npos;) {
    auto end = body.find('"', at + 1);
    auto value = end == body.npos ? end : body.find_first_not_of(" \t\r\n:", end + 1);
    if (value == body.npos) break;
    auto key = lower(body.substr(at + 1, end - at - 1));
    bool is_key = body.substr(end + 1, value - end - 1).find(':') != body.npos;
    at = body.find('"', is_key ? value : end + 1);
    if (!is_key) continue;
    bool names = std::ranges::any_of(kNaming, [&](auto word) { return key.ends_with(word); });
    bool text = body[value] == '"';
    auto last = body.find_first_of(text ? "\"" : ",}] \r\n", value + text);
    if (last == body.npos || last - value - text > kLongestGiven) continue;
    auto given_value = body.substr(value + text, last - value - text);
    if (names)
      given.emplace(given_value);
    else if (text)
      given.insert(by_name(key, given_value));
  }
  auto place = message::path_of(find(e.response_headers, "location"));
  if (auto slash = place.rfind('/'); slash != place.npos) given.emplace(place.substr(slash + 1));
}

struct Request {
  std::string operation;  // renamed as far as is known
  std::string site, keys;
  const Exchange* exchange = nullptr;
};
std::string query_keys(std::string_view target) {
  std::set<std::string_view> keys;
  for (auto part : split(message::query_of(target), '&')) keys.insert(part.substr(0, part.find('=')));
  std::string out;
  for (auto key : keys) out.append(key).append("&");
  return out;
}

// Of one value in one place: who sent it, and in which shape it was answered.
struct Seen {
  std::set<std::string> sites;
  Shape shape;
};
// All that stands where a name could, below one prefix.
struct Node {
  std::map<std::string, std::map<std::string, Seen>> by_rest;  // everything else of the request -> value -> seen
  std::map<std::string, std::set<std::string>> ids;            // the same -> sites that send an {id} there
  std::map<std::string, std::set<std::string>> below;          // value -> what was asked below it
  std::set<std::string> values;
};

// Of a run that was recorded with lessons names are learned anew, from what was asked.
std::string named_again(const Exchange& e) {
  bool renamed = e.operation.find(kName) != std::string::npos || e.operation.find(kPath) != std::string::npos;
  return renamed ? operation_of(e) : e.operation;
}

class Learner {
 public:
  explicit Learner(const Run& run) {
    std::unordered_set<std::string> given;  // by answers so far
    for (auto& e : run.exchanges) {
      if (e.grpc.is || e.profile == "grpc") continue;
      auto path = message::path_of(e.target);
      auto segments = message::segments(path);
      for (std::size_t i = 0; i < segments.size(); i++)
        if (is_given(given, segments, i)) given_.emplace(segments[i]);
      if (message::succeeded(e) && given.size() < kMostGiven) add_given(e, given);
      requests_.push_back({named_again(e), e.tag.site ? show_innermost(*e.tag.site) : "", query_keys(e.target), &e});
    }
  }

  void learn(Lessons& lessons) {
    if (!lessons.trees.empty())
      for (auto& r : requests_) r.operation = lessons.rename(std::move(r.operation));
    for (std::size_t depth = 0; depth < kDeepest; depth++) {
      bool any = false;
      for (auto& [prefix, node] : nodes_at(depth, any)) {
        auto names = names_among(node);
        if (names.empty()) continue;
        auto& others = lessons.names[prefix];
        std::ranges::set_difference(node.values, names, std::inserter(others, others.end()));
      }
      if (!any) break;
      for (auto& r : requests_) r.operation = lessons.rename(std::move(r.operation));
    }
  }

 private:
  static constexpr std::size_t kDeepest = 16;
  static constexpr std::size_t kWithoutSite = 4;  // values that must be alike, where no call site says so

  std::map<std::string, Node> nodes_at(std::size_t depth, bool& any) {
    std::map<std::string, Node> nodes;
    uses_.clear();
    for (auto& r : requests_) {
      auto parts = parts_of(r.operation);
      if (parts.segments.size() <= depth) {
        uses_[r.site].insert(r.operation);
        continue;
      }
      any = true;
      std::string prefix, below;
      for (std::size_t i = 0; i < depth; i++) prefix.append("/").append(parts.segments[i]);
      for (std::size_t i = depth + 1; i < parts.segments.size(); i++) below.append("/").append(parts.segments[i]);
      auto rest = std::string(parts.method) + " " + below + std::string(parts.tail) + "?" + r.keys;
      uses_[r.site].insert(prefix + " " + std::string(parts.method) + std::to_string(parts.segments.size()) +
                           std::string(parts.tail) + "?" + r.keys);
      auto& node = nodes[prefix];
      std::string value(parts.segments[depth]);
      node.values.insert(value);
      if (!below.empty()) node.below[value].insert(std::string(parts.method) + below);
      if (value == "{id}" && !r.site.empty()) node.ids[rest].insert(r.site);
      if (!may_be_name(value, depth)) continue;
      auto& seen = node.by_rest[rest][value];
      if (!r.site.empty()) seen.sites.insert(r.site);
      if (message::succeeded(*r.exchange)) seen.shape.merge(shape_of(r.exchange->response_sample));
    }
    return nodes;
  }

  // What lies below two names is the same, as far as it was asked.
  static bool same_below(const Node& node, const std::vector<std::string>& values) {
    const std::set<std::string>* first = nullptr;
    for (auto& value : values) {
      auto it = node.below.find(value);
      if (it == node.below.end()) continue;
      if (!first) first = &it->second;
      if (std::ranges::none_of(it->second, [&](auto& what) { return first->contains(what); })) return false;
    }
    return true;
  }

  std::set<std::string> names_among(const Node& node) const {
    std::set<std::string> names;
    for (auto& [rest, values] : node.by_rest) {
      auto add = [&](auto of, std::size_t least, bool shown) {
        std::vector<std::string> group;
        std::vector<const Shape*> shapes;
        for (auto& [value, seen] : values) {
          if (!of(seen)) continue;
          group.push_back(value);
          shapes.push_back(&seen.shape);
          shown = shown || !seen.shape.empty() || file_like(value);
        }
        if (group.size() < least || !shown || !alike(shapes) || !same_below(node, group)) return;
        names.insert(group.begin(), group.end());
      };
      std::set<std::string> sites;
      for (auto& [value, seen] : values) sites.insert(seen.sites.begin(), seen.sites.end());
      // A site that sends other requests too is a wrapper, through which everything goes. Of what is drawn some looks
      // like an id and some does not ("x7f3q", "ggezy").
      auto ids = node.ids.find(rest);
      for (auto& site : sites) {
        bool drawn = ids != node.ids.end() && ids->second.contains(site);
        if (uses_.at(site).size() == 1) add([&](auto& seen) { return seen.sites.contains(site); }, drawn ? 1 : 2, true);
      }
      add([](auto&) { return true; }, kWithoutSite, false);
      for (auto& [value, seen] : values)
        if (given_.contains(value)) names.insert(value);
    }
    return names;
  }

  std::set<std::string> given_;  // segments that an answer before had named
  std::vector<Request> requests_;
  std::map<std::string, std::set<std::string>> uses_;  // of a call site: what it asks, but for the value in question
};

constexpr std::size_t kMostOften = 4;     // what a test does more often it does as it comes
constexpr std::size_t kLongCommand = 32;  // requests. A command that sends more may send more or less of each the next
                                          // time, and so may one that sends several at once

// A test's request, whatever it holds.
Key target_of(const Exchange& e, const Lessons& lessons) {
  auto key = mix(poll_key(e, lessons.rename(e.operation)), e.tag.test);
  return mix(mix(key, target_key(e.target)), part_of(e));
}
// With all that it carries; 0: its content is not known.
Key request_key(const Exchange& e, const Lessons& lessons) {
  auto content = content_key(e);
  return content == 0 ? 0 : mix(target_of(e, lessons), content);
}

void learn_contents(const Run& run, Lessons& lessons) {
  std::unordered_map<Key, std::size_t> requests, targets;
  std::unordered_set<Key> unfit;
  bool one_by_one =
      run.exchanges.size() <= kLongCommand && std::ranges::adjacent_find(run.exchanges, [](auto& e, auto& next) {
                                                return next.begun < e.told || !e.told;
                                              }) == run.exchanges.end();
  for (auto& e : run.exchanges) {
    bool well = e.ending == Ending::answered && !told_failed(e);
    std::size_t times = well ? 1 : 2;
    targets[target_of(e, lessons)] += times;
    auto key = request_key(e, lessons);
    if (!key) continue;
    requests[key] += times;
    if (!well || (e.tag.test.empty() && !one_by_one)) unfit.insert(key);
  }
  for (auto& [key, times] : requests)
    if (times > 1 && times <= kMostOften && !unfit.contains(key)) lessons.often[key] = times;
  for (auto& [key, times] : requests) lessons.sent.push_back(key);
  for (auto* of : {&requests, &targets})
    for (auto& [key, times] : *of)
      if (times == 1) lessons.once.push_back(key);
  std::ranges::sort(lessons.sent);
  std::ranges::sort(lessons.once);
}

}  // namespace

bool Lessons::at_poll(const Exchange& e) const {
  return !polls.empty() && polls.contains(poll_key(e, rename(e.operation)));
}
bool Lessons::hurries(const Exchange& e, Nanos pause) const {
  auto it = polls.empty() ? polls.end() : polls.find(poll_key(e, rename(e.operation)));
  return it != polls.end() && hurries_beside(it->second, pause);
}

std::uint64_t Lessons::came_once(const Exchange& e) const {
  if (once.empty()) return 0;
  auto key = request_key(e, *this);
  return std::ranges::binary_search(once, key) ? key : 0;
}

std::pair<std::uint64_t, std::size_t> Lessons::came_often(const Exchange& e) const {
  if (often.empty()) return {};
  auto it = often.find(request_key(e, *this));
  if (it == often.end()) return {};
  return {it->first, it->second};
}

std::uint64_t Lessons::came_once_whatever_it_holds(const Exchange& e) const {
  if (once.empty()) return 0;
  auto key = target_of(e, *this);
  return std::ranges::binary_search(once, key) ? key : 0;
}
bool Lessons::came(const Exchange& e) const {
  return !sent.empty() && std::ranges::binary_search(sent, request_key(e, *this));
}

std::string Lessons::rename(std::string operation) const {
  if (names.empty() && trees.empty()) return operation;
  auto parts = parts_of(operation);
  if (parts.method.empty()) return operation;
  if (!trees.empty()) {
    std::string whole;
    for (auto segment : parts.segments) whole.append("/").append(segment);
    for (auto& tree : trees)
      if (lies_in(whole, tree)) return fmt::format("{} {}/{}{}", parts.method, tree, kPath, parts.tail);
  }
  std::string path;
  bool changed = false;
  for (std::size_t depth = 0; depth < parts.segments.size(); depth++) {
    auto segment = parts.segments[depth];
    auto rule = names.find(path);
    bool is_name = rule != names.end() &&
                   (segment == "{id}" || (may_be_name(segment, depth) && !rule->second.contains(std::string(segment))));
    changed |= is_name;
    path.append("/").append(is_name ? kName : segment);
  }
  if (!changed) return operation;
  return std::string(parts.method) + " " + path + std::string(parts.tail);
}

std::string Lessons::operation(const Exchange& exchange) const { return rename(operation_of(exchange)); }

void Lessons::apply(Run& run) const {
  if (names.empty() && trees.empty()) return;
  for (auto& e : run.exchanges) e.operation = rename(std::move(e.operation));
}

void Lessons::learn_answers(const Run& run, const std::set<std::string>& bare) {
  errors.learn(run, bare);
  std::set<std::string_view> stay;
  auto answered = [](const Exchange& e) { return e.service_status != 0 && e.stream == 0 && !e.fired; };
  for (auto& e : run.exchanges)
    if (answered(e) && !e.closes) stay.insert(e.service);
  for (auto& e : run.exchanges)
    if (answered(e) && !stay.contains(e.service)) closing.insert(e.service);
  std::erase_if(closing, [&](auto& service) { return stay.contains(service); });
}

void Lessons::recall(std::string_view operation) {
  std::string path;
  for (auto segment : parts_of(operation).segments) {
    if (segment == kName) names.try_emplace(path);
    if (segment == kPath) trees.insert(path);
    path.append("/").append(segment);
  }
}

// Whoever was refused by a service that answers later asks until it is there: the first that he reads of it is such a
// look, if he does so by the first connection that is taken. (Who only connects until he can has asked for nothing.)
// Its pace is not known.
static void learn_waits(const Run& run, Lessons& lessons) {
  std::set<std::string> refused;
  for (auto& name : run.capture.not_seen)
    if (auto at = name.find(kRefused); at != name.npos) refused.insert(name.substr(0, at));
  std::set<std::uint64_t> connections;
  for (auto& e : run.exchanges) {
    if (refused.empty()) return;
    connections.insert(e.connection);
    bool first = connections.size() >= e.connection;
    if (refused.erase(e.service) == 0 || !first || !message::safe_method(e.method)) continue;
    lessons.polls.try_emplace(poll_key(e, lessons.rename(e.operation)), 0);
    for (auto key : {request_key(e, lessons), target_of(e, lessons)}) std::erase(lessons.once, key);
  }
}

Lessons lessons_of(const Run& run, const std::set<std::string, std::less<>>& trees) {
  Lessons lessons;
  lessons.trees = trees;
  lessons.trees.merge(webdav_trees(run));
  Learner(run).learn(lessons);
  lessons.polls = polls_of(run, lessons);
  learn_contents(run, lessons);
  learn_waits(run, lessons);
  lessons.turns = Turns(run, [&](auto& e) { return lessons.rename(e.operation); });
  return lessons;
}

}  // namespace retrial::trace
