#pragma once
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "certs/authority.h"

namespace retrial::certs {

// What a certificate is to say.
struct Wanted {
  std::string common_name;             // at most 64 characters (RFC 5280 A.1, ub-common-name); empty: none
  std::vector<std::string> dns;        // SAN
  std::vector<std::string> addresses;  // SAN: 4 or 16 bytes each, in network order
  std::time_t from = 0;
  std::time_t until = 0;
};

// An ECDSA P-256 key.
Result<std::shared_ptr<evp_pkey_st>> make_key();

// A version 3 certificate of `key` with a random serial number, signed by `issuer`; null: by itself, as an authority.
// It is read back from its own bytes: TLS sends them as they are. Holds what strict readers ask of it (RFC 5280 4.2):
// key identifiers, key usage, basic constraints, and serverAuth for leaves.
Result<std::shared_ptr<x509_st>> mint(const Wanted& wanted, evp_pkey_st& key, const Credential* issuer);

// Adds the names and addresses of a certificate's SAN, and takes over its common name, if it has one that fits.
void copy_names(const x509_st& certificate, Wanted& into);

// The first and last second of its validity.
std::pair<std::time_t, std::time_t> validity(const x509_st& certificate);

}  // namespace retrial::certs
