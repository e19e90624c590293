// Any bytes as the body of what an operator asks: a rule, all rules, a toxic. What is refused says why in one line and
// changes nothing; what is taken can be given back, and is then the same.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "campaign/serving/rulebook.h"
#include "campaign/serving/toxics.h"

using namespace retrial::campaign;

namespace {
void hold(const Granted<bool>& granted, const Rulebook& rules, const std::string& before) {
  if (granted) return;
  if (granted.error().why.empty() || granted.error().why.find('\n') != std::string::npos) std::abort();
  if (rules.etag() != before) std::abort();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  static const Config config = [] {
    auto checked = check_config("[service.s]\naddress = \"127.0.0.1:1\"\n", "f.toml");
    return checked.config;
  }();
  Rulebook rules(config);
  auto before = rules.etag();
  auto put = rules.put("r", text, {});
  hold(put, rules, before);
  if (put) {
    auto* entry = rules.named("r");
    if (!entry) std::abort();
    auto said = nlohmann::json::parse(as_json(*entry), nullptr, false);
    if (said.is_discarded()) std::abort();
  }
  before = rules.etag();
  hold(rules.put_all(text, {}), rules, before);
  if (auto toxic = read_toxic(text)) {
    (void)faults_of(*toxic);
    if (nlohmann::json::parse(as_json(*toxic), nullptr, false).is_discarded()) std::abort();
  } else if (toxic.error().why.find('\n') != std::string::npos) {
    std::abort();
  }
  return 0;
}
