#pragma once
#include "campaign/workload/adapters/adapter.h"

namespace retrial::campaign {

class Unittest final : public Adapter {
 public:
  std::string_view name() const override { return "unittest"; }
  bool knows(const std::vector<std::string>& argv) const override;
  Launch suite(const std::vector<std::string>& argv) const override;
  Launch only(const std::vector<std::string>& argv, std::string_view test, bool wide) const override;
};

}  // namespace retrial::campaign
