#include "proxy/net/hosts_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>

#include "base/text.h"

namespace retrial::proxy {
namespace {
std::string key_of(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  return lower(name);
}
// Empty where it cannot be read.
Result<std::string> whole(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && (errno == EMFILE || errno == ENFILE)) return fail_errno("open", errno, path);
  std::string text;
  char room[4096];
  for (ssize_t got; fd >= 0 && (got = ::read(fd, room, sizeof room)) > 0;)
    text.append(room, static_cast<std::size_t>(got));
  if (fd >= 0) ::close(fd);
  return text;
}

}  // namespace

Result<std::vector<Address>> HostsFile::find(std::string_view name, std::uint16_t port) {
  if (auto well = refresh(); !well) return std::unexpected(well.error());
  std::vector<Address> found;
  if (auto at = addresses_.find(key_of(name)); at != addresses_.end())
    for (auto& address : at->second) found.push_back(address.with_port(port));
  return found;
}

Result<void> HostsFile::refresh() {
  auto now = FileStamp::of(path_);
  if (now == read_) return {};
  auto text = whole(path_);
  if (!text) return std::unexpected(text.error());
  addresses_.clear();
  for (auto line : split(*text, '\n')) {
    std::istringstream words{std::string(line.substr(0, line.find('#')))};
    std::string literal, name;
    words >> literal;
    auto address = Address::parse(literal.find(':') == std::string::npos ? literal + ":0" : "[" + literal + "]:0");
    if (!address) continue;
    while (words >> name) addresses_[key_of(name)].push_back(*address);
  }
  read_ = now;
  return {};
}

}  // namespace retrial::proxy
