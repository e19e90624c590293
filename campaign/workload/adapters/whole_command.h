#pragma once
#include "campaign/workload/adapters/adapter.h"

namespace retrial::campaign {

// Any command: it is one test, which passes where the command exits with 0.
class WholeCommand final : public Adapter {
 public:
  std::string_view name() const override { return "command"; }
  bool knows(const std::vector<std::string>&) const override { return true; }
  Launch suite(const std::vector<std::string>& argv) const override { return {argv, {}, {}, {}}; }
  Launch only(const std::vector<std::string>& argv, std::string_view, bool) const override {
    return {argv, {}, {}, {}};
  }
  bool whole() const override { return true; }
};

}  // namespace retrial::campaign
