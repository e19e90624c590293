#include "proxy/connections/setup.h"

#include <fmt/format.h>

#include "proxy/codec/h2.h"
#include "proxy/codec/scan.h"
#include "proxy/connections/route.h"
#include "proxy/exchange/answer.h"
#include "proxy/exchange/injection.h"
#include "trace/fault_name.h"

namespace retrial::proxy {
namespace {

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
}  // namespace

ConnectionSetup::ConnectionSetup(Connections& context, const Captured& captured, std::uint64_t connection)
    : context_(context), began_(context.clock.now()) {
  accepted_.client = std::make_unique<Socket>(context.loop, captured.client, events());
  accepted_.service = std::make_unique<Socket>(context.loop, captured.service, events());
  accepted_.service_name = captured.original.show();
  accepted_.pid = captured.pid;
  accepted_.thread = captured.thread;
  accepted_.connection = connection;
  host_ = route_to(captured.original).host;
  fault_ = captured.fault;
}

ConnectionSetup::ConnectionSetup(Connections& context, Incoming incoming, std::uint64_t connection)
    : context_(context), began_(context.clock.now()) {
  accepted_.client = std::make_unique<Socket>(context.loop, incoming.client, events());
  accepted_.pid = incoming.pid;
  accepted_.connection = connection;
  auto& listener = *incoming.listener;
  if (listener.mode == ListenMode::transparent) {
    auto route = route_to(incoming.original);
    learn(route, route.host, listener);
    accepted_.pool = context.pool_for(route);
  } else if (listener.mode == ListenMode::reverse) {
    accepted_.pool = context.pool_for(listener.route);
  }
  if (accepted_.pool) {
    accepted_.service_name = accepted_.pool->service();
    host_ = accepted_.pool->route().host;
  }
  accepted_.listener = std::move(incoming.listener);
}

ConnectionSetup::ConnectionSetup(Connections& context, Accepted inside_connect)
    : context_(context), accepted_(std::move(inside_connect)), began_(context.clock.now()), inside_(true) {
  accepted_.client->hand_to(*this);
  accepted_.service_name = accepted_.pool->service();
  host_ = accepted_.pool->route().host;
}

ConnectionSetup::~ConnectionSetup() = default;

void ConnectionSetup::start() {
  if (accepted_.pool && !accepted_.pool->located()) {
    step_ = Step::locating;
    accepted_.client->listen(false);
    look_ = accepted_.pool->locate([this] {
      step_ = Step::listening;
      accepted_.client->listen(true);
      look_.reset();
      go_on_listening();
    });
    return;
  }
  go_on_listening();
}

void ConnectionSetup::go_on_listening() {
  if (!accepted_.pool || undisturbed()) begin();
}

// What the director has for this connection, as far as it strikes before anything is said.
bool ConnectionSetup::undisturbed() {
  fault_ = context_.director.at_connect({accepted_.service_name, accepted_.pid, began_}).fault;
  if (auto& why = accepted_.pool->location().spares(); !why.empty()) {
    unmet(why);
    fault_ = {};
  }
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
      accepted_.client->listen(false);
      timer_ = std::make_unique<Timer>(context_.loop, [this] {
        context_.wake();
        step_ = Step::listening;
        accepted_.client->listen(true);
        begin();
      });
      timer_->set(fault_.delay, Time::client);
      return false;
    default:
      return true;
  }
}

// Where nobody has spoken yet it may be the service who does.
std::size_t ConnectionSetup::awaited(Nanos now) const {
  constexpr Nanos kGreeting = 100 * kMillisecond;
  return step_ == Step::listening ? now - began_ < kGreeting : step_ != Step::withheld;
}

// Nothing is said to the client, whatever it says.
void ConnectionSetup::withhold() {
  switch (accepted_.client->read(context_.scratch.data(), context_.scratch.size()).got) {
    case Socket::Got::bytes:
    case Socket::Got::nothing:
      return;
    default:
      return give_up(false);
  }
}

void ConnectionSetup::met() {
  met_ = true;
  context_.connection_faults.fired(accepted_.pid, accepted_.service_name, fault_, context_.clock.now());
}

// What it should have met has nothing to strike any more.
void ConnectionSetup::unmet(std::string_view why) {
  if (fault_.name == trace::FaultName::none || met_) return;
  context_.connection_faults.not_fired(accepted_.pid, accepted_.service_name, fault_, why, context_.clock.now());
  context_.say(fmt::format("connection {}: {} was not fired: {}", accepted_.connection, trace::show(fault_), why));
}

void ConnectionSetup::begin() {
  if (inside_) return dial();
  if (protocol() != Protocol::tcp) return;
  tunnel_ = true;
  dial();
}

void ConnectionSetup::ready(Socket& socket) {
  if (!context_.may_read()) return;
  if (step_ == Step::listening && &socket == accepted_.service.get()) return service_speaks();
  go_on();
}

// Before its client does, or it is gone. An HTTP/2 service may say its SETTINGS first (RFC 9113 3.4): its client is
// waited for.
void ConnectionSetup::service_speaks() {
  char first[9];
  if (is_h2_settings({first, accepted_.service->peek(first, sizeof first)})) return accepted_.service->listen(false);
  end(inside_ ? Speech::opaque : Speech::http1);
}

void ConnectionSetup::go_on() {
  switch (step_) {
    case Step::listening:
      return read_client();
    case Step::withheld:
      return withhold();
    case Step::locating:
    case Step::dialling:
    case Step::greeting:
      return;
    case Step::shaking:
      return shaken();
    case Step::over:
      return;
  }
}

void ConnectionSetup::read_client() {
  auto [got, size] = accepted_.client->read(context_.scratch.data(), context_.scratch.size());
  switch (got) {
    case Socket::Got::bytes:
      if (first_.empty()) asked_ = context_.now;
      first_.append(context_.scratch.data(), size);
      return classify();
    case Socket::Got::nothing:
      return;
    case Socket::Got::fin:
      return accepted_.service ? end(Speech::http1) : give_up(false);
    case Socket::Got::rst:
    case Socket::Got::failed:
      return give_up(true);
  }
}

void ConnectionSetup::classify() {
  ClientHello hello;
  switch (context_.options.to_clients ? read_client_hello(first_, hello) : HelloStep::not_tls) {
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
  if (accepted_.service) return end(Speech::opaque);
  tunnel_ = true;
  dial();
}

void ConnectionSetup::dial() {
  step_ = Step::dialling;
  accepted_.client->listen(false);  // until there is somebody to hear it
  dial_ = accepted_.pool->dial([this](std::expected<int, DialError> fd) {
    dial_.reset();
    dialled(std::move(fd));
  });
}

// The connection that a CONNECT or a tunnel wants is there, or will never be.
void ConnectionSetup::dialled(std::expected<int, DialError> fd) {
  if (!fd) return unreachable(fd.error().what, status_of(fd.error()));
  accepted_.service = std::make_unique<Socket>(context_.loop, *fd, events());
  if (tunnel_) return end(Speech::opaque);
  if (inside_) accepted_.client->write("HTTP/1.1 200 Connection established\r\n\r\n");
  accepted_.client->flush();
  accepted_.connect.reset();
  step_ = Step::listening;
  accepted_.client->listen(true);
  read_client();
}

void ConnectionSetup::unreachable(const std::string& why, int status) {
  (status == 403 ? context_.counts.refused : context_.counts.unreachable)++;
  auto said = fmt::format("{} could not be reached: {}", accepted_.service_name, why);
  context_.say(said);
  if (step_ == Step::greeting || step_ == Step::shaking) return alert();
  if (!inside_ || tunnel_ || step_ != Step::dialling) return give_up(true);
  record_connect("the service could not be reached: " + why, status);
  accepted_.client->write(bytes_of(own_answer(status, said)));
  accepted_.client->flush();
  give_up(false);
}

// As any request that gets no further than us. What a fault has done to the connection is carried by the next one.
void ConnectionSetup::record_connect(const std::string& why, int status) {
  if (met_) return;
  auto& asked = *accepted_.connect;
  Injection injection(context_, Record(accepted_.service_name, accepted_.pid, accepted_.connection), false);
  injection.record.begin(asked.came, asked.fresh, 0);
  injection.take(asked.head.head());
  injection.decide(asked.head.head());
  auto& e = injection.record.exchange();
  if (injection.fault)
    injection.spare(why);
  else
    e.evidence = why;
  e.client_status = status;
  injection.over(trace::Ending::answered, context_.clock.now(), BodyTap(true), BodyTap(false));
}

void ConnectionSetup::end(Speech speech) {
  step_ = Step::over;
  unmet("nothing of TLS was opened on it");
  if (!first_.empty()) accepted_.client->put_back(first_);
  if (accepted_.service) accepted_.service->listen(true);
  context_.ended(*this);
  context_.begin(std::move(accepted_), speech);
}

void ConnectionSetup::give_up(bool reset) {
  step_ = Step::over;
  look_.reset();
  dial_.reset();  // at once: it may be through in this very turn of the loop
  reaching_.reset();
  greeting_.reset();
  unmet("the connection ended before");
  for (auto* socket : {accepted_.client.get(), accepted_.service.get()}) {
    if (!socket) continue;
    if (reset)
      socket->reset();
    else
      socket->close();
  }
  context_.ended(*this);
}

void ConnectionSetup::check(Nanos now) {
  bool waits = step_ == Step::listening && first_.empty();
  bool speaks = (step_ == Step::listening && !waits) || step_ == Step::shaking;
  auto limit = context_.options.head_timeout, idle = context_.options.idle_timeout;
  if (speaks && limit != 0 && now - asked_ > limit) return give_up(false);
  if (waits && (context_.drains_idle() || (idle != 0 && now - began_ > idle))) give_up(false);
}

void ConnectionSetup::drain() {
  if (step_ == Step::listening && first_.empty() && context_.drains_idle()) give_up(false);
}

}  // namespace retrial::proxy
