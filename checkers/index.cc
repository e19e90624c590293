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

const Index::Roots& Index::roots_of(const std::string& service) {
  if (auto known = roots_.find(service); known != roots_.end()) return known->second;
  if (roots_.size() >= kMostServices) roots_.clear();
  auto& roots = roots_[service];
  auto from = [&](const std::string& name) {
    if (auto it = root_.named.find(name); it != root_.named.end()) roots.push_back(it->second.get());
  };
  auto name = trace::service_name(service), any_port = name.substr(0, name.rfind(':')) + ":*";
  from(name);
  if (any_port != name) from(any_port);
  if (root_.any) roots.push_back(root_.any.get());
  return roots;
}

std::vector<Index::Hit> Index::of(const trace::Exchange& e) {
  std::vector<Hit> out;
  for (auto* root : roots_of(e.service)) {
    if (auto it = root->named.find(e.method); it != root->named.end())
      walk(*it->second, trace::message::path_of(e.target), out);
    if (root->any) walk(*root->any, trace::message::path_of(e.target), out);
  }
  return out;
}

void Index::walk(const Node& node, std::string_view path, std::vector<Hit>& out) {
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  if (path.empty()) {
    out.insert(out.end(), node.hits.begin(), node.hits.end());
    return;
  }
  out.insert(out.end(), node.below.begin(), node.below.end());
  auto segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  auto it = segment.contains('%') ? node.named.find(percent_decode(std::string(segment))) : node.named.find(segment);
  if (it != node.named.end()) walk(*it->second, path, out);
  if (node.any) walk(*node.any, path, out);
}

}  // namespace retrial::checkers
