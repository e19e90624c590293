#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkers/checker.h"
#include "trace/exchange.h"

namespace retrial::checkers {

// Which checkers an exchange concerns, by the address of its service as reports name it, by its host with any port
// ("127.0.0.1:*"), or any: a trie of service, method and the segments of a path. Costs what its path has
// segments, and twice for each where both a name and {any} fit.
class Index {
 public:
  struct Hit {
    std::size_t checker = 0;  // its number
    bool then = false;        // as R; else as W
  };
  explicit Index(std::span<const Checker> checkers);  // they must outlive it
  std::vector<Hit> of(const trace::Exchange& e) const;

 private:
  struct Node {
    std::map<std::string, std::unique_ptr<Node>, std::less<>> named;
    std::unique_ptr<Node> any;
    std::vector<Hit> hits;
    std::vector<Hit> below;  // of {path}: whatever lies below
  };
  void add(const std::string& service, const std::string& operation, Hit hit);
  static void walk(const Node& node, std::span<const std::string> words, std::vector<Hit>& out);

  Node root_;
};

// "GET /docs/{id}" as what a request of it is looked up by: {"GET", "docs", "{id}"}; {path} at the end is all that
// follows. Names are decoded. Empty for what names no path (an RPC).
std::vector<std::string> words_of(std::string_view operation);

}  // namespace retrial::checkers
