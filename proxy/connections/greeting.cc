#include "proxy/connections/greeting.h"

#include <fmt/format.h>

#include "base/text.h"
#include "proxy/net/tls.h"

namespace retrial::proxy {

Greeting::Greeting(Context& context, std::unique_ptr<Socket> socket, std::unique_ptr<TlsEnd> tls, Nanos limit,
                   Nanos all, Done done)
    : context_(context),
      socket_(std::move(socket)),
      limit_(context.loop,
             [this, all] {
               context_.wake();
               auto why = fmt::format("TLS handshake: no answer within {}", show_duration(all));
               fail({{why, {}, Blame::network}, DialError::Kind::late});
             }),
      done_(std::move(done)) {
  if (limit != 0) limit_.set(limit);
  socket_->hand_to(*this);
  socket_->secure(std::move(tls));
}
Greeting::~Greeting() = default;

void Greeting::ready(Socket& socket) {
  context_.wake();
  if (socket.ready_to_send()) {
    limit_.cancel();
    auto done = std::move(done_);  // it may destroy this
    return done(std::move(socket_));
  }
  char nothing[1];
  if (!socket.gone() && socket.read(nothing, 0).got != Socket::Got::failed) return;
  context_.counts.tls_failures++;
  auto& why = socket.failure();
  fail({{why.empty() ? "the service reset the connection in the TLS handshake" : why, {}, Blame::network}});
}

void Greeting::fail(DialError why) {
  limit_.cancel();
  auto done = std::move(done_);  // it may destroy this
  context_.loop.later_delete(std::move(socket_));
  done(std::unexpected(std::move(why)));
}

}  // namespace retrial::proxy
