#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "proxy/connections/accepted.h"
#include "proxy/connections/h1_service.h"
#include "proxy/connections/service_pool.h"

namespace retrial::proxy {

// The exchanges of one client connection on their way to a service that speaks HTTP/1.1. Each has a service connection
// of its own: the client connection's own for life (captured), or one that is taken from the pool and given back (RFC
// 9110 7).
class H1Services final : public Services, private H1Service::Owner {
 public:
  // `unasked`: the client connection's own, without an exchange on it, said something or is gone.
  H1Services(Connections& context, Accepted& accepted, std::function<void()> unasked);
  ~H1Services() override;

  void use(std::shared_ptr<ServicePool> pool);  // from now on
  H1Service* own() { return own_; }
  bool spoilt() const { return spoilt_; }  // the own one is in the middle of an exchange that was given up
  bool ended() const { return ended_; }    // the own one serves no other: its last response came
  // For a tunnel: the client connection's own, or that of the only exchange; null: there is none.
  std::unique_ptr<Socket> take_socket();

  ServiceSide* reach(Exchange& exchange) override;
  void give_up(Exchange& exchange) override;
  bool reaches_at_once(const Exchange& exchange) const override;
  std::string_view spares() const override { return pool_ ? pool_->location().spares() : std::string_view(); }
  Form form(const Head& head) const override { return H1Service::form_of(context_, head); }
  void flush() override;
  void pace(const Rate& rate) override;
  bool paced_out() const override;
  std::size_t waiting() const override;
  void end(bool reset) override;

 private:
  bool pools() const;
  void unasked(H1Service& service) override;
  void released(H1Service& service, H1Service::After after, bool reset) override;
  H1Service& add(std::unique_ptr<H1Service> service);
  ServiceSide& serve(H1Service& service, Exchange& exchange);
  void dialled(Exchange& exchange, std::expected<std::unique_ptr<Socket>, DialError> socket);

  struct Dialling {
    Exchange* exchange;
    std::unique_ptr<Reaching> reaching;
  };
  Connections& context_;
  std::shared_ptr<ServicePool> pool_;
  std::function<void()> unasked_;
  std::vector<std::unique_ptr<H1Service>> services_;  // in use; the own one always
  std::vector<Dialling> dialling_;
  H1Service* own_ = nullptr;
  H1Service* unused_ = nullptr;  // dialled for the client, and not asked yet
  Rate rate_;
  bool spoilt_ = false, ended_ = false;
};

}  // namespace retrial::proxy
