#include "deploy/nft/messages.h"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>

#include <array>
#include <cstring>

namespace retrial::deploy {
namespace {

constexpr std::int32_t kDstNat = -100;        // NF_IP_PRI_NAT_DST
constexpr std::uint32_t kTcpDestination = 2;  // offset of the port in TCP's header

template <class T>
std::string raw(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
std::string be32(std::uint32_t value) { return raw(htonl(value)); }

void pad(std::string& bytes) { bytes.resize(NLA_ALIGN(bytes.size())); }

std::string attribute(std::uint16_t type, std::string_view value) {
  nlattr head{static_cast<std::uint16_t>(NLA_HDRLEN + value.size()), type};
  auto out = raw(head);
  out += value;
  pad(out);
  return out;
}
std::string nested(std::uint16_t type, std::string_view value) {
  return attribute(static_cast<std::uint16_t>(type | NLA_F_NESTED), value);
}
std::string text(std::uint16_t type, std::string_view value) { return attribute(type, std::string(value) + '\0'); }
std::string number(std::uint16_t type, std::uint32_t value) { return attribute(type, be32(value)); }
std::string value_of(std::string_view value) { return attribute(NFTA_DATA_VALUE, value); }

// Of the packet into register 1.
std::string payload(std::uint32_t base, std::uint32_t offset, std::uint32_t size) {
  return number(NFTA_PAYLOAD_DREG, NFT_REG_1) + number(NFTA_PAYLOAD_BASE, base) + number(NFTA_PAYLOAD_OFFSET, offset) +
         number(NFTA_PAYLOAD_LEN, size);
}

}  // namespace

NftBatch::NftBatch() { message(NFNL_MSG_BATCH_BEGIN, 0, {}); }

void NftBatch::message(std::uint16_t type, std::uint16_t flags, std::string_view attributes) {
  bool batch = type == NFNL_MSG_BATCH_BEGIN || type == NFNL_MSG_BATCH_END;
  nlmsghdr head{};
  head.nlmsg_len = static_cast<std::uint32_t>(NLMSG_HDRLEN + sizeof(nfgenmsg) + attributes.size());
  head.nlmsg_type = batch ? type : static_cast<std::uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | type);
  head.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
  head.nlmsg_seq = sequence_++;
  nfgenmsg family{};
  family.nfgen_family = batch ? AF_UNSPEC : static_cast<std::uint8_t>(NFPROTO_INET);
  family.version = NFNETLINK_V0;
  family.res_id = batch ? htons(NFNL_SUBSYS_NFTABLES) : 0;
  bytes_ += raw(head) + raw(family);
  bytes_ += attributes;
  pad(bytes_);
}

void NftBatch::table(std::string_view name) { message(NFT_MSG_NEWTABLE, NLM_F_CREATE, text(NFTA_TABLE_NAME, name)); }
void NftBatch::delete_table(std::string_view name) { message(NFT_MSG_DELTABLE, 0, text(NFTA_TABLE_NAME, name)); }

void NftBatch::nat_output(std::string_view table, std::string_view chain) {
  auto hook =
      number(NFTA_HOOK_HOOKNUM, NF_INET_LOCAL_OUT) + number(NFTA_HOOK_PRIORITY, static_cast<std::uint32_t>(kDstNat));
  message(NFT_MSG_NEWCHAIN, NLM_F_CREATE,
          text(NFTA_CHAIN_TABLE, table) + text(NFTA_CHAIN_NAME, chain) + nested(NFTA_CHAIN_HOOK, hook) +
              text(NFTA_CHAIN_TYPE, "nat"));
}

void NftBatch::rule(std::string_view table, std::string_view chain, const Rule& rule) {
  message(NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND,
          text(NFTA_RULE_TABLE, table) + text(NFTA_RULE_CHAIN, chain) + nested(NFTA_RULE_EXPRESSIONS, rule.bytes_));
}

std::string NftBatch::finish() {
  message(NFNL_MSG_BATCH_END, 0, {});
  return std::move(bytes_);
}

void NftBatch::Rule::expression(std::string_view name, std::string_view attributes) {
  bytes_ += nested(NFTA_LIST_ELEM, text(NFTA_EXPR_NAME, name) + nested(NFTA_EXPR_DATA, attributes));
}

NftBatch::Rule& NftBatch::Rule::meta(std::uint32_t key) {
  expression("meta", number(NFTA_META_DREG, NFT_REG_1) + number(NFTA_META_KEY, key));
  return *this;
}
NftBatch::Rule& NftBatch::Rule::equals(std::string_view value) {
  expression("cmp", number(NFTA_CMP_SREG, NFT_REG_1) + number(NFTA_CMP_OP, NFT_CMP_EQ) +
                        nested(NFTA_CMP_DATA, value_of(value)));
  return *this;
}

NftBatch::Rule& NftBatch::Rule::user_is(std::uint32_t uid) { return meta(NFT_META_SKUID).equals(raw(uid)); }
NftBatch::Rule& NftBatch::Rule::leaves_by(std::string_view device) {
  std::array<char, 16> name{};  // IFNAMSIZ, filled up with zeros
  device.copy(name.data(), name.size() - 1);
  return meta(NFT_META_OIFNAME).equals({name.data(), name.size()});
}
NftBatch::Rule& NftBatch::Rule::is_ipv4() { return meta(NFT_META_NFPROTO).equals(std::string(1, NFPROTO_IPV4)); }
NftBatch::Rule& NftBatch::Rule::is_ipv6() { return meta(NFT_META_NFPROTO).equals(std::string(1, NFPROTO_IPV6)); }
NftBatch::Rule& NftBatch::Rule::is_tcp() { return meta(NFT_META_L4PROTO).equals(std::string(1, IPPROTO_TCP)); }

NftBatch::Rule& NftBatch::Rule::port_is(std::uint16_t port) {
  expression("payload", payload(NFT_PAYLOAD_TRANSPORT_HEADER, kTcpDestination, sizeof port));
  return equals(raw(htons(port)));
}

NftBatch::Rule& NftBatch::Rule::leads_into(std::span<const std::uint8_t> address, int bits) {
  auto size = static_cast<std::uint32_t>(address.size());
  expression("payload", payload(NFT_PAYLOAD_NETWORK_HEADER, size == 4 ? 16 : 24, size));
  std::string mask(size, '\0'), net(size, '\0');
  for (std::uint32_t i = 0; i < size; i++) {
    int left = bits - static_cast<int>(i) * 8;
    mask[i] = static_cast<char>(left >= 8 ? 0xff : left <= 0 ? 0 : 0xff << (8 - left));
    net[i] = static_cast<char>(address[i] & static_cast<unsigned char>(mask[i]));
  }
  expression("bitwise", number(NFTA_BITWISE_SREG, NFT_REG_1) + number(NFTA_BITWISE_DREG, NFT_REG_1) +
                            number(NFTA_BITWISE_LEN, size) + nested(NFTA_BITWISE_MASK, value_of(mask)) +
                            nested(NFTA_BITWISE_XOR, value_of(std::string(size, '\0'))));
  return equals(net);
}

void NftBatch::Rule::leaves_the_chain() {
  auto verdict = number(NFTA_VERDICT_CODE, static_cast<std::uint32_t>(NFT_RETURN));
  expression("immediate", number(NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT) +
                              nested(NFTA_IMMEDIATE_DATA, nested(NFTA_DATA_VERDICT, verdict)));
}

void NftBatch::Rule::is_redirected_to(std::uint16_t port) {
  expression("immediate",
             number(NFTA_IMMEDIATE_DREG, NFT_REG_1) + nested(NFTA_IMMEDIATE_DATA, value_of(raw(htons(port)))));
  expression("redir", number(NFTA_REDIR_REG_PROTO_MIN, NFT_REG_1));
}

}  // namespace retrial::deploy
