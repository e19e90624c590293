#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace retrial::proxy {

// Writes metrics in Prometheus' text format (exposition format 0.0.4). A family is begun with its type and what it
// means, and its samples follow.
class PrometheusText {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  void family(std::string_view name, std::string_view type, std::string_view help);
  void sample(const Labels& labels, double value, std::string_view suffix = {});  // of the family begun last
  void sample(const Labels& labels, std::uint64_t value, std::string_view suffix = {});
  const std::string& text() const { return text_; }

 private:
  void head(const Labels& labels, std::string_view suffix);
  std::string text_, name_;
};

}  // namespace retrial::proxy
