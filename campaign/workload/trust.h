#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "certs/authority.h"

namespace retrial::campaign {

// What a command has to be told so that it trusts our authority as well as all it trusts without us: files, and which
// variable names which. environment_for sets them.
struct Trust {
  std::filesystem::path authority;                     // by which the agents know us
  std::map<std::string, std::filesystem::path> files;  // by variable: SSL_CERT_FILE, NODE_EXTRA_CA_CERTS, …
  std::filesystem::path java_store;          // PKCS#12, opened by any password or none; empty: Java is left as it is
  std::vector<std::filesystem::path> roots;  // PEM: all that clients are told to trust
  std::filesystem::path folder;              // absolute; in it known.pem, which holds all of these in one file, and
                                             // stand-ins, for roots that stand in programs alone (certs/stand_ins.h)
  std::string own;                           // the variables of `files` that the user did not set, a space between
  std::vector<std::string> remarks;          // for the reader: what was left as it is, and why
};

// Where a machine has its roots. The first file of each that is there is taken.
struct RootPlaces {
  std::vector<std::filesystem::path> bundles;  // PEM
  std::vector<std::filesystem::path> java;     // JKS or PKCS#12
  static RootPlaces of_this_machine();         // Java's: of $JAVA_HOME and of the `java` on PATH first
};

// Writes `folder`/ca.pem, bundles of roots with it, known.pem and trust.p12; never a key. `strangers` is an authority
// that only the agents know. Files that our own environment names already in one of the variables stand in that
// variable's bundle in place of the system's. Absolute paths. An error if a file cannot be written.
Result<Trust> write_trust(const certs::Authority& authority, const std::filesystem::path& folder,
                          const RootPlaces& places = RootPlaces::of_this_machine(),
                          const certs::Authority* strangers = nullptr);

}  // namespace retrial::campaign
