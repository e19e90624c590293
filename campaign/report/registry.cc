#include "campaign/report/registry.h"

#include "campaign/report/words.h"

namespace retrial::campaign::report {

std::span<const Format> formats() {
#define RETRIAL_ROW(name) name##_format(),
  static const std::vector<Format> all = {RETRIAL_FORMATS(RETRIAL_ROW)};
#undef RETRIAL_ROW
  return all;
}

std::string files_for_programs(std::string_view more) {
  std::vector<std::string> files;
  for (auto& format : formats())
    if (!format.for_people) files.emplace_back(format.file);
  if (!more.empty()) files.emplace_back(more);
  if (files.size() < 2) return joined(files, "");
  auto last = std::move(files.back());
  files.pop_back();
  return joined(files, ", ") + " and " + last;
}

}  // namespace retrial::campaign::report
