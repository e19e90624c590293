#pragma once
#include <span>
#include <string>
#include <vector>

#include "proxy/codec/ext_proc.h"
#include "proxy/codec/head.h"

namespace retrial::proxy {

// Fields that an Envoy tells of as a head, such as one of HTTP/2 would be. Its storage is used again.
class EnvoyHead {
 public:
  // `end`: nothing follows it. The head lasts until the next call.
  const Head& read(std::span<const EnvoyField> fields, bool end);
  const Head& head() const { return head_; }
  std::size_t holds() const { return text_.capacity() + sizeof(Field) * fields_.capacity(); }

 private:
  void note(const Field& field, std::string_view value);
  std::string text_;  // pseudo-fields' values, then the lines
  std::vector<Field> fields_;
  Head head_;
};

}  // namespace retrial::proxy
