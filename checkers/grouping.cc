#include "checkers/grouping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

namespace retrial::checkers {

std::vector<Checker> grouped(std::vector<Checker> all) {
  std::vector<Checker> out;
  for (auto& c : all) {
    bool apart = c.rule == Rule::adds || c.rule == Rule::listed || c.rule == Rule::unlisted ||
                 c.rule == Rule::never_falls || c.rule == Rule::rises;
    auto same = std::ranges::find_if(out, [&](auto& known) {
      return !apart && known.rule == c.rule && known.service == c.service && known.after == c.after &&
             known.then == c.then && known.within == c.within;
    });
    if (same == out.end()) {
      out.push_back(std::move(c));
      continue;
    }
    same->fields.insert(same->fields.end(), c.fields.begin(), c.fields.end());
    same->held += c.held;
  }
  std::ranges::stable_sort(out, [](auto& a, auto& b) {
    return std::tie(a.service, a.after, a.then, a.rule) < std::tie(b.service, b.after, b.then, b.rule);
  });
  std::map<std::string, int> named;
  for (auto& c : out) {
    auto operation = c.then.empty() ? c.after : c.then;
    std::string words;
    for (char ch : operation)
      if (std::isalnum(static_cast<unsigned char>(ch)))
        words += static_cast<char>(std::tolower(static_cast<unsigned char>(ch)));
      else if (!words.empty() && words.back() != '-')
        words += '-';
    while (words.ends_with('-')) words.pop_back();
    c.name = fmt::format("{}-{}", show(c.rule), words);
    if (auto n = ++named[c.name]; n > 1) c.name += fmt::format("-{}", n);
  }
  return out;
}

}  // namespace retrial::checkers
