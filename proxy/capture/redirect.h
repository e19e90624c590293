#pragma once
#include "proxy/capture/connect.h"
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
};

struct RedirectParts {
  Names& names;
  Sockets& sockets;
  Places& places;
  Ledger& ledger;
  bool killable;  // an answer that meets nobody means that the caller was killed
};
// A duplicate of the client's socket is connected; the result of that is the answer.
std::unique_ptr<Redirect> redirect_by_getfd(const RedirectParts& parts);
// The address in the client's memory is replaced, and the call goes on. When it passes, the address there is the
// original.
std::unique_ptr<Redirect> redirect_by_rewrite(const RedirectParts& parts);

}  // namespace retrial::proxy::capture
