#include "proxy/connections/h1_services.h"

#include <algorithm>

#include "proxy/connections/connections.h"
#include "proxy/exchange/exchange.h"

namespace retrial::proxy {

H1Services::H1Services(Connections& context, Accepted& accepted, std::function<void()> unasked)
    : context_(context), pool_(accepted.pool), unasked_(std::move(unasked)) {
  if (!accepted.service) return;
  auto service = std::make_unique<H1Service>(context, std::move(accepted.service), pool_ ? pool_->authority() : "");
  auto& dialled = add(std::move(service));
  (pools() ? unused_ : own_) = &dialled;
}
H1Services::~H1Services() = default;

bool H1Services::pools() const { return pool_ && context_.options.pooled; }

void H1Services::use(std::shared_ptr<ServicePool> pool) {
  if (pool != std::exchange(pool_, pool) && own_) end(false);
}

H1Service& H1Services::add(std::unique_ptr<H1Service> service) {
  service->owned_by(*this);
  services_.push_back(std::move(service));
  return *services_.back();
}

ServiceSide& H1Services::serve(H1Service& service, Exchange& exchange) {
  service.serve(exchange);
  if (rate_.bytes_per_second != 0) service.socket().pace(rate_.bytes_per_second, rate_.burst);
  return service;
}

ServiceSide* H1Services::reach(Exchange& exchange) {
  if (own_ && own_->open()) return &serve(*own_, exchange);
  if (own_ && !pool_) return exchange.unreached("its connection has ended"), nullptr;
  if (unused_ && unused_->open()) return &serve(*std::exchange(unused_, nullptr), exchange);
  if (auto idle = pools() && exchange.may_be_sent_again() ? pool_->take() : nullptr) {
    idle->has_waited();
    return &serve(add(std::move(idle)), exchange);
  }
  if (auto why = pool_->cannot_be_dialled()) return exchange.unreached(why->what, status_of(*why)), nullptr;
  dialling_.push_back({&exchange, nullptr});
  dialling_.back().reaching = pool_->dial({"http/1.1"}, [this, &exchange](auto socket) {
    auto& client = exchange.client();
    dialled(exchange, std::move(socket));
    client.settle();
  });
  return nullptr;
}

bool H1Services::reaches_at_once(const Exchange& exchange) const {
  return own_ || unused_ || (pools() && exchange.may_be_sent_again() && !pool_->empty());
}

void H1Services::dialled(Exchange& exchange, std::expected<std::unique_ptr<Socket>, DialError> socket) {
  give_up(exchange);  // it waits no more
  if (!socket) return exchange.unreached(socket.error().what, status_of(socket.error()));
  auto& service = add(std::make_unique<H1Service>(context_, std::move(*socket), pool_->authority()));
  if (!pools()) own_ = &service;
  exchange.reached(serve(service, exchange));
}

void H1Services::give_up(Exchange& exchange) {
  auto at = std::ranges::find(dialling_, &exchange, &Dialling::exchange);
  if (at != dialling_.end()) dialling_.erase(at);  // at once: it may be through in this very turn of the loop
}

void H1Services::unasked(H1Service& service) {
  if (&service == own_) return unasked_();
  if (&service != unused_) return;
  unused_ = nullptr;
  released(service, H1Service::After::whole, false);
}

void H1Services::released(H1Service& service, H1Service::After after, bool reset) {
  if (&service == own_) {
    spoilt_ |= after == H1Service::After::broken;
    ended_ |= after == H1Service::After::whole;
    if (service.open()) service.socket().listen(true);
    return;
  }
  auto at = std::ranges::find_if(services_, [&](auto& s) { return s.get() == &service; });
  auto mine = std::move(*at);
  services_.erase(at);
  if (rate_.bytes_per_second != 0 && mine->open()) mine->socket().pace(0, 0);
  if (after == H1Service::After::reusable) return pool_->keep(std::move(mine));
  if (mine->open()) reset ? mine->socket().reset() : mine->socket().close();
  context_.loop.later_delete(std::move(mine));
}

std::unique_ptr<Socket> H1Services::take_socket() {
  return services_.size() == 1 && services_[0]->open() ? services_[0]->take_socket() : nullptr;
}

void H1Services::flush() {
  for (std::size_t i = 0; i < services_.size(); i++) services_[i]->flush();
}

void H1Services::pace(const Rate& rate) {
  rate_ = rate;
  for (auto& service : services_)
    if (service->open()) service->socket().pace(rate.bytes_per_second, rate.burst);
}

bool H1Services::paced_out() const {
  return std::ranges::any_of(services_, [](auto& s) { return s->open() && s->socket().paced_out(); });
}

std::size_t H1Services::waiting() const {
  std::size_t all = 0;
  for (auto& service : services_) all += service->waiting();
  return all;
}

void H1Services::end(bool reset) {
  dialling_.clear();
  for (auto& service : services_) {
    if (service->open()) reset ? service->socket().reset() : service->socket().close();
    context_.loop.later_delete(std::move(service));
  }
  services_.clear();
  own_ = unused_ = nullptr;
  spoilt_ = ended_ = false;
}

}  // namespace retrial::proxy
