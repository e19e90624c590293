#pragma once
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "proxy/net/address.h"
#include "proxy/server/log.h"

namespace retrial::test {

// A client that blocks, for a server whose loops are threads of their own. Everything waits 20 s at most.
class Client {
 public:
  explicit Client(const proxy::Address& to);
  explicit Client(int fd);
  ~Client();
  Client(Client&& other) noexcept;

  void say(std::string_view bytes);
  std::string hears_answer();  // a head, and the body that its Content-Length tells
  bool hears_end();            // FIN or RST, and no byte before it
  std::string get(std::string_view path, std::string_view more = "");  // says a GET, and hears its answer
  bool connected() const { return fd_ >= 0; }
  proxy::Address own() const;

 private:
  int fd_;
  std::string rest_;
};

// A service with a thread for each connection. Answers every request (without a body) with 200 and what `answers` makes
// of its head.
class Origin {
 public:
  explicit Origin(std::string name, proxy::Address at = proxy::Address::v4(0x7f000001, 0));
  ~Origin();
  Origin(const Origin&) = delete;

  const proxy::Address& at() const { return at_; }
  int requests() const { return requests_; }
  int connections() const { return connections_; }
  void hold();     // answers wait
  void release();  // and go on

 private:
  void serve(int fd);

  std::string name_;
  int listener_;
  proxy::Address at_;
  std::atomic<int> requests_{0}, connections_{0};
  std::mutex holding_;
  std::mutex mutex_;
  std::vector<int> open_;
  std::vector<std::thread> threads_;
  std::thread accepting_;
};

// Keeps what was logged.
class KeptLog final : public proxy::Log {
 public:
  void say(Level level, std::string_view line) override;
  std::vector<std::string> lines() const;
  int count(std::string_view part) const;  // lines that hold it

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace retrial::test
