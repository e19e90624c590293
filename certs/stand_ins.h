#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "certs/authority.h"
#include "certs/leaf_store.h"

namespace retrial::certs {

// Authorities of ours, each of which stands for one root that a program has named in its own code: where that root is
// trusted its stand-in is too, and no other of ours, so that a client goes on refusing what it would have refused
// (docs/certificates.md). Agents choose: whoever puts a root into folder/NN.pem first has authority NN of
// folder/all.pem stand for it. One key for all: issuers are found by name (RFC 5280 6.1.3). Not thread-safe.
class StandIns {
 public:
  static constexpr int kMost = 100;
  // Makes the folder, and its all.pem. `authority` lends its key.
  static Result<std::unique_ptr<StandIns>> make(const Authority& authority, const Clock& clock,
                                                const std::filesystem::path& folder);
  // The roots that were named so far, null where one cannot be read: only ever more.
  const std::vector<std::shared_ptr<x509_st>>& roots();
  // Does this process put stand-ins beside roots? Its agent has said so, by the file folder/process-PID.
  bool adds(int pid) const;
  // What signs in place of this root, and null where none stands for it. Lives as long as this.
  LeafStore* standing_for(const x509_st& root);

 private:
  StandIns(std::vector<Authority> all, const Clock& clock, std::filesystem::path folder)
      : all_(std::move(all)), clock_(clock), folder_(std::move(folder)) {}

  std::vector<Authority> all_;
  const Clock& clock_;
  std::filesystem::path folder_;
  std::vector<std::shared_ptr<x509_st>> roots_;            // root NN has stand-in NN
  std::vector<std::unique_ptr<LeafStore>> leaves_{kMost};  // null until they are asked for
};

}  // namespace retrial::certs
