#pragma once
#include <filesystem>

// How an authority's folder is laid out; for sources of this room only.
//
//   ca.pem -> current/ca.pem      ca.key -> current/ca.key      current -> authority-5d0c11e2
//   authority-5d0c11e2/ca.pem     authority-5d0c11e2/ca.key
//
// One rename of `current` changes both files at once, and the folder that it named is kept. Whoever knows nothing of
// this reads ca.pem and ca.key, and may put plain files there: then these are the authority.
namespace retrial::certs {

inline constexpr auto kCertificate = "ca.pem";
inline constexpr auto kKey = "ca.key";
inline constexpr auto kCurrent = "current";

// What the link that stands for `file` names, read from its folder.
inline std::filesystem::path target_of(const std::filesystem::path& file) {
  return std::filesystem::path(kCurrent) / file.filename();
}

// Whether that link stands there.
inline bool is_link_of_ours(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::read_symlink(file, error) == target_of(file);
}

}  // namespace retrial::certs
