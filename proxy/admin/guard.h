#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace retrial::proxy {

// What of a request's head decides whether it is listened to.
struct Caller {
  std::string_view path;
  std::string_view host;        // Host, or :authority
  std::size_t hosts = 1;        // how many such fields there are
  std::string_view origin;      // empty: none
  std::size_t origins = 0;      // likewise
  std::string_view fetch_site;  // Sec-Fetch-Site
  std::string_view authorization;
};

// Who may speak to the admin side (docs/admin.md). Pure.
struct Guard {
  std::string token;  // empty: none is asked for (a Unix socket, whose mode decides)
  std::vector<std::string>
      hosts;             // names it may be called by, in lower case, without a port; empty: any (a Unix socket)
  bool browsers = true;  // false: whoever sends an Origin is refused

  struct Refusal {
    int status = 403;
    std::string why;
    bool wrong_token = false;  // one was sent, and it is not ours: worth a line of the log
  };
  std::optional<Refusal> refuses(const Caller& caller) const;
};

// Takes as long whatever is wrong with it.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace retrial::proxy
