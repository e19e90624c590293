#pragma once
#include <memory>
#include <string>
#include <unordered_map>

#include "proxy/faults/edit.h"

namespace retrial::proxy {

// The last response to each request line, for the fault `stale`: filled only where that fault may come
// (Director::keeps_responses). And the last page of each list, which `another-page` keeps itself. In memory alone. One
// loop owns it.
class Earlier {
 public:
  static constexpr std::size_t kMost = 256;             // request lines; later ones are not kept
  static constexpr std::size_t kMostBytes = 256 << 10;  // of one response; larger ones are not kept

  struct Response {
    std::string head;  // as text
    std::string body;
  };
  const Response* find(const trace::Exchange& exchange) const;  // null: none
  bool has(const trace::Exchange& exchange) const { return find(exchange) != nullptr; }
  void keep(std::string key, Response response);
  // Passes a response unchanged, and keeps it at its end.
  std::unique_ptr<Edit> keeping(const trace::Exchange& exchange);

  // The last body that another-page kept of a list: of the same target, whatever its query says.
  static std::string list_of(const trace::Exchange& exchange);
  const std::string* page(const std::string& list) const;  // null: none
  void keep_page(const std::string& list, std::string body);

 private:
  static std::string key_of(const trace::Exchange& exchange);
  std::unordered_map<std::string, Response> responses_;
};

}  // namespace retrial::proxy
