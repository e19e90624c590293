#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "proxy/net/address.h"
#include "proxy/net/file_stamp.h"

namespace retrial::proxy {

// A hosts file (hosts(5)). It is read with the first name that is looked for, and again where it has changed since; for
// as long as that takes find() blocks.
class HostsFile {
 public:
  explicit HostsFile(std::string path) : path_(std::move(path)) {}
  // The addresses of that name (case folded, a closing dot is no part of it) in the order of the lines, with this port.
  // None where the file does not name it, or is not there for us. Error: the file could not be opened for want of
  // descriptors.
  Result<std::vector<Address>> find(std::string_view name, std::uint16_t port);

 private:
  Result<void> refresh();
  std::string path_;
  FileStamp read_;
  std::unordered_map<std::string, std::vector<Address>> addresses_;
};

}  // namespace retrial::proxy
