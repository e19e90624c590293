#pragma once
#include <string>
#include <vector>

#include "proxy/codec/head.h"
#include "proxy/exchange/credentials.h"
#include "trace/exchange.h"

namespace retrial::proxy {

// The fields of the heads of one side of a connection as the trace takes them: the lines as they were sent, secrets
// replaced, the agents' headers left out. Heads of a connection mostly carry the same names in the same places: what is
// known of a name is not looked up again.
class HeadLines {
 public:
  // Into `lines`, in place of what it held. What the agents say goes to `tag` (requests).
  void take(const Head& head, std::string& lines, trace::Tag* tag);
  std::size_t holds() const;
  // How the last one's body is packed, as Content-Encoding has it; empty: it is not. "aws-chunked" also where its
  // signature says so alone.
  const std::string& encoding() const { return encoding_; }
  // Of the last one's sender (credentials.h); 0: none.
  std::uint32_t credentials() const { return credentials_.digest; }

 private:
  struct Known {
    std::string name;
    enum class Kind : std::uint8_t { plain, authorization, secret, tag, encoding, payload } kind = Kind::plain;
    std::string harmless;  // a value in which no secret is
  };
  static bool harmless(Known& known, std::string_view value);
  void pack(std::string_view how) { encoding_.append(encoding_.empty() ? "" : ",").append(how); }
  Known& known_at(std::size_t n, std::string_view name);
  std::vector<Known> known_;
  std::string encoding_;
  LastCredentials credentials_;
};

}  // namespace retrial::proxy
