// The TLS of a connection that is being set up, on both sides.
#include <fmt/format.h>

#include <array>

#include "proxy/connections/route.h"
#include "proxy/connections/setup.h"
#include "trace/calls/service_name.h"
#include "trace/fault_name.h"

namespace retrial::proxy {
namespace {

// TLS 1.2, a random of zeros, no session, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 (RFC 5246 7.4.1.3): a handshake that is
// cut after it needs no more of ours.
constexpr auto kServerHello = [] {
  std::array<char, 54> bytes{22, 3, 3, 0, 49, 2, 0, 0, 45, 3, 3};
  bytes[44] = static_cast<char>(0xc0);
  bytes[45] = 0x2f;
  bytes[48] = 5;  // extensions: renegotiation_info (RFC 5746 3.2), without which clients refuse it before it is cut
  bytes[49] = static_cast<char>(0xff);
  bytes[50] = bytes[52] = 1;
  return bytes;
}();
constexpr std::string_view kHttp11 = "http/1.1";
constexpr std::string_view kHttp2 = "h2";
}  // namespace

bool ConnectionSetup::tls_to_service() const {
  return !speaks_to_us() && (accepted_.transparent() || inside_ || accepted_.listener->route.tls);
}
std::string ConnectionSetup::pair() const {
  return Distrust::pair(trace::service_name(accepted_.service_name),
                        hello_.server_name.empty() ? host_ : hello_.server_name);
}

void ConnectionSetup::hello(const ClientHello& hello) {
  hello_ = hello;
  if (accepted_.transparent() || inside_) asked_by_name();
  if (fault_.name == trace::FaultName::tls_refuse) {
    met();
    return alert();
  }
  if (fault_.name == trace::FaultName::tls_cut) {
    met();
    accepted_.client->write({kServerHello.data(), kServerHello.size()});
    accepted_.client->flush();
    return give_up(fault_.telling == trace::Telling::reset);
  }
  bool h1 = hello.alpn.empty(), h2 = false;
  for (auto& protocol : hello.alpn) {
    h1 |= protocol == kHttp11;
    h2 |= protocol == kHttp2;
  }
  bool distrusted = context_.options.distrust && context_.options.distrust->passes(pair());
  bool closed = !context_.options.to_clients || (tls_to_service() && ((!h1 && !h2) || distrusted));
  if (closed && speaks_to_us()) return give_up(true);
  bool mirrors = tls_to_service() && !(accepted_.pool && accepted_.pool->route().http2);
  if (!closed && mirrors) return greet();
  if (!closed) {
    h2 = h2 && !speaks_to_us() && !(h1 && accepted_.pool && accepted_.pool->speaks_http1());
    return shake(h2 ? kHttp2 : hello.alpn.empty() || !h1 ? "" : kHttp11);
  }
  if (accepted_.service) return end(Speech::opaque);
  tunnel_ = true;
  dial();
}

// Such a service is spoken to by the name that its client asks for, in all of its connections: an address is in few
// certificates.
void ConnectionSetup::asked_by_name() {
  if (!accepted_.pool) return;
  auto route = accepted_.pool->route();
  auto& name = hello_.server_name;
  route.tls = true;
  route.service = accepted_.service_name;
  if (!name.empty() && !route.security) learn(route, name, *accepted_.listener);
  if (route.server_name.empty()) route.server_name = name;
  accepted_.pool = context_.pool_for(route);
}

// The service is greeted with what the client offers.
void ConnectionSetup::greet() {
  step_ = Step::greeting;
  accepted_.client->listen(false);
  auto* pool = accepted_.pool.get();
  auto* security = pool ? context_.security_of(*pool) : context_.security_of(accepted_.service_name);
  if (!security) return unreachable("no TLS towards services is set up");
  auto done = [this](auto service) { greeted(std::move(service)); };
  if (!accepted_.service) {
    reaching_ = pool->dial(hello_.alpn, done);
    return;
  }
  auto& name = pool ? pool->server_name() : hello_.server_name.empty() ? host_ : hello_.server_name;
  auto end = security->connect(name, hello_.alpn);
  if (!end) return unreachable(end.error().line());
  auto limit = pool ? pool->connect_timeout() : context_.options.connect_timeout;
  greeting_ = std::make_unique<Greeting>(context_, std::move(accepted_.service), std::move(*end), limit, limit,
                                         std::move(done));
}

void ConnectionSetup::greeted(std::expected<std::unique_ptr<Socket>, DialError> service) {
  reaching_.reset();
  greeting_.reset();
  if (!service) return unreachable(service.error().what, status_of(service.error()));
  accepted_.service = std::move(*service);
  accepted_.service->hand_to(*this);
  shake(accepted_.service->tls()->alpn());
}

void ConnectionSetup::shake(std::string_view alpn) {
  auto flaw = fault_.name == trace::FaultName::tls_expired      ? certs::Flaw::expired
              : fault_.name == trace::FaultName::tls_wrong_name ? certs::Flaw::wrong_name
                                                                : certs::Flaw::none;
  auto& to_clients = *context_.options.to_clients;
  auto& name = hello_.server_name;
  auto* service = accepted_.service ? accepted_.service->tls() : nullptr;
  auto end = service ? to_clients.accept_like(*service, name, host_, alpn, flaw)
                     : to_clients.accept(!name.empty()   ? name
                                         : host_.empty() ? "127.0.0.1"
                                                         : host_,
                                         alpn, flaw);
  if (!end) return unreachable(end.error().line());
  step_ = Step::shaking;
  accepted_.client->listen(true);
  accepted_.client->put_back(std::exchange(first_, {}));
  if (flaw != certs::Flaw::none) met();
  accepted_.client->secure(std::move(*end));
  shaken();
}

void ConnectionSetup::shaken() {
  auto& client = *accepted_.client;
  if (client.ready_to_send()) {
    if (context_.options.distrust && tls_to_service()) accepted_.distrust = pair();
    return end(client.tls()->alpn() == kHttp2 ? Speech::http2 : Speech::http1);
  }
  if (!client.gone()) return;
  context_.counts.tls_failures++;
  auto* service = accepted_.service ? accepted_.service->tls() : nullptr;
  if (met_ || (service && service->verified().known && !service->verified().all())) return give_up(false);  // rightly
  // What TLS has not heard of yet is an RST, which often overtakes the alert before it.
  bool reset = client.failure().empty();
  auto how = reset ? std::string("it was reset") : client.failure();
  // Nor does every RST mean that: a call that is cancelled at once may end in the middle of a handshake.
  auto* known = context_.options.distrust;
  bool refused = reset ? client.tls() && client.tls()->shown() && !(known && known->trusts(pair()))
                       : client.tls() && client.tls()->distrusted();
  if (refused)
    refused_us(how);
  else
    context_.say(fmt::format("connection {}: {}", accepted_.connection, how));
  give_up(false);
}

// `run` passes such a client unopened from then on: its test must not fail because of us. `serve` is told who it is,
// and goes on to open what comes: another client of the same service may trust us.
void ConnectionSetup::refused_us(const std::string& how) {
  context_.counts.distrusting++;
  // A service in clear text would not understand what is passed unopened.
  bool passes = context_.options.distrust && tls_to_service();
  if (passes && context_.options.distrust->judges(accepted_.pid)) return context_.options.distrust->left(pair());
  if (passes) context_.options.distrust->refused(pair());
  context_.say(fmt::format("{}: a client does not trust our certificate ({}){}", pair(), how,
                           passes ? ": its connections are passed unopened" : ""));
}

// The client is in the middle of a TLS handshake: it hears of the failure there (RFC 8446 6.2, handshake_failure).
void ConnectionSetup::alert() {
  static constexpr char kAlert[] = {21, 3, 3, 0, 2, 2, 40};
  accepted_.client->write({kAlert, sizeof kAlert});
  accepted_.client->flush();
  give_up(false);
}

}  // namespace retrial::proxy
