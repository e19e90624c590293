#pragma once
#include <functional>

#include "scan/files.h"
#include "scan/found.h"
#include "scan/language.h"

namespace retrial::scan {

struct Scan {
  std::vector<Location> locations;  // by file and line
  std::size_t files = 0, lines = 0;
  std::map<std::string, std::size_t> left_out;  // why, and how many files
};

// Of one text, without verdicts. Pure.
Found scan_text(const Language& language, std::string_view text);

// Reads the files, two at a time, and judges what was found. What cannot be read is counted, never an error.
Scan scan_files(const Chosen& chosen);

}  // namespace retrial::scan
