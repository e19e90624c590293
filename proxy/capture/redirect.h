#pragma once
#include <functional>
#include <string_view>

#include "proxy/capture/connect.h"
#include "proxy/capture/dead_ends.h"
#include "proxy/capture/ledger.h"
#include "proxy/capture/names.h"
#include "proxy/capture/places.h"

namespace retrial::proxy::capture {

// How a connect is answered: turned towards a name of ours, or let go on untouched.
class Redirect {
 public:
  virtual ~Redirect() = default;
  // `service` is the connection that was dialled for it; owned from here on.
  virtual void redirect(ConnectPtr connect, int service) = 0;
  virtual void pass(ConnectPtr connect) = 0;
  // To a dead end. `done` is called just before the client goes on, with why it was not done (then the connect passes),
  // or with nothing. How long the call waits, what wakes it and its errno are the kernel's own.
  using Done = std::function<void(const Connect&, std::string_view why_not)>;
  virtual void mislead(ConnectPtr connect, const Address& dead_end, Done done) = 0;
};

struct RedirectParts {
  Names& names;
  Sockets& sockets;
  Places& places;
  Ledger& ledger;
  DeadEnds& dead_ends;
  bool killable;  // an answer that meets nobody means that the caller was killed
};
// What the client wrote before it was this; nothing: no name of ours.
inline std::optional<Address> written_for(const RedirectParts& parts, const Address& name) {
  const auto written = parts.names.written(name);
  return written ? written : parts.dead_ends.written(name);
}
// A duplicate of the client's socket is connected; the result of that is the answer.
std::unique_ptr<Redirect> redirect_by_getfd(const RedirectParts& parts);
// The address in the client's memory is replaced, and the call goes on. When it passes, the address there is the
// original.
std::unique_ptr<Redirect> redirect_by_rewrite(const RedirectParts& parts);

}  // namespace retrial::proxy::capture
