#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "campaign/serving/routes.h"
#include "campaign/serving/toxics.h"

namespace retrial::campaign {

// What clients of Toxiproxy ask, as far as it means something here (docs/admin.md): a proxy is a reverse listener, a
// toxic a rule of it. One thread.
class Toxiproxy {
 public:
  // These listeners beside those of the configuration, from now on; gives where all of them listen, in this order.
  using Listen = std::function<Result<std::vector<proxy::Address>>(const std::vector<proxy::ListenerSettings>& more)>;
  Toxiproxy(Hands& hands, Listen listen) : hands_(hands), listen_(std::move(listen)) {}

  proxy::AdminResponse answer(const proxy::AdminRequest& request);
  std::vector<proxy::ListenerSettings> listeners() const;  // of proxies that are enabled

 private:
  struct Proxy {
    std::string listen, upstream;
    bool enabled = true;
    std::vector<Toxic> toxics;
  };
  proxy::AdminResponse proxies(const proxy::AdminRequest& request);
  proxy::AdminResponse populate(const proxy::AdminRequest& request);
  proxy::AdminResponse one_proxy(const proxy::AdminRequest& request, const std::string& name);
  proxy::AdminResponse toxics(const proxy::AdminRequest& request, const std::string& name);
  proxy::AdminResponse one_toxic(const proxy::AdminRequest& request, const std::string& name, const std::string& toxic);
  proxy::AdminResponse reset(const proxy::AdminRequest& request);

  Granted<void> create(const std::string& name, Proxy made);
  Granted<void> put(std::string_view by, const std::string& name, Proxy& proxy, const Toxic& toxic);
  void drop(const std::string& name, const Toxic& toxic);
  Granted<void> listen_again();
  std::string json_of(const std::string& name, const Proxy& proxy) const;

  Hands& hands_;
  Listen listen_;
  std::map<std::string, Proxy> proxies_;
};

}  // namespace retrial::campaign
