#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "checkers/checker.h"
#include "trace/exchange.h"

namespace retrial::checkers {

// Which checkers an exchange concerns, by the address of its service as reports name it, by its host with any port
// ("127.0.0.1:*"), or any: a trie of service, method and the segments of a path. Costs what its path has
// segments, and twice for each where both a name and {any} fit; nothing is allocated where none is found.
class Index {
 public:
  struct Hit {
    std::size_t checker = 0;  // its number
    bool then = false;        // as R; else as W
  };
  explicit Index(std::span<const Checker> checkers);  // they must outlive it
  std::vector<Hit> of(const trace::Exchange& e);
  bool knows(const trace::Exchange& e) { return !roots_of(e.service).empty(); }  // some checker speaks of its service

 private:
  struct Node {
    std::map<std::string, std::unique_ptr<Node>, std::less<>> named;
    std::unique_ptr<Node> any;
    std::vector<Hit> hits;
    std::vector<Hit> below;  // of {path}: whatever lies below
  };
  using Roots = std::vector<const Node*>;
  void add(const std::string& service, const std::string& operation, Hit hit);
  const Roots& roots_of(const std::string& service);
  static void walk(const Node& node, std::string_view path, std::vector<Hit>& out);

  static constexpr std::size_t kMostServices = 1000;
  Node root_;
  std::unordered_map<std::string, Roots> roots_;  // by service, of those that were asked for
};

// "GET /docs/{id}" as what a request of it is looked up by: {"GET", "docs", "{id}"}; {path} at the end is all that
// follows. Names are decoded. Empty for what names no path (an RPC).
std::vector<std::string> words_of(std::string_view operation);

}  // namespace retrial::checkers
