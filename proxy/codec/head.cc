#include "proxy/codec/head.h"

namespace retrial::proxy {

std::string_view Head::line(std::size_t n) const {
  std::size_t end = raw.size() - (raw.ends_with("\r\n") ? 2 : 1);
  if (n + 1 < fields.size()) end = fields[n + 1].name;
  return raw.substr(fields[n].name, end - fields[n].name);
}

void KeptHead::keep(const Head& head) {
  static constexpr std::string_view Head::* kViews[] = {&Head::method,    &Head::target,    &Head::host,
                                                        &Head::scheme,    &Head::authority, &Head::protocol,
                                                        &Head::ambiguous, &Head::invalid};
  auto outside = [&](std::string_view from) {
    return from.data() < head.raw.data() || from.data() + from.size() > head.raw.data() + head.raw.size();
  };
  head_ = head;
  auto size = head.raw.size();
  for (auto view : kViews)
    if (auto& from = head.*view; !from.empty() && outside(from)) size += from.size();
  bytes_.reserve(size);  // so that what stands in it stays where it is
  bytes_.assign(head.raw);
  std::string_view all(bytes_.data(), size);
  head_.raw = all.substr(0, head.raw.size());
  for (auto view : kViews) {
    auto& from = head.*view;
    if (from.empty()) continue;
    auto at = static_cast<std::size_t>(from.data() - head.raw.data());
    if (outside(from)) {
      at = bytes_.size();
      bytes_.append(from);
    }
    head_.*view = all.substr(at, from.size());
  }
  fields_.assign(head.fields.begin(), head.fields.end());
  head_.fields = fields_;
}

}  // namespace retrial::proxy
