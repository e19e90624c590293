#pragma once
#include "campaign/workload/adapters/adapter.h"

// One line a runner: pytest_adapter() stands in pytest.cc. The first that knows a command runs it; the last knows every
// one.
#define RETRIAL_ADAPTERS(ADAPTER) \
  ADAPTER(pytest)                 \
  ADAPTER(unittest)               \
  ADAPTER(node_test)              \
  ADAPTER(mocha)                  \
  ADAPTER(jest)                   \
  ADAPTER(vitest)                 \
  ADAPTER(go_test)                \
  ADAPTER(googletest)             \
  ADAPTER(ctest)                  \
  ADAPTER(catch2)                 \
  ADAPTER(cargo_test)             \
  ADAPTER(cargo_nextest)          \
  ADAPTER(maven)                  \
  ADAPTER(gradle)                 \
  ADAPTER(rspec)                  \
  ADAPTER(phpunit)                \
  ADAPTER(script)                 \
  ADAPTER(whole_command)

namespace retrial::campaign {

#define RETRIAL_DECLARE(name) const Adapter& name##_adapter();
RETRIAL_ADAPTERS(RETRIAL_DECLARE)
#undef RETRIAL_DECLARE

}  // namespace retrial::campaign
