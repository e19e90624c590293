#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "certs/authority.h"

namespace retrial::certs {

// What is wrong with a leaf that a fault asks for.
enum class Flaw : std::uint8_t { none, expired, wrong_name };

// Certificates for any name, minted as they are asked for and kept: ECDSA P-256, valid for less than 200 days, from a
// day before now, with the name (or the address) as its SAN. One key for all leaves of a store. Thread-safe: the loops
// of a server share one.
class LeafStore {
 public:
  LeafStore(Authority authority, const Clock& clock);
  ~LeafStore();
  LeafStore(const LeafStore&) = delete;

  // `name`: the ClientHello's server name, or the address that was dialled, without brackets or port. A name longer
  // than 64 characters stands in the SAN alone. At most 1,024 are kept, the longest unused goes first.
  Result<Credential> leaf(std::string_view name, Flaw flaw = Flaw::none);
  const Authority& authority() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace retrial::certs
