#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace retrial::deploy {

// A batch of nf_tables messages (linux/netfilter/nf_tables.h) as bytes for the kernel. Pure: it knows no socket.
class NftBatch {
 public:
  NftBatch();

  void table(std::string_view name);         // inet; is no error where it is there
  void delete_table(std::string_view name);  // is one where it is not
  // A chain of type nat at the hook `output`, priority -100 (dstnat).
  void nat_output(std::string_view table, std::string_view chain);

  // One rule: expressions, each from a register that an earlier one filled.
  class Rule {
   public:
    Rule& user_is(std::uint32_t uid);          // of the socket's owner
    Rule& leaves_by(std::string_view device);  // oifname
    Rule& is_ipv4();                           // of the packet, in an inet table
    Rule& is_ipv6();
    Rule& is_tcp();
    Rule& port_is(std::uint16_t port);  // TCP's destination port; after is_tcp()
    // Destination in this network; after is_ipv4() or is_ipv6(). `address`: 4 or 16 bytes.
    Rule& leads_into(std::span<const std::uint8_t> address, int bits);
    void leaves_the_chain();  // `return`
    void is_redirected_to(std::uint16_t port);

   private:
    friend class NftBatch;
    std::string bytes_;
    void expression(std::string_view name, std::string_view attributes);
    Rule& equals(std::string_view value);
    Rule& meta(std::uint32_t key);
  };
  void rule(std::string_view table, std::string_view chain, const Rule& rule);

  // With its end; ready for send(2). The messages that the kernel answers are numbered from 1 on.
  std::string finish();

 private:
  void message(std::uint16_t type, std::uint16_t flags, std::string_view attributes);
  std::string bytes_;
  std::uint32_t sequence_ = 0;
};

// Hands it to the kernel, all of it or nothing. An error says which right is missing, or the kernel's errno.
Result<void> commit(NftBatch batch);

}  // namespace retrial::deploy
