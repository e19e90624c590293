// A whole exchange, and the next ones: a proxy between clients and services over sockets of this process, told by the
// input what each of them says, takes, and when it leaves; any pairing of protocols, any fault of the language.
// Whatever it is: the loop comes to rest, every request is recorded once and to its end, no exchange meets an event
// that its table does not have, no side hears what another connection or the other direction has said, and no more
// waits than the limits allow. The first bytes choose the pairing, the limits and the faults; then each byte is
// something that happens.
#include <fcntl.h>
#include <nghttp2/nghttp2.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>

#include "policies/fault_plan.h"
#include "proxy/codec/h2_frames.h"
#include "proxy/net/address.h"
#include "proxy/proxy.h"
#include "tests/conversations/pairings_script.h"
#include "trace/status.h"

namespace {
using namespace retrial;
using proxy::H2Type;

[[noreturn]] void wrong(const std::string& what) {
  std::fprintf(stderr, "exchange_fuzz: %s\n", what.c_str());
  std::abort();
}

struct Choices {
  const std::uint8_t* at;
  const std::uint8_t* end;
  bool any() const { return at < end; }
  unsigned byte() { return any() ? *at++ : 0; }
  std::string bytes(std::size_t most) {
    auto n = std::min(most, static_cast<std::size_t>(end - at));
    at += n;
    return {reinterpret_cast<const char*>(at - n), n};
  }
};

const std::vector<trace::FaultSpec>& faults() {
  static const auto all = [] {
    std::vector<trace::FaultSpec> specs;
    for (auto& text : test::pairings::all_faults()) specs.push_back(policies::parse_fault_plan(text)->steps[0].fault);
    return specs;
  }();
  return all;
}

// One end of a connection. What it says of one request, and to it, is a letter that the request's path names.
struct End {
  int fd = -1;
  bool h2 = false, client = false, reads = true, raw = false;
  std::string unsent, in;
  char letter = 0;         // HTTP/1: of the last request
  std::set<char> letters;  // of all of them
  std::map<std::uint32_t, char> streams;
  std::uint32_t last = 0;  // stream
  nghttp2_hd_inflater* inflater = nullptr;

  End() = default;
  End(const End&) = delete;
  ~End() {
    leaves(true);
    if (inflater) nghttp2_hd_inflate_del(inflater);
  }
  void leaves(bool reset) {
    linger hard{1, 0};
    if (fd >= 0 && reset) setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    if (fd >= 0) ::close(fd);
    fd = -1;
    unsent.clear();
  }
  void say(std::string_view bytes) {
    if (fd >= 0 && unsent.size() < 1u << 20) unsent.append(bytes);
    push();
  }
  bool push() {
    auto n = fd < 0 || unsent.empty() ? 0 : ::send(fd, unsent.data(), unsent.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) unsent.erase(0, static_cast<std::size_t>(n));
    return n > 0;
  }
  bool hear() {
    static char buffer[65536];
    if (fd < 0 || !reads) return false;
    auto n = ::recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (n <= 0) return false;
    std::string_view some(buffer, static_cast<std::size_t>(n));
    if (h2) {
      in.append(some);
      while (frame()) {
      }
    } else {
      text(some);
    }
    return true;
  }

  // --- what it hears
  void check(std::string_view body, const std::set<char>& mine) const {
    std::size_t run = 0;
    for (std::size_t i = 0; i < body.size(); i++) {
      run = i > 0 && body[i] == body[i - 1] ? run + 1 : 0;
      char c = body[i];
      bool small = c >= 'a' && c <= 'z', large = c >= 'A' && c <= 'Z';
      if (run < 5 || (!small && !large)) continue;
      if (client ? large : small) wrong("a side hears what it said itself");
      if (client && !mine.contains(c) && !mine.contains(static_cast<char>(c ^ 1)))
        wrong("a client hears what is not its own");
    }
  }
  void text(std::string_view some) {
    if (!raw) check(some, letters);
    if (client) return;
    in.append(some);
    for (std::size_t at; (at = in.find(" /")) != in.npos && at + 2 < in.size(); in.erase(0, at + 3))
      letter = in[at + 2];
    if (in.size() > 64) in.erase(0, in.size() - 64);
  }
  bool frame() {
    if (!client && in.starts_with("PRI *")) {
      if (in.size() < 24) return false;
      in.erase(0, 24);
    }
    if (in.size() < proxy::kH2FrameHead) return false;
    auto f = proxy::h2_frame(in.data());
    if (in.size() < proxy::kH2FrameHead + f.length) return false;
    std::string payload = in.substr(proxy::kH2FrameHead, f.length);
    in.erase(0, proxy::kH2FrameHead + f.length);
    if (f.is(H2Type::settings) && !f.has(proxy::h2_flag::ack)) {
      std::string ack;
      proxy::h2_append(ack, H2Type::settings, proxy::h2_flag::ack, 0, {});
      say(ack);
    }
    if (!client && (f.is(H2Type::headers) || f.is(H2Type::continuation)))
      head(f.stream, payload, f.has(proxy::h2_flag::end_headers));
    if (client && f.is(H2Type::data) && !raw && streams.contains(f.stream)) check(payload, {streams[f.stream]});
    return true;
  }
  void head(std::uint32_t stream, std::string& block, bool end) {
    if (!inflater) nghttp2_hd_inflate_new(&inflater);
    auto* at = reinterpret_cast<std::uint8_t*>(block.data());
    for (auto left = block.size();;) {
      nghttp2_nv nv;
      int flags = 0;
      auto taken = nghttp2_hd_inflate_hd2(inflater, &nv, &flags, at, left, end);
      if (taken < 0) wrong("a field block that cannot be read");
      at += taken;
      left -= static_cast<std::size_t>(taken);
      if ((flags & NGHTTP2_HD_INFLATE_EMIT) && nv.namelen == 5 && nv.valuelen > 1 && nv.name[1] == 'p')
        streams[last = stream] = static_cast<char>(nv.value[1]);
      if ((flags & NGHTTP2_HD_INFLATE_FINAL) || !(flags & NGHTTP2_HD_INFLATE_EMIT)) break;
    }
    if (end) nghttp2_hd_inflate_end_headers(inflater);
  }

  // --- what it says
  static void field(std::string& block, std::string_view name, std::string_view value) {
    block += '\0';
    (block += static_cast<char>(name.size())).append(name);
    (block += static_cast<char>(value.size())).append(value);
  }
  void headers(std::uint32_t stream, std::string_view block, bool end) {
    std::string out;
    proxy::h2_append(out, H2Type::headers, static_cast<std::uint8_t>(4 | (end ? 1 : 0)), stream, block);
    say(out);
  }
  void data(std::uint32_t stream, std::string_view bytes, bool end) {
    std::string out;
    do {
      auto some = bytes.substr(0, proxy::kH2SmallestFrame);
      bytes.remove_prefix(some.size());
      proxy::h2_append(out, H2Type::data, end && bytes.empty(), stream, some);
    } while (!bytes.empty());
    say(out);
  }
};

struct Run final : proxy::Director, proxy::Recorder {
  explicit Run(Choices& choices) : choices_(choices) {}

  proxy::Decision at_head(const trace::Exchange& e) override {
    proxy::Decision d;
    d.fault = faults()[planned_[e.id % planned_.size()] % faults().size()];
    if (trace::is_of_connection(d.fault)) d.fault = {};
    d.fault_id = "f1";
    d.answer.status = d.fault.status;
    if (trace::is_grpc(d.fault.status))
      d.answer.headers = {{"grpc-status", "14"}};
    else
      d.answer.body = "retrial-f1";
    heads_.insert(e.id);
    return d;
  }
  proxy::ConnectDecision at_connect(const proxy::Connecting&) override {
    auto& fault = faults()[planned_[0] % faults().size()];
    return {trace::is_of_connection(fault) ? fault : trace::FaultSpec{}};
  }
  bool keeps_responses() const override { return keeps_; }
  void over(const trace::Exchange& e) override {
    auto& told = told_[e.id];
    told++;
    if (told > 2 || !heads_.contains(e.id)) wrong("an exchange was ended twice, or never began");
  }
  void head(const trace::Exchange& e) override { once(e, 0); }
  void answer(const trace::Exchange& e) override { once(e, 1); }
  void fired(const trace::Exchange& e) override {
    once(e, 2);
    if (e.evidence.empty() || e.evidence.starts_with("not fired")) wrong("a fault that fired has no evidence");
  }
  void once(const trace::Exchange& e, std::size_t what) {
    if (seen_[e.id][what]++ > 0) wrong("something was recorded twice");
  }

  void converse();

 private:
  static constexpr std::size_t kHead = 2000, kScratch = 64u << 10;
  void begin();
  void rest();
  bool accept();
  void happens();
  void client_says(End& client);
  void service_says(End& service);
  void either(End& end, unsigned what);
  std::unique_ptr<End> end_of(int fd, bool client, bool h2);
  void greet(End& end);
  void check_room();

  Choices& choices_;
  proxy::Loop loop_;
  ManualClock clock_;
  std::unique_ptr<proxy::Proxy> proxy_;
  std::vector<std::unique_ptr<End>> clients_, services_;
  std::array<unsigned, 4> planned_{};
  std::set<std::uint64_t> heads_;
  std::map<std::uint64_t, int> told_;
  std::map<std::uint64_t, std::array<int, 3>> seen_;
  std::size_t limit_ = 0, waited_ = 0;
  bool h2_client_ = false, h2_service_ = false, captured_ = false, keeps_ = false, lost_ = false;
  char next_[2] = {'a', 'n'};
};

int listener(std::uint16_t& port) {
  static std::uint16_t at_port = 0;
  static const int fd = [] {
    int one = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    auto at = proxy::Address::v4(INADDR_LOOPBACK, 0);
    socklen_t size = at.size();
    if (::bind(one, at.get(), size) || ::listen(one, 100) || getsockname(one, at.get(), &size)) wrong("no listener");
    at_port = at.port();
    return one;
  }();
  port = at_port;
  return fd;
}

std::unique_ptr<End> Run::end_of(int fd, bool client, bool h2) {
  auto end = std::make_unique<End>();
  end->fd = fd;
  end->client = client;
  end->h2 = h2;
  if (h2) greet(*end);
  return end;
}
void Run::greet(End& end) {
  static constexpr std::array<std::uint32_t, 4> kWindows{0, 10, 65535, 1u << 24};
  std::string out, settings{'\0', '\4'};
  settings.resize(6);
  proxy::h2_put_number(settings.data() + 2, kWindows[choices_.byte() % 4]);
  if (end.client) out = proxy::kH2Preface;
  proxy::h2_append(out, H2Type::settings, 0, 0, settings);
  proxy::h2_append(out, H2Type::window_update, 0, 1u << 24);
  end.say(out);
}

void Run::begin() {
  auto how = choices_.byte();
  h2_client_ = how & 1;
  h2_service_ = how & 2;
  captured_ = (how & 4) && h2_client_ == h2_service_;
  keeps_ = how & 8;
  static constexpr std::array<std::size_t, 4> kLimits{20, 1000, 16384, 256u << 10};
  limit_ = kLimits[how >> 4 & 3];
  for (auto& fault : planned_) fault = choices_.byte();
  proxy::Options options{.pristine = captured_,
                         .pooled = !captured_,
                         .tunnel_unreadable = captured_,
                         .head_limit = kHead,
                         .buffer_limit = limit_,
                         .say = [this](const std::string& line) { lost_ |= line.contains("by an error of our own"); }};
  options.body_limit = how & 64 ? 5000 : 0;
  options.idle_timeout = how & 128 ? kSecond : 0;
  proxy_ = std::make_unique<proxy::Proxy>(loop_, clock_, *this, *this, std::move(options));
  std::uint16_t port = 0;
  listener(port);
  auto to = std::make_shared<proxy::ListenerOptions>();
  to->route = {.host = "127.0.0.1", .port = port, .http2 = h2_service_};
  for (int i = 0; i < 2; i++) {
    int client[2], service[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, client)) wrong("no sockets");
    if (captured_) {
      if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, service)) wrong("no sockets");
      services_.push_back(end_of(service[0], false, h2_service_));
      proxy_->take({client[1], service[1], proxy::Address::v4(INADDR_LOOPBACK, 80), 1});
    } else {
      proxy_->take(proxy::Incoming{.client = client[1], .listener = to, .original = {}, .pid = 1});
    }
    clients_.push_back(end_of(client[0], true, h2_client_));
  }
}

bool Run::accept() {
  std::uint16_t port;
  int fd = captured_ ? -1 : ::accept4(listener(port), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return false;
  if (h2_client_ && !h2_service_ && services_.empty()) {  // asked in HTTP/2, it says that it does not know that
    services_.push_back(end_of(fd, false, false));
    services_.back()->say("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    ::shutdown(fd, SHUT_WR);
    return true;
  }
  services_.push_back(end_of(fd, false, h2_service_));
  return true;
}

// The loop's turns until nothing is under way. What only time could change is no turn.
void Run::rest() {
  for (int turns = 0;; turns++) {
    auto before = loop_.callbacks();
    loop_.round(false);
    bool some = accept();
    for (auto* ends : {&clients_, &services_})
      for (auto& end : *ends) some |= end->push() | end->hear();
    if (!some && loop_.callbacks() == before) break;
    if (turns > 3000) wrong("the loop finds no rest");
  }
  if (lost_) wrong("an exchange met an event that its table does not have");
  check_room();
}

// For each connection what one read and one head may bring beyond the limits, each way; for each exchange the same.
void Run::check_room() {
  auto slack = limit_ + kScratch + 4 * kHead;
  auto most = proxy_->connections() * 6 * slack + proxy_->open_exchanges() * 2 * (limit_ + kScratch);
  waited_ = std::max(waited_, proxy_->waiting());
  if (proxy_->waiting() > most) wrong("more waits than the limits allow");
}

void Run::client_says(End& client) {
  auto which = client.client && &client == clients_[1].get() ? 1u : 0u;
  auto what = choices_.byte();
  static constexpr std::string_view kMethods[] = {"GET", "POST", "HEAD", "PUT"};
  auto method = kMethods[what & 3];
  bool body = (what & 1) && (what & 4), sized = what & 8, call = what & 16, expects = what & 32;
  char letter = next_[which];
  next_[which] = static_cast<char>(which == 0 ? 'a' + (letter - 'a' + 2) % 12 : 'n' + (letter - 'n' + 2) % 12);
  std::string path = std::string("/") + letter;
  client.letters.insert(letter);
  if (!client.h2) {
    client.letter = letter;
    auto text = std::string(method) + " " + path + " HTTP/1." + (what & 64 ? "0" : "1") + "\r\nHost: h\r\n";
    if (call) text += "Content-Type: application/grpc\r\nTE: trailers\r\n";
    if (expects) text += "Expect: 100-continue\r\n";
    if (body) text += sized ? "Content-Length: 40\r\n" : "Transfer-Encoding: chunked\r\n";
    if (what & 128) text += "Connection: close\r\n";
    return client.say(text + "\r\n");
  }
  client.last = client.last == 0 ? 1 : client.last + 2;
  client.streams[client.last] = letter;
  std::string block;
  End::field(block, ":method", method);
  End::field(block, ":scheme", "http");
  End::field(block, ":authority", "h");
  End::field(block, ":path", path);
  if (call) End::field(block, "content-type", "application/grpc");
  if (expects) End::field(block, "expect", "100-continue");
  if (body && sized) End::field(block, "content-length", "40");
  client.headers(client.last, block, !body);
}

void Run::service_says(End& service) {
  auto what = choices_.byte();
  static constexpr std::string_view kStatus[] = {"200", "200", "200", "204", "404", "503", "103", "100"};
  auto status = kStatus[what & 7];
  bool sized = what & 8, call = what & 16, alone = what & 32;
  if (!service.h2) {
    auto text = "HTTP/1." + std::string(what & 64 ? "0" : "1") + " " + std::string(status) + " Some\r\nX-Kept: 1\r\n";
    if (call) text += "Content-Type: application/grpc\r\n";
    if (what & 128)
      text += "Connection: close\r\n";
    else if (status[0] != '1')
      text += sized ? "Content-Length: 40\r\n" : alone ? "Content-Length: 0\r\n" : "Transfer-Encoding: chunked\r\n";
    return service.say(text + "\r\n");
  }
  std::string block;
  End::field(block, ":status", status);
  End::field(block, "x-kept", "1");
  if (call) End::field(block, "content-type", "application/grpc");
  if (call && alone) End::field(block, "grpc-status", "14");
  if (sized) End::field(block, "content-length", "40");
  if (service.last) service.headers(service.last, block, alone && status[0] != '1');
}

// What both may do.
void Run::either(End& end, unsigned what) {
  auto stream = end.last;
  char letter = end.h2 ? end.streams[stream] : end.letter;
  if (end.client) letter = static_cast<char>(letter & ~0x20);
  bool last = what & 8;
  std::string out;
  switch (what & 7) {
    case 0:
    case 1: {  // a piece of a body, small or large
      static constexpr std::array<std::size_t, 8> kSizes{1, 4, 20, 40, 40, 500, 5000, 40000};
      auto form = choices_.byte();
      std::string bytes(kSizes[form & 7], letter ? letter : '.');
      if (form & 8) bytes = std::string("\0\0\0\0\4", 5) + bytes;
      if (end.h2) return stream ? end.data(stream, bytes, last) : void();
      if (form & 16) return end.say(bytes);
      std::array<char, 16> size;
      std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
      return end.say(size.data() + bytes + "\r\n" + (last ? "0\r\n\r\n" : ""));
    }
    case 2: {  // trailers
      if (!end.h2) return end.say("0\r\nX-After: 1\r\n\r\n");
      End::field(out, "grpc-status", last ? "0" : "13");
      return stream ? end.headers(stream, out, true) : void();
    }
    case 3:  // the other leaves it more room, or it takes nothing for a while
      end.reads = !end.reads || last;
      if (!end.h2) return;
      proxy::h2_append(out, H2Type::window_update, last ? stream : 0, 1 + choices_.byte() * 100);
      return end.say(out);
    case 4:
      if (!end.h2 || !stream) return;
      proxy::h2_append(out, H2Type::rst_stream, stream, choices_.byte() % 14);
      return end.say(out);
    case 5:
      if (!end.h2 && end.client) {  // the next request, which waits for this one
        if (end.letter) end.say(std::string("GET /") + end.letter + " HTTP/1.1\r\n\r\n");
        return;
      }
      if (!end.h2) return;
      proxy::h2_append_goaway(out, last ? 0x7fffffff : stream, choices_.byte() % 14, "");
      return end.say(out);
    case 6:  // whatever it is
      end.raw = true;
      for (auto* ends : {&clients_, &services_})
        for (auto& one : *ends) one->raw = true;
      return end.say(choices_.bytes(1 + choices_.byte() % 40));
    default:  // it leaves
      if (choices_.byte() % 4 == 0) return end.leaves(last);
      if (end.fd >= 0 && last) ::shutdown(end.fd, SHUT_WR);
      return;
  }
}

void Run::happens() {
  auto what = choices_.byte();
  auto who = what >> 4 & 3;
  auto* service = services_.empty() ? nullptr : services_[services_.size() - 1 - (who & 1) % services_.size()].get();
  switch (what & 15) {
    case 0:
    case 1:
      return client_says(*clients_[who & 1]);
    case 2:
    case 3:
    case 4:
      return service ? service_says(*service) : void();
    case 5:
    case 6:
    case 7:
    case 8:
      return either(*clients_[who & 1], choices_.byte());
    case 9:
    case 10:
    case 11:
    case 12:
      return service ? either(*service, choices_.byte()) : void();
    case 13:
    case 14:  // what a fault makes the client wait for is over
      if (auto due = loop_.client_timer()) loop_.clock_moved(*due + 1);
      return;
    default:
      clock_.advance((1 + what) * kSecond / 16);
      who == 3 ? proxy_->drain() : proxy_->sweep();
      return;
  }
}

void Run::converse() {
  begin();
  rest();
  for (int events = 0; choices_.any() && events < 200; events++) {
    happens();
    rest();
  }
  clients_.clear();
  rest();
  services_.clear();
  rest();
  proxy_.reset();
  for (auto id : heads_)
    if (told_[id] != 2) wrong("an exchange was not ended for the director and the recorder, each once");
  for (auto& [id, what] : seen_)
    if (what[0] != 1) wrong("an exchange without its head");
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices choices{data, data + size};
  Run(choices).converse();
  return 0;
}
