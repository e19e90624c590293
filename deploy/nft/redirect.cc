#include "deploy/nft/redirect.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <optional>

#include "base/text.h"
#include "deploy/nft/messages.h"

namespace retrial::deploy {
namespace {

constexpr auto kChain = "out";
using Rule = NftBatch::Rule;

struct Net {
  std::array<std::uint8_t, 16> address{};
  std::size_t size = 0;
  int bits = 0;
};

std::optional<Net> net_of(const std::string& text) {
  auto slash = text.find('/');
  auto address = text.substr(0, slash);
  Net net;
  if (inet_pton(AF_INET, address.c_str(), net.address.data()) == 1)
    net.size = 4;
  else if (inet_pton(AF_INET6, address.c_str(), net.address.data()) == 1)
    net.size = 16;
  else
    return std::nullopt;
  auto most = static_cast<int>(net.size) * 8;
  auto bits = slash == text.npos ? most : to_int(std::string_view(text).substr(slash + 1));
  if (!bits || *bits < 0 || *bits > most) return std::nullopt;
  net.bits = static_cast<int>(*bits);
  return net;
}

void clear(NftBatch& batch) {  // as `nft -f` does it: what may not be there is made first
  batch.table(kRedirectTable);
  batch.delete_table(kRedirectTable);
}

}  // namespace

Result<void> redirect(const Redirection& r) {
  NftBatch batch;
  clear(batch);
  batch.table(kRedirectTable);
  batch.nat_output(kRedirectTable, kChain);
  auto spare = [&](Rule rule) {
    rule.leaves_the_chain();
    batch.rule(kRedirectTable, kChain, rule);
  };
  spare(Rule().leaves_by("lo"));
  for (auto user : r.not_users) spare(Rule().user_is(user));
  for (auto& text : r.not_nets) {
    auto net = net_of(text);
    if (!net)
      return fail(fmt::format("expected a network such as 10.0.0.0/8 or fd00::/8, got \"{}\"", text), "--except-net",
                  Blame::user);
    Rule rule;
    (net->size == 4 ? rule.is_ipv4() : rule.is_ipv6()).leads_into({net->address.data(), net->size}, net->bits);
    spare(rule);
  }
  for (auto port : r.not_ports) spare(Rule().is_tcp().port_is(port));
  auto lead = [&](Rule rule) {
    rule.is_redirected_to(r.to);
    batch.rule(kRedirectTable, kChain, rule);
  };
  for (auto port : r.ports) lead(Rule().is_tcp().port_is(port));
  if (r.ports.empty()) lead(Rule().is_tcp());
  return commit(std::move(batch));
}

Result<void> end_redirect() {
  NftBatch batch;
  clear(batch);
  return commit(std::move(batch));
}

}  // namespace retrial::deploy
