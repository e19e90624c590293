#pragma once
#include "proxy/codec/envoy_log.h"
#include "proxy/codec/tap.h"
#include "proxy/envoy/call.h"
#include "proxy/envoy/head.h"
#include "proxy/envoy/services.h"
#include "proxy/exchange/record.h"

namespace retrial::proxy {

// An Envoy's access log: each entry of HTTP is recorded as an exchange that is over, but for those of which ext_proc
// has told already. Nothing is done to any of them.
class LogCall final : public EnvoyCall {
 public:
  LogCall(Connections& context, EnvoyServices& services, EnvoyWire& wire, std::uint64_t connection);

  void begin(std::uint32_t stream) { stream_ = stream; }
  void message(std::string_view message) override;
  void said_all() override;
  void gone() override {}
  bool endless() const override { return true; }
  std::size_t holds() const override;

 private:
  void keep(const LogEntry& entry);

  Connections& context_;
  EnvoyServices& services_;
  EnvoyWire& wire_;
  Record record_;
  BodyTap nothing_{false};
  EnvoyHead head_;
  LogEntry entry_;
  std::vector<EnvoyField> fields_;
  std::string status_;
  std::uint32_t stream_ = 0;
};

}  // namespace retrial::proxy
