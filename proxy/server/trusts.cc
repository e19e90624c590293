#include "proxy/server/trusts.h"

#include <sys/stat.h>

#include <algorithm>

namespace retrial::proxy {

Trusts::Stamp Trusts::stamp_of(const ServiceTlsSettings& settings) {
  Stamp stamp;
  for (auto* file : {&settings.ca, &settings.certificate, &settings.key}) {
    struct stat now{};
    if (file->empty() || stat(file->c_str(), &now) != 0) continue;
    stamp.insert(stamp.end(), {now.st_mtim.tv_sec, now.st_mtim.tv_nsec, now.st_size});
  }
  return stamp;
}

Result<std::shared_ptr<TlsToService>> Trusts::of(const ServiceTlsSettings& settings) {
  auto stamp = stamp_of(settings);
  auto it =
      std::find_if(made_.begin(), made_.end(), [&](auto& m) { return m.settings == settings && m.stamp == stamp; });
  if (it != made_.end()) return it->trust;
  auto trust = TlsToService::make(settings);
  if (!trust) return std::unexpected(trust.error());
  made_.push_back({settings, stamp, std::move(*trust)});
  return made_.back().trust;
}

}  // namespace retrial::proxy
