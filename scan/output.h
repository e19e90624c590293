#pragma once
#include <string>

#include "scan/scan.h"

namespace retrial::scan {

std::string text_of(const Scan& scan, const std::string& changed_since);  // for people, 80 columns and more
std::string left_out_line(const Scan& scan);                              // "2 tests, 1 not UTF-8"
std::string json_of(const Scan& scan);                                    // docs/scan.md has its members
std::string sarif_of(const Scan& scan);                                   // SARIF 2.1.0: one result a verdict

}  // namespace retrial::scan
