// drop-header, set-header, double-header: a field of the response's head is gone, another, or there twice.
#include <fmt/format.h>

#include "base/text.h"
#include "proxy/faults/head_text.h"
#include "proxy/faults/of_response.h"
#include "trace/fault_name.h"

namespace retrial::proxy {
namespace {
using trace::FaultName;

class Header final : public Edit {
 public:
  explicit Header(const trace::FaultSpec& fault) : fault_(fault) {
    std::string_view header = fault.header;
    auto colon = header.find(": ");
    name_ = header.substr(0, colon);
    if (colon != header.npos) value_ = header.substr(colon + 2);
  }

  Did head(std::string& head, const trace::Exchange&, bool) override {
    auto first = field_in(head, name_);
    auto place = first ? first->line : fields_end(head);
    switch (fault_.name) {
      case FaultName::drop_header:
        if (!first) return {.spares = "the response has no such header"};
        erase_all(head);
        return {.fires = true};
      case FaultName::set_header:
        erase_all(head);
        head.insert(place, line(*value_));
        return {.fires = true};
      case FaultName::double_header:
        if (!first && !value_) return {.spares = "the response has no such header"};
        if (first) {
          auto again = value_ ? line(*value_) : head.substr(first->line, first->line_end - first->line);
          head.insert(first->line_end, again);
        } else {
          head.insert(place, line(*value_) + line(*value_));
        }
        return {.fires = true};
      default:
        return {.spares = "this is no fault of a header"};
    }
  }
  std::string evidence(const trace::Exchange&) const override {
    auto what = fault_.name == FaultName::drop_header  ? "was left out"
                : fault_.name == FaultName::set_header ? "is not the service's"
                                                       : "is there twice";
    return fmt::format("the header {} of the response {}", name_, what);
  }

 private:
  std::string line(std::string_view value) const { return fmt::format("{}: {}\r\n", name_, value); }
  void erase_all(std::string& head) const {
    while (auto field = field_in(head, name_)) head.erase(field->line, field->line_end - field->line);
  }
  const trace::FaultSpec& fault_;
  std::string_view name_;
  std::optional<std::string_view> value_;
};
}  // namespace

const Fault& drop_header_fault() {
  static const OfResponse fault(made_of<Header>);
  return fault;
}

const Fault& set_header_fault() {
  static const OfResponse fault(made_of<Header>);
  return fault;
}

const Fault& double_header_fault() {
  static const OfResponse fault(made_of<Header>);
  return fault;
}

}  // namespace retrial::proxy
