#pragma once
#include <string>
#include <vector>

#include "proxy/exchange/options.h"
#include "proxy/net/dialer.h"

namespace retrial::proxy {

// Where a service is on the network, by its address or those of its name, and what may be done to it because of that:
// faults reach loopback and private addresses only, unless Route::allow or Options::faults_also opens others. Of
// several addresses each has to be allowed.
class Location {
 public:
  Location(const Route& route, const Options& options);

  bool literal() const { return literal_; }
  void forget() { looked_ = false; }
  bool known(Nanos now) const;  // what is known of a name is known for kLasts
  void found(const std::vector<Address>& addresses, Nanos now);
  void lost(const DialError& why, Nanos now);

  const std::string& barred() const { return barred_; }  // why nothing may be sent there; empty: it may
  const std::string& spares() const { return spares_; }  // why no fault may reach it; empty: it may
  // Why it has no address, where that was found out just now.
  const DialError* lost(Nanos now) const { return lost_ && now - since_ < kSecond ? &*lost_ : nullptr; }

 private:
  static constexpr Nanos kLasts = 30 * kSecond;
  const Route& route_;
  const Options& options_;
  bool literal_ = false, looked_ = false;
  Nanos since_ = 0;
  std::string barred_;
  std::string spares_ = "where it is is not known";
  std::optional<DialError> lost_;
};

inline int status_of(const DialError& error) {
  using Kind = DialError::Kind;
  return error.kind == Kind::barred ? 403 : error.kind == Kind::late ? 504 : 502;
}

}  // namespace retrial::proxy
