#pragma once
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "proxy/admin/admin_server.h"

namespace retrial::proxy::admin {

namespace asio = boost::asio;
using Socket = asio::generic::stream_protocol::socket;

// A connection of an operator. Like all here, of the admin side's own thread.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual void tell(const std::shared_ptr<const std::string>& event) = 0;  // of a feed
  virtual void close() = 0;  // it goes once what is under way on it has heard of that
};

// All that are open, and who gives way where no more may be: of those that wait for their client (for a head, a body,
// an answer to be taken), which costs him nothing, the one that has waited for longest; never one whose request is
// being answered. Feeds wait for nobody: they are counted apart, and the oldest gives way.
struct Connections {
  Connections(AdminServer::Settings said, AdminServer::Handle asked, Log& to)
      : settings(std::move(said)), handle(std::move(asked)), log(to) {}
  bool has_room() const { return open < AdminServer::kMostConnections || !waiting.empty(); }
  void make_room();  // has_room()

  void waits(Connection* one);  // for its client, from now on
  void is_answered(Connection* one) { waiting.remove(one); }
  void feeds_on(Connection* one);
  void left(Connection* one);  // is closed

  AdminServer::Settings settings;
  AdminServer::Handle handle;
  Log& log;
  asio::io_context io{1};
  std::optional<asio::ssl::context> tls;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work{asio::make_work_guard(io)};
  std::list<Connection*> all, waiting, feeds;  // the oldest first
  std::size_t open = 0;                        // beside feeds, and those that have been closed
  std::atomic<bool> watched{false};            // are there feeds?
  std::function<void()> freed;                 // has_room() may be true again
};

void begin(std::shared_ptr<Connections> connections, Socket socket, std::string who);

}  // namespace retrial::proxy::admin
