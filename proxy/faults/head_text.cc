#include "proxy/faults/head_text.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace retrial::proxy {

int status_in(std::string_view head) {
  auto at = std::min(head.find(' '), head.size());
  int status = 0;
  std::from_chars(head.data() + std::min(at + 1, head.size()), head.data() + head.size(), status);
  return status;
}
std::size_t fields_begin(std::string_view head) {
  auto at = head.find('\n');
  return at == head.npos ? head.size() : at + 1;
}
std::size_t fields_end(std::string_view head) {
  return head.size() - (head.ends_with("\r\n") ? 2 : head.ends_with('\n') ? 1 : 0);
}

std::optional<FieldText> field_in(std::string_view head, std::string_view name, std::size_t from) {
  for (auto at = std::max(from, fields_begin(head)), end = fields_end(head); at < end;) {
    auto next = head.find('\n', at);
    next = next == head.npos ? end : next + 1;
    while (next < end && (head[next] == ' ' || head[next] == '\t')) {
      auto fold = head.find('\n', next);
      next = fold == head.npos ? end : fold + 1;
    }
    auto line = head.substr(at, next - at);
    if (line.size() > name.size() && line[name.size()] == ':' && iequals(line.substr(0, name.size()), name)) {
      auto value = trim(line.substr(name.size() + 1));
      auto begin = static_cast<std::size_t>(value.data() - head.data());
      if (value.empty()) begin = at + name.size() + 1;
      return FieldText{at, next, begin, begin + value.size()};
    }
    at = next;
  }
  return {};
}

BodyFraming framing_in(std::string_view head) {
  BodyFraming framing;
  if (auto coding = field_in(head, "transfer-encoding")) {
    auto value = head.substr(coding->value, coding->value_end - coding->value);
    framing.chunked = value.size() >= 7 && iequals(value.substr(value.size() - 7), "chunked");
    return framing;
  }
  if (auto length = field_in(head, "content-length"))
    framing.length = to_int(head.substr(length->value, length->value_end - length->value));
  return framing;
}

}  // namespace retrial::proxy
