#include "proxy/codec/head.h"

namespace retrial::proxy {

std::string_view Head::line(std::size_t n) const {
  std::size_t end = raw.size() - (raw.ends_with("\r\n") ? 2 : 1);
  if (n + 1 < fields.size()) end = fields[n + 1].name;
  return raw.substr(fields[n].name, end - fields[n].name);
}

KeptHead::KeptHead(const Head& head) {
  static constexpr std::string_view Head::* kViews[] = {&Head::raw,      &Head::method,    &Head::target,
                                                        &Head::host,     &Head::scheme,    &Head::authority,
                                                        &Head::protocol, &Head::ambiguous, &Head::invalid};
  head_ = head;
  std::size_t size = 0;
  for (auto view : kViews) size += (head.*view).size();
  bytes_.reserve(size);  // so that what stands in it stays where it is
  for (auto view : kViews) {
    auto& from = head.*view;
    bool in_raw = from.data() >= head.raw.data() && from.data() + from.size() <= head.raw.data() + head.raw.size();
    auto at = in_raw ? static_cast<std::size_t>(from.data() - head.raw.data()) : bytes_.size();
    if (view == &Head::raw || !in_raw) bytes_.append(from);
    head_.*view = std::string_view(bytes_).substr(at, from.size());
  }
  fields_.assign(head.fields.begin(), head.fields.end());
  head_.fields = fields_;
}

}  // namespace retrial::proxy
