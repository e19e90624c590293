// The rules as nft itself lists them, in a network namespace of its own.
#include "deploy/nft/redirect.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>

namespace retrial::deploy {
namespace {

std::string listed() {
  std::string out;
  auto* pipe = popen("nft list table inet retrial 2>&1", "r");
  std::array<char, 4096> buffer;
  while (pipe && fgets(buffer.data(), buffer.size(), pipe)) out += buffer.data();
  if (pipe) pclose(pipe);
  return out;
}

// In a child of its own network; "skip: ..." where that, or netfilter, is refused.
std::string in_a_namespace(std::string (*scenario)()) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  auto child = fork();
  if (child == 0) {
    auto out = unshare(CLONE_NEWNET) != 0 ? std::string("skip: no network namespace") : scenario();
    [[maybe_unused]] auto n = write(ends[1], out.data(), out.size());
    _exit(0);
  }
  close(ends[1]);
  std::string out(65536, '\0');
  std::size_t size = 0;
  for (ssize_t n; (n = read(ends[0], out.data() + size, out.size() - size)) > 0;) size += static_cast<std::size_t>(n);
  out.resize(size);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return out;
}

TEST(RedirectRules, are_what_nft_lists_and_replace_those_before) {
  auto out = in_a_namespace([]() -> std::string {
    Redirection r;
    r.ports = {1};
    auto first = redirect(r);
    if (!first) return "skip: " + first.error().line();
    r = {.to = 15001,
         .ports = {8080, 443},
         .not_ports = {5432},
         .not_users = {65532},
         .not_nets = {"10.0.0.0/9", "fd00::/8"}};
    if (auto second = redirect(r); !second) return second.error().line();
    return listed();
  });
  if (out.starts_with("skip")) GTEST_SKIP() << out;
  for (auto part : {"type nat hook output priority -100", "oifname \"lo\" return", "meta skuid 65532 return",
                    "ip daddr 10.0.0.0/9 return", "ip6 daddr fd00::/8 return", "tcp dport 5432 return",
                    "tcp dport 8080 redirect to :15001", "tcp dport 443 redirect to :15001"})
    EXPECT_NE(out.find(part), out.npos) << part << "\n" << out;
  EXPECT_EQ(out.find("tcp dport 1 "), out.npos) << out;
}
TEST(RedirectRules, go_when_they_are_taken_away_and_a_network_that_is_none_is_refused) {
  auto out = in_a_namespace([]() -> std::string {
    if (auto done = redirect({}); !done) return "skip: " + done.error().line();
    if (auto done = end_redirect(); !done) return done.error().line();
    if (auto done = end_redirect(); !done) return "twice: " + done.error().line();
    auto wrong = redirect({.not_nets = {"10.0.0.0/33"}});
    return listed() + (wrong ? "accepted" : wrong.error().line());
  });
  if (out.starts_with("skip")) GTEST_SKIP() << out;
  EXPECT_NE(out.find("No such file or directory"), out.npos) << out;
  EXPECT_NE(out.find("--except-net: expected a network such as"), out.npos) << out;
}

}  // namespace
}  // namespace retrial::deploy
