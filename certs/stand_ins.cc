#include "certs/stand_ins.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <iterator>

#include "certs/openssl.h"

namespace retrial::certs {

namespace fs = std::filesystem;

Result<std::unique_ptr<StandIns>> StandIns::make(const Authority& authority, const Clock& clock,
                                                 const fs::path& folder) {
  std::vector<Authority> all;
  std::string pem;
  for (int n = 0; n < kMost; n++) {
    auto one = authority.twin(fmt::format("{}, stand-in {}", authority.name(), n), clock);
    if (!one) return std::unexpected(one.error());
    pem += one->pem();
    all.push_back(std::move(*one));
  }
  std::error_code error;
  fs::create_directories(folder, error);
  std::ofstream out(folder / "all.pem", std::ios::binary);
  out << pem;
  if (!out.flush()) return fail_errno("cannot be written", errno, (folder / "all.pem").string(), Blame::user);
  return std::unique_ptr<StandIns>(new StandIns(std::move(all), clock, folder));
}

// They are chosen in order, and each stands there whole.
const std::vector<std::shared_ptr<x509_st>>& StandIns::roots() {
  while (roots_.size() < all_.size()) {
    std::ifstream in(folder_ / fmt::format("{:02}.pem", roots_.size()), std::ios::binary);
    if (!in) break;
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    auto bio = reading(bytes);
    roots_.emplace_back(PEM_read_bio_X509(bio.get(), nullptr, no_passphrase, nullptr), X509_free);
    ERR_clear_error();
  }
  return roots_;
}

bool StandIns::adds(int pid) const {
  std::error_code error;
  return fs::exists(folder_ / fmt::format("process-{}", pid), error);
}

LeafStore* StandIns::standing_for(const x509_st& root) {
  for (std::size_t n = 0; n < roots_.size(); n++) {
    if (!roots_[n] || X509_cmp(roots_[n].get(), &root) != 0) continue;
    if (!leaves_[n]) leaves_[n] = std::make_unique<LeafStore>(all_[n], clock_);
    return leaves_[n].get();
  }
  return nullptr;
}

}  // namespace retrial::certs
