#include "proxy/net/sessions.h"

namespace retrial::proxy {
namespace {
constexpr std::size_t kNames = 1024, kEach = 8;
}  // namespace

void Sessions::put(const std::string& name, SSL_SESSION* session) {
  std::lock_guard lock(mutex_);
  if (by_name_.size() >= kNames && !by_name_.contains(name)) by_name_.erase(by_name_.begin());
  auto& kept = by_name_[name];
  kept.emplace_back(session);
  if (kept.size() > kEach) kept.pop_front();
}

std::unique_ptr<SSL_SESSION, FreeSession> Sessions::take(const std::string& name) {
  std::lock_guard lock(mutex_);
  auto found = by_name_.find(name);
  if (found == by_name_.end()) return nullptr;
  auto& kept = found->second;
  auto* newest = kept.back().get();
  SSL_SESSION_up_ref(newest);
  std::unique_ptr<SSL_SESSION, FreeSession> session(newest);
  if (SSL_SESSION_get_protocol_version(newest) >= TLS1_3_VERSION) kept.pop_back();
  if (kept.empty()) by_name_.erase(found);
  return session;
}

}  // namespace retrial::proxy
