#include "campaign/workload/adapters/node_test.h"
#include "campaign/workload/adapters/pytest.h"
#include "campaign/workload/adapters/unittest.h"
#include "campaign/workload/adapters/whole_command.h"

namespace retrial::campaign {

std::span<const Adapter* const> adapters() {
  static const Pytest pytest;
  static const Unittest unittest;
  static const NodeTest node_test;
  static const WholeCommand whole_command;
  static const Adapter* const table[] = {&pytest, &unittest, &node_test, &whole_command};
  return table;
}

const Adapter& adapter_for(const std::vector<std::string>& argv) {
  for (auto* a : adapters())
    if (a->knows(argv)) return *a;
  return *adapters().back();
}

std::string_view program_name(std::string_view word) {
  auto slash = word.rfind('/');
  return slash == word.npos ? word : word.substr(slash + 1);
}

}  // namespace retrial::campaign
