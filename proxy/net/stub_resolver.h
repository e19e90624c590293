#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proxy/net/ares_channel.h"
#include "proxy/net/hosts_file.h"

namespace retrial::proxy {

// What is known so far of a name's addresses, each family in the order in which it should be tried.
struct Resolution {
  std::vector<Address> ipv4, ipv6;
  bool ipv4_pending = false, ipv6_pending = false;
  std::optional<Error> failure;  // nothing is pending, and there is no address: why
};

// Name to addresses, without blocking but for the two files, which are read when a name first needs them and again
// where they have changed (a stat(2) each time). One a loop; it outlives its queries.
//   an address literal ("127.0.0.1", "::1", "[::1]")   is known at once
//   localhost and what ends with .localhost            127.0.0.1 and ::1, at once, whatever the files say (RFC
//   6761 6.3) a name of the hosts file                           its addresses there, at once; no server is asked for
//   the other
//                                                      family
//   any other name                                     A and AAAA, asked for at the same time (RFC 8305 3). Where
//   neither
//                                                      is there, so the next name of the search list (resolv.conf(5)):
//                                                      both families are always of the same name
class StubResolver {
 public:
  explicit StubResolver(Loop& loop, ResolverSettings settings = {});
  ~StubResolver();
  StubResolver(const StubResolver&) = delete;

  class Query {  // nothing is called once it is destroyed, which `changed` may do
   public:
    ~Query();
    const Resolution& found() const;

   private:
    friend class StubResolver;
    struct Asked;
    explicit Query(std::unique_ptr<Asked> asked);
    std::unique_ptr<Asked> asked_;
  };
  // Another number than before where a file has changed: what was known of names may not hold any more.
  std::uint64_t edition();
  // `changed` is called on the loop whenever found() has changed after resolve() returned.
  std::unique_ptr<Query> resolve(const std::string& host, std::uint16_t port, std::function<void()> changed);

 private:
  Result<std::shared_ptr<AresChannel>> channel();
  Loop& loop_;
  ResolverSettings settings_;
  HostsFile hosts_;
  FileStamp seen_hosts_, seen_resolv_conf_;  // by edition()
  std::uint64_t edition_ = 0;
  FileStamp read_;                        // of resolv_conf, when the channel was opened
  std::shared_ptr<AresChannel> channel_;  // an earlier one lives as long as its last query
};

}  // namespace retrial::proxy
