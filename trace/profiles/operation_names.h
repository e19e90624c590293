#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace retrial::trace {

// What a body says is called, behind the path in an operation's name: " mutation=CreateOrder", of several each once, in
// the order in which they came.
class OperationNames {
 public:
  void add(std::string_view name);  // empty: it says nothing
  std::string text() const;

 private:
  std::vector<std::string> names_;
};

}  // namespace retrial::trace
