#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "certs/authority.h"

namespace retrial::certs {

// What is wrong with a leaf that a fault asks for.
enum class Flaw : std::uint8_t { none, expired, wrong_name };

// Certificates for any name, minted as they are asked for and kept: ECDSA P-256, valid for less than 200 days, from a
// day before now, and no longer than the authority. One key for all leaves of a store. Thread-safe: the loops of a
// server share one. At most 1,024 are kept, the longest unused goes first.
class LeafStore {
 public:
  // `also`: names that clients may have dialled who send no server name. They stand in the leaf of every address. (Java
  // sends none where the name has no dot in it.)
  LeafStore(Authority authority, const Clock& clock, std::vector<std::string> also = {});
  ~LeafStore();
  LeafStore(const LeafStore&) = delete;

  // `name`: the ClientHello's server name, or the address that was dialled, without brackets or port. It is the SAN; a
  // loopback address has localhost beside it. A name longer than 64 characters stands in the SAN alone. An error of the
  // client's: it is no host name.
  Result<Credential> leaf(std::string_view name, Flaw flaw = Flaw::none);
  // With the names of a service's own certificate, none if it has none: clients judge by it as they would have judged
  // the service.
  Result<Credential> leaf_like(const x509_st& certificate, Flaw flaw = Flaw::none);
  const Authority& authority() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace retrial::certs
