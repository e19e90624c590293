#pragma once
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "proxy/net/address.h"
#include "proxy/net/loop.h"

namespace retrial::proxy {

// Name to address, without blocking (libevent's evdns: /etc/hosts, /etc/resolv.conf). One a loop; it outlives its
// queries.
class Resolver {
 public:
  explicit Resolver(Loop& loop);
  ~Resolver();
  using Done = std::function<void(Result<Address>)>;
  // Calls `done` on the loop, never before it returns; an address literal ("127.0.0.1", "::1", "[::1]") too. Not at all
  // once the returned handle is destroyed. IPv4 first, as most services of a test listen there.
  class Query {
   public:
    ~Query();

   private:
    friend class Resolver;
    struct Asked;
    explicit Query(std::unique_ptr<Asked> asked);
    std::unique_ptr<Asked> asked_;
  };
  std::unique_ptr<Query> resolve(const std::string& host, std::uint16_t port, Done done);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A new non-blocking socket on which a connect to `to` is under way (or already refused: then errno's text).
Result<int> begin_connect(const Address& to);

}  // namespace retrial::proxy
