// What netfilter sends to a listener, in a network namespace of its own.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "proxy/server/server.h"
#include "tests/support/sockets.h"

namespace retrial::proxy {
namespace {
using test::Client;
using test::KeptLog;
using test::Origin;

constexpr int kMark = 1;  // of what is to be redirected: the proxy's own connections are not
const Address kService4 = *Address::parse("10.1.2.3:9999");
const Address kService6 = *Address::parse("[fd00::1]:9999");

constexpr auto kLinks = "ip link set lo up && ip addr add 10.1.2.3/32 dev lo && ip addr add fd00::1/128 dev lo nodad";
constexpr auto kRedirect =
    "nft add table inet t && nft 'add chain inet t o { type nat hook output priority -100; }' && "
    "nft add rule inet t o meta mark 1 tcp dport { 9999, 15001 } redirect to :15001";
constexpr auto kTproxy =
    "ip rule add fwmark 1 lookup 100 && ip route add local 0.0.0.0/0 dev lo table 100 && "
    "ip -6 rule add fwmark 1 lookup 100 && ip -6 route add local ::/0 dev lo table 100 && "
    "nft add table inet t && nft 'add chain inet t p { type filter hook prerouting priority -150; }' && "
    "nft add rule inet t p meta mark 1 tcp dport 9999 tproxy to :15001 accept";

int shell(const std::string& command) { return std::system(("{ " + command + "; } >/dev/null 2>&1").c_str()); }

// Runs it in a child with a network namespace of its own; what it gives back is what was wrong, "" nothing. A word that
// begins with "skip " says what this machine refuses.
std::string in_a_namespace(const std::string& set_up, std::string (*scenario)()) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  auto child = fork();
  if (child == 0) {
    std::string wrong;
    if (unshare(CLONE_NEWNET) != 0)
      wrong = std::string("skip a network namespace is refused: ") + std::strerror(errno);
    else if (shell(kLinks) != 0)
      wrong = "skip ip cannot set up the loopback device";
    else if (shell(set_up) != 0)
      wrong = "skip netfilter refuses the rules (nft, redirect or tproxy is missing)";
    else
      wrong = scenario();
    [[maybe_unused]] auto n = write(ends[1], wrong.data(), wrong.size());
    _exit(0);
  }
  close(ends[1]);
  std::string wrong;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) wrong.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? wrong : "the child crashed";
}

Client marked(const Address& to) {
  int fd = ::socket(to.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
  setsockopt(fd, SOL_SOCKET, SO_MARK, &kMark, sizeof kMark);
  if (::connect(fd, to.get(), to.size()) != 0) {
    ::close(fd);
    fd = -1;
  }
  return Client(fd);
}

std::string through(Mode mode) {
  SystemClock clock;
  KeptLog log;
  Origin four("four", kService4), six("six", kService6);
  ServerSettings settings{.loops = 2};
  for (auto at : {Address::v4(INADDR_ANY, 15001), Address::v6(in6addr_any, 15001)})
    settings.listeners.push_back({.mode = mode, .at = at, .protocol = Protocol::automatic});
  settings.options.pristine = false;
  settings.options.tunnel_unreadable = false;
  settings.rules.push_back(
      {{.services = {"10.1.2.3:9999"}, .path = "/bad"}, *policies::parse_fault_plan("error(503)")});
  auto server = Server::start(settings, clock, log);
  if (!server) return "the server: " + server.error().line();
  for (auto [to, name] : {std::pair{kService4, "four"}, std::pair{kService6, "six"}}) {
    auto client = marked(to);
    if (!client.connected()) return fmt::format("no connection to {}", to.show());
    for (int i = 1; i <= 2; i++)
      if (auto answer = client.get("/"); !answer.ends_with(fmt::format("\r\n\r\n{} {}", name, i)))
        return fmt::format("{} answered \"{}\"", to.show(), answer);
  }
  auto seen = (*server)->state().counts.connections;
  if (seen != 2) return fmt::format("{} connections came through the proxy", seen);
  if (auto answer = marked(kService4).get("/bad"); !answer.starts_with("HTTP/1.1 503 "))
    return "a rule by the service's address does not match: " + answer;
  if (mode == Mode::redirect) {
    auto before = (*server)->state().counts.connections;
    auto loop = marked(*Address::parse("10.1.2.3:15001"));
    loop.say("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    if (!loop.hears_end() || (*server)->state().counts.connections != before)
      return "a connection that meant the listener itself was not closed";
  }
  Client direct(*Address::parse("127.0.0.1:15001"));
  direct.say("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  if (!direct.hears_end()) return "a client that was not redirected was answered";
  if (log.count("was not redirected") != 1) return "and it is not in the log";
  return "";
}
std::string through_redirect() { return through(Mode::redirect); }
std::string through_tproxy() { return through(Mode::tproxy); }

TEST(Redirected, connections_reach_the_service_that_they_meant_ipv4_and_ipv6) {
  auto wrong = in_a_namespace(kRedirect, through_redirect);
  if (wrong.starts_with("skip ")) GTEST_SKIP() << wrong.substr(5);
  EXPECT_EQ(wrong, "");
}

TEST(Redirected, connections_by_tproxy_reach_the_service_that_they_meant_ipv4_and_ipv6) {
  auto wrong = in_a_namespace(kTproxy, through_tproxy);
  if (wrong.starts_with("skip ")) GTEST_SKIP() << wrong.substr(5);
  EXPECT_EQ(wrong, "");
}

}  // namespace
}  // namespace retrial::proxy
