#include "proxy/envoy/head.h"

#include "base/text.h"
#include "proxy/codec/h1_facts.h"

namespace retrial::proxy {

void EnvoyHead::note(const Field& field, std::string_view value) {
  switch (field.known) {
    case FieldName::other:
      head_.unknown = true;
      return;
    case FieldName::host:
      head_.hosts++;
      return;
    case FieldName::content_length:
      if (auto length = to_int(value); length && *length >= 0) {
        head_.sized = true;
        head_.length = static_cast<std::uint64_t>(*length);
      }
      return;
    case FieldName::content_encoding:
      head_.encoded = true;
      return;
    case FieldName::content_type:
      head_.structured = structured(value);
      head_.grpc = value.starts_with("application/grpc");
      return;
    case FieldName::expect:
      head_.expects_continue = iequals(value, "100-continue");
      return;
    default:
      return;
  }
}

const Head& EnvoyHead::read(std::span<const EnvoyField> fields, bool end) {
  std::size_t size = 2;
  for (auto& f : fields) size += f.name.size() + f.value.size() + 4;
  text_.clear();
  text_.reserve(size);  // views of it stay
  fields_.clear();
  head_.clear();
  auto kept = [this](std::string_view value) {
    auto at = text_.size();
    text_.append(value);
    return std::string_view(text_).substr(at);
  };
  std::string_view host;
  for (auto& f : fields) {
    if (f.name == ":method") head_.method = kept(f.value);
    if (f.name == ":path") head_.target = kept(f.value);
    if (f.name == ":scheme") head_.scheme = kept(f.value);
    if (f.name == ":authority") head_.authority = kept(f.value);
    if (f.name == ":protocol") head_.protocol = kept(f.value);
    if (f.name == ":status") head_.status = static_cast<int>(to_int(f.value).value_or(0));
  }
  auto begin = text_.size();
  for (auto& f : fields) {
    if (f.name.starts_with(':')) continue;
    auto at = static_cast<std::uint32_t>(text_.size() - begin);
    text_.append(f.name).append(": ");
    auto value = static_cast<std::uint32_t>(text_.size() - begin);
    text_.append(f.value);
    Field field{.name = at,
                .name_end = at + static_cast<std::uint32_t>(f.name.size()),
                .value = value,
                .value_end = value + static_cast<std::uint32_t>(f.value.size()),
                .known = field_name(f.name)};
    text_.append("\r\n");
    if (field.known == FieldName::host && host.empty()) host = f.value;
    note(field, f.value);
    fields_.push_back(field);
  }
  text_.append("\r\n");
  head_.raw = std::string_view(text_).substr(begin);
  head_.fields = fields_;
  head_.text = false;
  head_.keep_alive = true;
  head_.bodiless = end;
  head_.host = head_.authority.empty() ? host : head_.authority;
  return head_;
}

}  // namespace retrial::proxy
