#pragma once
#include <string>
#include <string_view>

#include "campaign/serving/rulebook.h"

namespace retrial::campaign {

// A toxic of Toxiproxy (https://github.com/Shopify/toxiproxy, its README, "Toxics"), by its JSON.
struct Toxic {
  std::string name, type, stream = "downstream";
  double toxicity = 1;
  std::string attributes;  // JSON, as it was said, what was left out filled in
};
// `before`: what a change begins with; null: a new one. Errors are of status 400.
Granted<Toxic> read_toxic(std::string_view json, const Toxic* before = nullptr);
std::string as_json(const Toxic& toxic);

// What it means here, in the fault language; refused, with why, where it means nothing that we do.
Granted<std::string> faults_of(const Toxic& toxic);

}  // namespace retrial::campaign
