#include "campaign/workload/slot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "campaign/workload/namespaces.h"
#include "campaign/workload/private_writes.h"
#include "campaign/workload/services.h"
#include "proxy/capture/command.h"
#include "proxy/capture/processes.h"

namespace retrial::campaign {
namespace {

namespace fs = std::filesystem;

using Json = nlohmann::json;
using Lines = std::vector<std::string>;

constexpr std::size_t kLongest = 64u << 10;  // of a packet

// One packet, and where it is to be answered (-1: nowhere).
bool tell(int channel, const Json& what, int answer_to = -1) {
  auto text = what.dump(-1, ' ', false, Json::error_handler_t::replace);
  iovec part{text.data(), text.size()};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr packet{.msg_iov = &part, .msg_iovlen = 1};
  if (answer_to >= 0) {
    packet.msg_control = room;
    packet.msg_controllen = sizeof room;
    auto* head = CMSG_FIRSTHDR(&packet);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &answer_to, sizeof(int));
  }
  return sendmsg(channel, &packet, MSG_NOSIGNAL) >= 0;
}

// Nothing: the other side is gone, or (EINTR) a signal came.
Json hear(int channel, int* answer_to = nullptr) {
  std::string text(kLongest, 0);
  iovec part{text.data(), text.size()};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr packet{.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  auto n = recvmsg(channel, &packet, MSG_CMSG_CLOEXEC);
  if (auto* head = n > 0 ? CMSG_FIRSTHDR(&packet) : nullptr; head && answer_to)
    std::memcpy(answer_to, CMSG_DATA(head), sizeof(int));
  return n > 0 ? Json::parse(text.data(), text.data() + n, nullptr, false) : Json();
}

Json answer(const Result<Lines>& result) {
  if (result) return {{"lines", *result}};
  auto& e = result.error();
  return {{"what", e.what}, {"on", e.on}, {"blame", static_cast<int>(e.blame)}};
}

Result<Lines> answered(const Json& reply) {
  if (!reply.is_object()) return fail("the process that keeps the services has ended");
  if (reply.contains("what"))
    return std::unexpected(Error{reply["what"], reply["on"], static_cast<Blame>(reply["blame"].get<int>())});
  return reply["lines"].get<Lines>();
}

Result<Lines> done(Services& services, const Json& question) {
  auto what = question["do"].get<std::string>();
  if (what == "prepare") {
    if (auto ok = services.prepare(); !ok) return std::unexpected(ok.error());
    return services.remarks();
  }
  if (what == "lost") return services.lost();
  if (what == "written") return services.written(question["of"].get<Lines>());
  if (what == "end") {
    if (auto ok = services.end(); !ok) return std::unexpected(ok.error());
    return Lines();
  }
  return services.strangers(question["of"].get<Lines>());
}

void remove_layer(const fs::path& layer) {
  std::error_code left;
  if (layer.empty()) return;
  fs::permissions(layer / "work" / "work", fs::perms::owner_all, left);
  fs::remove_all(layer, left);
}

// No signal but SIGKILL meets it: what ends it is the end of the channel, which comes with our own.
[[noreturn]] void keep(const std::vector<Service>& services, const Slot::Where& where, int channel) {
  auto campaign = getppid();
  prctl(PR_SET_NAME, "retrial-services");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  setpgid(0, 0);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  if (int nothing = open("/dev/null", O_RDWR | O_CLOEXEC); nothing >= 0)
    for (int fd : {0, 1, 2}) dup2(nothing, fd);
  proxy::capture::close_all_but({0, 1, 2, channel});
  auto there = where.number > 0 ? leave_namespaces() : Result<void>();
  if (there && !where.layer.empty()) there = keep_writes(where.layer, where.logs.parent_path());
  tell(channel, there ? answer(Lines()) : answer(std::unexpected(there.error())));
  if (there) {
    Services kept(services, where.logs, where.number);
    kept.give_up_when([channel] {
      pollfd end{channel, POLLRDHUP, 0};
      return poll(&end, 1, 0) > 0 && (end.revents & (POLLHUP | POLLRDHUP));
    });
    int answer_to = -1;
    for (Json question; !(question = hear(channel, &answer_to)).is_null(); close(answer_to))
      tell(answer_to, answer(done(kept, question)));
  }
  proxy::capture::end_children(0, nullptr, nullptr);  // daemons that a service has left
  remove_layer(where.layer);
  std::error_code left;
  if (getppid() != campaign) fs::remove(where.layer.parent_path(), left);  // it was killed: nobody else does that
  _exit(0);
}

}  // namespace

Result<std::unique_ptr<Slot>> Slot::open(const std::vector<Service>& services, Where where) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return fail_errno("a place for runs cannot be made", errno, "socketpair");
  auto pid = fork();
  if (pid == 0) keep(services, where, ends[1]);
  auto why = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return fail_errno("a place for runs cannot be made", why, "fork");
  }
  std::unique_ptr<Slot> slot(new Slot(std::move(where), pid, ends[0]));
  if (auto there = answered(hear(ends[0])); !there) return std::unexpected(there.error());
  return slot;
}

Slot::~Slot() {
  end_soon();
  while (waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
  }
  close(channel_);
}

void Slot::end_soon() { shutdown(channel_, SHUT_RDWR); }

Result<Lines> Slot::ask(const std::string& what, const std::set<std::string>& of) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return fail_errno("the process that keeps the services cannot be asked", errno);
  bool asked = tell(channel_, {{"do", what}, {"of", of}}, ends[1]);
  close(ends[1]);
  pollfd answer{ends[0], POLLIN, 0};
  bool interrupted = asked && poll(&answer, 1, -1) < 0 && errno == EINTR;  // recv may be begun again, poll is not
  auto reply = asked && !interrupted ? hear(ends[0]) : Json();
  interrupted = interrupted || (asked && reply.is_null() && errno == EINTR);
  close(ends[0]);
  return interrupted ? fail(kInterrupted) : answered(reply);
}

Result<void> Slot::enter() const { return apart() ? enter_namespaces_of(keeper_) : Result<void>(); }

Result<void> Slot::prepare() {
  auto remarks = ask("prepare");
  if (!remarks) return std::unexpected(remarks.error());
  remarks_ = std::move(*remarks);
  return {};
}

Result<void> Slot::end() {
  auto ended = ask("end");
  return ended ? Result<void>() : std::unexpected(ended.error());
}

Result<std::string> Slot::lost() {
  auto lines = ask("lost");
  if (!lines) return std::unexpected(lines.error());
  return fmt::format("{}", fmt::join(*lines, "; "));
}

Result<Lines> Slot::strangers(const std::set<std::string>& addresses) { return ask("strangers", addresses); }

Result<Lines> Slot::written(const std::set<std::string>& apart) { return ask("written", apart); }

Slots::Slots(const std::vector<Service>& services, fs::path logs) : services_(services), logs_(std::move(logs)) {}

Slots::~Slots() {
  end();
  remove_layers();
  std::error_code left;
  if (!lost_data_) fs::remove_all(logs_.parent_path() / "data", left);
}

void Slots::end() {
  for (auto& slot : slots_) {
    if (apart_)
      slot->end_soon();
    else if (auto ended = slot->end(); !ended) {
      lost_data_ = true;
      remarks_.push_back(ended.error().line());
    }
  }
  slots_.clear();
}

void Slots::make_layers() {
  auto name = (fs::temp_directory_path() / "retrial-layers-XXXXXX").string();
  if (mkdtemp(name.data())) layers_ = name;
}

void Slots::remove_layers() {
  if (layers_.empty()) return;
  std::error_code left;
  for (auto& folder : fs::directory_iterator(layers_, left)) remove_layer(folder.path());
  fs::remove(layers_, left);
  layers_.clear();
}

bool Slots::starts_services() const {
  return std::ranges::any_of(services_, [](auto& s) { return s.start.has_value(); });
}

Slot::Where Slots::place(int number) const {
  Slot::Where where{logs_, number};
  if (number == 0 || layers_.empty()) return where;
  where.layer = layers_ / std::to_string(number);
  std::error_code error;
  fs::create_directory(where.layer, error);
  return where;
}

Result<Slot*> Slots::at(int n) {
  auto index = apart_ ? static_cast<std::size_t>(n) : 0;
  while (slots_.size() <= index) {
    auto slot = Slot::open(services_, place(apart_ ? static_cast<int>(slots_.size()) + 1 : 0));
    if (!slot) return std::unexpected(slot.error());
    slots_.push_back(std::move(*slot));
  }
  return slots_[index].get();
}

Result<void> Slots::start() {
  auto first = at(0);
  if (!first) return std::unexpected(first.error());
  auto ready = (*first)->prepare();
  remarks_ = (*first)->remarks();
  return ready;
}

Result<void> Slots::go_apart(const std::set<std::string>& reached) {
  auto first = at(0);
  if (!first) return std::unexpected(first.error());
  auto strangers = (*first)->strangers(reached);
  if (!strangers) return std::unexpected(strangers.error());
  if (!strangers->empty())
    return fail(fmt::format("{} answers also while no test runs, and was not started by Retrial: there is one for all",
                            fmt::join(*strangers, ", ")));
  remove_layers();
  if (starts_services()) make_layers();
  auto tried = Slot::open({}, place(1));
  std::string no_layers;  // why not
  if (!tried && !layers_.empty()) {
    no_layers = fmt::format(" ({})", tried.error().line());
    remove_layers();
    tried = Slot::open({}, place(1));
  }
  if (!tried) return std::unexpected(tried.error());
  tried->reset();  // two mounts of one layer would spoil it
  auto written = (*first)->written(layers_.empty() ? std::set<std::string>() : std::set{fs::current_path().string()});
  if (!written) return std::unexpected(written.error());
  if (!written->empty())
    return fail(fmt::format("{}: each start of it would write to this file; `data` gives each a folder of its own{}",
                            written->front(), no_layers));
  end();  // what it went on writing to the working directory would show through every layer
  apart_ = true;
  return {};
}

void Slots::come_back() {
  end();
  remove_layers();
  apart_ = false;
}

}  // namespace retrial::campaign
