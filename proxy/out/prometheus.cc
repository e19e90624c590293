#include "proxy/out/prometheus.h"

#include <fmt/format.h>

#include <cmath>

namespace retrial::proxy {
namespace {

// As the format has it: of a help text, and (with quotes) of a label's value.
std::string escaped(std::string_view text, bool quotes) {
  std::string out;
  for (char c : text)
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else if (c == '"' && quotes)
      out += "\\\"";
    else
      out += c;
  return out;
}

}  // namespace

void PrometheusText::family(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, escaped(help, false), name, type);
}

void PrometheusText::head(const Labels& labels, std::string_view suffix) {
  text_.append(name_).append(suffix);
  bool first = true;
  for (auto& [key, value] : labels) {
    text_ += fmt::format("{}{}=\"{}\"", first ? "{" : ",", key, escaped(value, true));
    first = false;
  }
  text_ += first ? " " : "} ";
}

void PrometheusText::sample(const Labels& labels, double value, std::string_view suffix) {
  head(labels, suffix);
  text_ += std::isinf(value) ? "+Inf\n" : fmt::format("{}\n", value);
}
void PrometheusText::sample(const Labels& labels, std::uint64_t value, std::string_view suffix) {
  head(labels, suffix);
  text_ += fmt::format("{}\n", value);
}

}  // namespace retrial::proxy
