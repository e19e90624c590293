#include "checkers/index.h"

#include <algorithm>

#include "base/text.h"
#include "trace/calls/service_name.h"
#include "trace/profiles/message.h"

namespace retrial::checkers {
namespace {
constexpr std::string_view kBelow = "{path}";  // names of files, as many as there are
bool is_any(std::string_view segment) { return segment.starts_with('{') && segment.ends_with('}'); }
}  // namespace

std::vector<std::string> words_of(std::string_view operation) {
  auto space = operation.find(' ');
  if (space == 0 || space == operation.npos || operation.size() < space + 2 || operation[space + 1] != '/') return {};
  auto path = operation.substr(space + 1);
  if (path.find(' ') != path.npos) return {};  // an action beside the path, which the target does not name
  std::vector<std::string> words{std::string(operation.substr(0, space))};
  for (auto segment : trace::message::segments(path)) {
    bool after_path = words.back() == kBelow;  // that stands at the end alone
    if (after_path || (segment.find('{') != segment.npos && !is_any(segment))) return {};
    words.push_back(percent_decode(segment));
  }
  return words;
}

Index::Index(std::span<const Checker> checkers) {
  for (std::size_t n = 0; n < checkers.size(); n++) {
    auto& c = checkers[n];
    if (!c.after.empty()) add(c.service, c.after, {n, false});
    if (!c.then.empty()) add(c.service, c.then, {n, true});
  }
}

void Index::add(const std::string& service, const std::string& operation, Hit hit) {
  auto words = words_of(operation);
  if (words.empty()) return;
  words.insert(words.begin(), service == "*" ? "{any}" : service);
  auto* node = &root_;
  for (auto& word : words) {
    if (word == kBelow) return node->below.push_back(hit);
    auto& next = is_any(word) ? node->any : node->named[word];
    if (!next) next = std::make_unique<Node>();
    node = next.get();
  }
  node->hits.push_back(hit);
}

std::vector<Index::Hit> Index::of(const trace::Exchange& e) const {
  std::vector<std::string> words{e.method};
  for (auto segment : trace::message::segments(trace::message::path_of(e.target)))
    words.push_back(percent_decode(std::string(segment)));
  std::vector<Hit> out;
  auto from = [&](const std::string& service) {
    if (auto it = root_.named.find(service); it != root_.named.end()) walk(*it->second, words, out);
  };
  auto service = trace::service_name(e.service), any_port = service.substr(0, service.rfind(':')) + ":*";
  from(service);
  if (any_port != service) from(any_port);
  if (root_.any) walk(*root_.any, words, out);
  return out;
}

void Index::walk(const Node& node, std::span<const std::string> words, std::vector<Hit>& out) {
  if (words.empty()) {
    out.insert(out.end(), node.hits.begin(), node.hits.end());
    return;
  }
  out.insert(out.end(), node.below.begin(), node.below.end());
  if (auto it = node.named.find(words.front()); it != node.named.end()) walk(*it->second, words.subspan(1), out);
  if (node.any) walk(*node.any, words.subspan(1), out);
}

}  // namespace retrial::checkers
