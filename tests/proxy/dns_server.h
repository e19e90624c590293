#pragma once
#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <event2/event.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/proxy/wires.h"

namespace retrial::test {

// A name server (RFC 1035 4) on loopback UDP, on the test's own loop.
class DnsServer {
 public:
  enum Type : int { A = ns_t_a, AAAA = ns_t_aaaa };
  struct Question {
    std::string name;  // as it was asked for
    int type;
    bool operator==(const Question&) const = default;
  };

  explicit DnsServer(proxy::Loop& loop, proxy::Address at = proxy::Address::v4(INADDR_LOOPBACK, 0))
      : watch_(std::make_unique<proxy::Watch>(loop, fd_, EV_READ, [this](short) { read(); })) {
    socklen_t size = at.size();
    bound = ::bind(fd_, at.get(), size) == 0;
    EXPECT_EQ(::getsockname(fd_, at.get(), &size), 0);
    address = at.show();
  }
  ~DnsServer() {
    watch_.reset();
    ::close(fd_);
  }
  DnsServer(const DnsServer&) = delete;

  // Names that are not given here do not exist (NXDOMAIN); a name without an address of that type has none (NODATA).
  void name(const std::string& name, std::vector<std::string> a, std::vector<std::string> aaaa = {}) {
    zone_[name] = {std::move(a), std::move(aaaa)};
  }
  void fails(const std::string& name, int rcode) { rcodes_[name] = rcode; }  // ns_r_servfail …
  void hold(int type) { held_types_.insert(type); }
  void release(int type) {  // answers what was asked meanwhile, and from now on
    held_types_.erase(type);
    for (auto& query : std::exchange(held_, {})) answer(query);
  }
  bool was_asked(const Question& question) const { return std::ranges::find(asked, question) != asked.end(); }

  // What is answered to that query, whatever is held or truncated.
  std::string answer_to(const std::string& packet) const {
    auto q = question(packet);
    auto zone = zone_.find(q.name);
    auto fails = rcodes_.find(q.name);
    int rcode = fails != rcodes_.end() ? fails->second : zone == zone_.end() ? ns_r_nxdomain : ns_r_noerror;
    std::string out = packet.substr(0, question_size(packet)), records;
    char count = 0;
    bool six = q.type == AAAA;
    for (auto& literal : zone == zone_.end() ? std::vector<std::string>() : six ? zone->second.aaaa : zone->second.a) {
      char ip[16];
      std::size_t size = six ? 16 : 4;
      EXPECT_EQ(::inet_pton(six ? AF_INET6 : AF_INET, literal.c_str(), ip), 1) << literal;
      // A pointer to the name, the type, the class, no time to live, the length.
      records += std::string("\xc0\x0c\0", 3) + static_cast<char>(q.type) + std::string("\0\1\0\0\0\0\0", 7);
      records += static_cast<char>(size) + std::string(ip, size);
      count++;
    }
    out[2] = static_cast<char>(0x81);  // a response, recursion was desired
    out[3] = static_cast<char>(0x80 | rcode);
    out[7] = count;
    out += records;
    return out;
  }

  std::string address;
  bool bound;              // else another has that address, or it is not for us
  bool truncates = false;  // over UDP, everything
  std::vector<Question> asked;

 private:
  struct Records {
    std::vector<std::string> a, aaaa;
  };
  struct Query {
    std::string packet;
    proxy::Address from;
  };
  void read() {
    char room[512];
    Query query;
    socklen_t size = sizeof query.from.storage_;
    auto n = ::recvfrom(fd_, room, sizeof room, MSG_DONTWAIT, query.from.get(), &size);
    if (n < NS_HFIXEDSZ) return;
    query.packet.assign(room, static_cast<std::size_t>(n));
    asked.push_back(question(query.packet));
    answer(query);
  }
  static Question question(const std::string& packet) {
    Question q;
    std::size_t at = NS_HFIXEDSZ;
    while (packet[at] != 0) {
      if (!q.name.empty()) q.name += '.';
      q.name += packet.substr(at + 1, static_cast<std::size_t>(packet[at]));
      at += 1 + static_cast<std::size_t>(packet[at]);
    }
    q.type = static_cast<unsigned char>(packet[at + 2]);
    return q;
  }
  static std::size_t question_size(const std::string& packet) {
    return NS_HFIXEDSZ + question(packet).name.size() + 2 + NS_QFIXEDSZ;
  }
  void answer(const Query& query) {
    if (held_types_.contains(question(query.packet).type)) return held_.push_back(query);
    auto out = answer_to(query.packet);
    if (truncates) {
      out.resize(question_size(out));
      out[2] = static_cast<char>(out[2] | 0x02);
      out[7] = 0;
    }
    ::sendto(fd_, out.data(), out.size(), 0, query.from.get(), query.from.size());
  }

  int fd_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  std::unique_ptr<proxy::Watch> watch_;
  std::map<std::string, Records> zone_;
  std::map<std::string, int> rcodes_;
  std::set<int> held_types_;
  std::vector<Query> held_;
};

}  // namespace retrial::test
