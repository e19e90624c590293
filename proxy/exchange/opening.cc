#include "proxy/exchange/opening.h"

#include <fmt/format.h>

#include <array>

#include "proxy/codec/h2.h"
#include "proxy/codec/scan.h"
#include "proxy/exchange/answer.h"
#include "trace/calls/service_name.h"

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

// Empty lines may come first (RFC 9112 2.2).
bool begins_with_method(std::string_view bytes) {
  auto from = bytes.find_first_not_of("\r\n");
  if (from == bytes.npos) return true;
  auto end = from + token(bytes.substr(from));
  return end == bytes.size() || (end > from && bytes[end] == ' ');
}

// The head of a SETTINGS frame (RFC 9113 4.1, 6.5) that a service may begin with.
bool is_h2_settings(std::string_view bytes) {
  if (bytes.size() < 9) return false;
  auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  unsigned length = at(0) << 16 | at(1) << 8 | at(2);
  return length <= 16384 && length % 6 == 0 && at(3) == 4 && at(4) == 0 && (at(5) | at(6) | at(7) | at(8)) == 0;
}

Route route_to(const Address& address) {
  Route route;
  auto text = address.show();
  auto colon = text.rfind(':');
  route.host = text.substr(0, colon);
  if (route.host.starts_with('[')) route.host = route.host.substr(1, route.host.size() - 2);
  route.port = address.port();
  return route;
}
}  // namespace

Opening::Opening(House& house, const Captured& captured, std::uint64_t connection)
    : house_(house), began_(house.clock.now()) {
  ends_.client = std::make_unique<Socket>(house.loop, captured.client, events());
  ends_.service = std::make_unique<Socket>(house.loop, captured.service, events());
  ends_.service_name = captured.original.show();
  ends_.pid = captured.pid;
  ends_.connection = connection;
  host_ = route_to(captured.original).host;
  fault_ = captured.fault;
}

Opening::Opening(House& house, Incoming incoming, std::uint64_t connection) : house_(house), began_(house.clock.now()) {
  ends_.client = std::make_unique<Socket>(house.loop, incoming.client, events());
  ends_.pid = incoming.pid;
  ends_.connection = connection;
  auto& entrance = *incoming.entrance;
  if (entrance.entry == Entry::transparent)
    ends_.pool = &house.pool_for(route_to(incoming.original));
  else if (entrance.entry == Entry::reverse)
    ends_.pool = &house.pool_for(entrance.route);
  if (ends_.pool) {
    ends_.service_name = ends_.pool->service();
    host_ = ends_.pool->route().host;
  }
  ends_.entrance = std::move(incoming.entrance);
}

Opening::Opening(House& house, Ends inside_connect)
    : house_(house), ends_(std::move(inside_connect)), began_(house.clock.now()), inside_(true) {
  ends_.client->hand_to(*this);
  ends_.service_name = ends_.pool->service();
  host_ = ends_.pool->route().host;
}

Opening::~Opening() = default;

void Opening::start() {
  if (!ends_.pool || undisturbed()) begin();
}

// What the director has for this connection, as far as it strikes before anything is said.
bool Opening::undisturbed() {
  fault_ = house_.director.at_connect({ends_.service_name, ends_.pid, began_}).fault;
  switch (fault_.name) {
    case trace::FaultName::refuse_connect:
      met();
      if (!inside_) return give_up(true), false;
      step_ = Step::dialling;
      return unreachable("the connection was refused"), false;
    case trace::FaultName::connect_timeout:
      met();
      step_ = Step::withheld;
      return false;
    case trace::FaultName::slow_connect:
      met();
      step_ = Step::withheld;
      ends_.client->listen(false);
      timer_ = std::make_unique<Timer>(house_.loop, [this] {
        step_ = Step::listening;
        ends_.client->listen(true);
        begin();
      });
      timer_->set(fault_.delay, Time::client);
      return false;
    default:
      return true;
  }
}

// Where nobody has spoken yet it may be the service who does.
bool Opening::awaited(Nanos now) const {
  constexpr Nanos kGreeting = 100 * kMillisecond;
  return step_ == Step::listening ? now - began_ < kGreeting : step_ != Step::withheld;
}

// Nothing is said to the client, whatever it says.
void Opening::withhold() {
  for (;;) {
    switch (ends_.client->read(house_.scratch.data(), house_.scratch.size()).got) {
      case Socket::Got::bytes:
        continue;
      case Socket::Got::nothing:
        return;
      default:
        return give_up(false);
    }
  }
}

void Opening::met() {
  met_ = true;
  house_.connection_faults.fired(ends_.pid, ends_.service_name, fault_, house_.clock.now());
}

// What it should have met has nothing to strike any more.
void Opening::unmet(std::string_view why) {
  if (fault_.name == trace::FaultName::none || met_) return;
  house_.connection_faults.not_fired(ends_.pid, ends_.service_name, fault_, why, house_.clock.now());
  house_.say(fmt::format("connection {}: {} was not fired: {}", ends_.connection, trace::show(fault_), why));
}

void Opening::begin() {
  if (inside_) return dial();
  if (protocol() != Protocol::tcp) return;
  tunnel_ = true;
  dial();
}

void Opening::ready(Socket& socket) {
  house_.active(house_.clock.now());
  if (step_ == Step::listening && &socket == ends_.service.get()) return service_speaks();
  go_on();
}

// Before its client does, or it is gone. An HTTP/2 service may say its SETTINGS first (RFC 9113 3.4): its client is
// waited for.
void Opening::service_speaks() {
  char first[9];
  if (is_h2_settings({first, ends_.service->peek(first, sizeof first)})) return ends_.service->listen(false);
  end(inside_ ? Speech::opaque : Speech::http1);
}

void Opening::go_on() {
  switch (step_) {
    case Step::listening:
      return read_client();
    case Step::withheld:
      return withhold();
    case Step::dialling:
      return connected();
    case Step::greeting:
      return greeted();
    case Step::shaking:
      return shaken();
    case Step::over:
      return;
  }
}

void Opening::read_client() {
  auto [got, size] = ends_.client->read(house_.scratch.data(), house_.scratch.size());
  switch (got) {
    case Socket::Got::bytes:
      first_.append(house_.scratch.data(), size);
      return classify();
    case Socket::Got::nothing:
      return;
    case Socket::Got::fin:
      return ends_.service ? end(Speech::http1) : give_up(false);
    case Socket::Got::rst:
    case Socket::Got::failed:
      return give_up(true);
  }
}

void Opening::classify() {
  ClientHello hello;
  switch (house_.options.to_clients ? read_client_hello(first_, hello) : HelloStep::not_tls) {
    case HelloStep::more:
      return;
    case HelloStep::whole:
      return this->hello(hello);
    case HelloStep::not_tls:
      break;
  }
  auto begins = std::string_view(first_).substr(0, kH2Preface.size());
  if (begins.size() >= 4 && kH2Preface.starts_with(begins) && begins.size() < kH2Preface.size()) return;
  if (begins == kH2Preface) return end(Speech::http2);
  bool other = protocol() == Protocol::automatic && !begins_with_method(first_);
  if (!other || speaks_to_us()) return end(Speech::http1);
  if (ends_.service) return end(Speech::opaque);
  tunnel_ = true;
  dial();
}

bool Opening::tls_to_service() const {
  return !speaks_to_us() &&
         (!ends_.entrance || inside_ || ends_.entrance->entry == Entry::transparent || ends_.entrance->route.tls);
}
std::string Opening::pair() const {
  auto service = house_.options.distrust ? trace::service_name(ends_.service_name) : ends_.service_name;
  return Distrust::pair(service, hello_.server_name.empty() ? host_ : hello_.server_name);
}

void Opening::hello(const ClientHello& hello) {
  hello_ = hello;
  if (fault_.name == trace::FaultName::tls_refuse) {
    met();
    return alert();
  }
  if (fault_.name == trace::FaultName::tls_cut) {
    met();
    ends_.client->write({kServerHello.data(), kServerHello.size()});
    ends_.client->flush();
    return give_up(fault_.telling == trace::Telling::reset);
  }
  bool h1 = hello.alpn.empty(), h2 = false;
  for (auto& protocol : hello.alpn) {
    h1 |= protocol == kHttp11;
    h2 |= protocol == kHttp2;
  }
  bool closed = !house_.options.to_clients || (tls_to_service() && ((!h1 && !h2) || house_.distrust().passes(pair())));
  if (closed && speaks_to_us()) return give_up(true);
  if (!closed && tls_to_service()) return greet();
  if (!closed) {
    h2 = h2 && !speaks_to_us() && !(h1 && ends_.pool && ends_.pool->speaks_http1());
    return shake(h2 ? kHttp2 : hello.alpn.empty() || !h1 ? "" : kHttp11);
  }
  if (ends_.service) return end(Speech::opaque);
  tunnel_ = true;
  dial();
}

// The service is greeted with what the client offers.
void Opening::greet() {
  step_ = Step::greeting;
  ends_.client->listen(false);
  if (!ends_.service) return dial();
  auto* security = ends_.pool ? house_.security_of(ends_.pool->route()) : house_.security_of(ends_.service_name);
  auto name = hello_.server_name.empty() ? host_ : hello_.server_name;
  auto end = security ? security->connect(name, hello_.alpn)
                      : Result<std::unique_ptr<TlsEnd>>(fail("no TLS towards services is set up"));
  if (!end) return unreachable(end.error().line());
  ends_.service->secure(std::move(*end));
}

void Opening::greeted() {
  auto& service = *ends_.service;
  if (service.ready_to_send()) return shake(service.tls()->alpn());
  char nothing[1];
  if (service.gone() || service.read(nothing, 0).got == Socket::Got::failed) {
    house_.counts.tls_failures++;
    return unreachable(service.failure());
  }
}

void Opening::shake(std::string_view alpn) {
  auto flaw = fault_.name == trace::FaultName::tls_expired      ? certs::Flaw::expired
              : fault_.name == trace::FaultName::tls_wrong_name ? certs::Flaw::wrong_name
                                                                : certs::Flaw::none;
  auto& to_clients = *house_.options.to_clients;
  auto& name = hello_.server_name;
  auto* service = ends_.service ? ends_.service->tls() : nullptr;
  auto end = service ? to_clients.accept_like(*service, name, host_, alpn, flaw)
                     : to_clients.accept(!name.empty()   ? name
                                         : host_.empty() ? "127.0.0.1"
                                                         : host_,
                                         alpn, flaw);
  if (!end) return unreachable(end.error().line());
  step_ = Step::shaking;
  ends_.client->listen(true);
  ends_.client->put_back(std::exchange(first_, {}));
  if (flaw != certs::Flaw::none) met();
  ends_.client->secure(std::move(*end));
  shaken();
}

void Opening::shaken() {
  auto& client = *ends_.client;
  if (client.ready_to_send()) {
    if (tls_to_service()) ends_.distrust = pair();
    return end(client.tls()->alpn() == kHttp2 ? Speech::http2 : Speech::http1);
  }
  if (!client.gone()) return;
  house_.counts.tls_failures++;
  auto* service = ends_.service ? ends_.service->tls() : nullptr;
  if (met_ || (service && service->verified().known && !service->verified().all())) return give_up(false);  // rightly
  // What TLS has not heard of yet is an RST, which often overtakes the alert before it.
  bool reset = client.failure().empty();
  auto how = reset ? std::string("it was reset") : client.failure();
  // Nor does every RST mean that: a call that is cancelled at once may end in the middle of a handshake.
  bool refused = reset ? client.tls() && client.tls()->shown() && !house_.distrust().trusts(pair())
                       : client.tls() && client.tls()->distrusted();
  if (refused) {
    house_.counts.distrusting++;
    bool passes = tls_to_service();  // a service in clear text would not understand what is passed unopened
    if (passes) house_.distrust().refused(pair());
    house_.say(fmt::format("{}: a client does not trust our certificate ({}){}", pair(), how,
                           passes ? ": its connections are passed unopened" : ""));
  } else {
    house_.say(fmt::format("connection {}: {}", ends_.connection, how));
  }
  give_up(false);
}

void Opening::dial() {
  if (step_ == Step::listening) step_ = Step::dialling;
  ends_.client->listen(false);  // until there is somebody to hear it
  if (auto& address = ends_.pool->address()) return dialled(*address);
  auto& route = ends_.pool->route();
  query_ = house_.resolver().resolve(route.host, route.port, [this](Result<Address> found) { dialled(found); });
}

void Opening::dialled(const Result<Address>& address) {
  if (step_ == Step::over) return;  // it ended in this round of the loop
  auto fd = address ? begin_connect(*address) : Result<int>(std::unexpected(address.error()));
  if (!fd) return unreachable(fd.error().what);
  ends_.service = std::make_unique<Socket>(house_.loop, *fd, events(), true);
  if (step_ == Step::greeting) greet();
}

// The connection that a CONNECT or a tunnel wants is there, or will never be.
void Opening::connected() {
  if (!ends_.service) return;
  auto& service = *ends_.service;
  if (!service.ready_to_send()) {
    if (!service.failure().empty() || service.gone()) unreachable(service.failure());
    return;
  }
  if (tunnel_) return end(Speech::opaque);
  if (inside_) ends_.client->write("HTTP/1.1 200 Connection established\r\n\r\n");
  ends_.client->flush();
  step_ = Step::listening;
  ends_.client->listen(true);
  read_client();
}

void Opening::unreachable(const std::string& why) {
  house_.counts.unreachable++;
  auto said = fmt::format("{} could not be reached: {}", ends_.service_name, why);
  house_.say(said);
  if (step_ == Step::greeting || step_ == Step::shaking) return alert();
  if (!inside_ || tunnel_ || step_ != Step::dialling) return give_up(true);
  ends_.client->write(bytes_of(own_answer(502, said), {}));
  ends_.client->flush();
  give_up(false);
}

// The client is in the middle of a TLS handshake: it hears of the failure there (RFC 8446 6.2, handshake_failure).
void Opening::alert() {
  static constexpr char kAlert[] = {21, 3, 3, 0, 2, 2, 40};
  ends_.client->write({kAlert, sizeof kAlert});
  ends_.client->flush();
  give_up(false);
}

void Opening::end(Speech speech) {
  step_ = Step::over;
  unmet("nothing of TLS was opened on it");
  if (!first_.empty()) ends_.client->put_back(first_);
  if (ends_.service) ends_.service->listen(true);
  auto& house = house_;
  house.ended(*this);
  house.begin(std::move(ends_), speech);
}

void Opening::give_up(bool reset) {
  step_ = Step::over;
  unmet("the connection ended before");
  for (auto* socket : {ends_.client.get(), ends_.service.get()}) {
    if (!socket) continue;
    if (reset)
      socket->reset();
    else
      socket->close();
  }
  house_.ended(*this);
}

void Opening::check(Nanos now) {
  auto limit = house_.options.head_timeout;
  if (limit != 0 && now - began_ > limit && step_ != Step::withheld && !(step_ == Step::listening && first_.empty()))
    give_up(false);
  auto idle = house_.options.idle_timeout;
  if (idle != 0 && now - began_ > idle && step_ == Step::listening && first_.empty()) give_up(false);
}

void Opening::drain() {
  if (step_ == Step::listening && first_.empty()) give_up(false);
}

}  // namespace retrial::proxy
