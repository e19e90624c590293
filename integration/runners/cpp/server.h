// A shop within the test's process: it answers 201 to a POST and 200 to all else.
#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

class Server {
 public:
  Server() : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    bind(listener_, reinterpret_cast<sockaddr*>(&at), size);
    listen(listener_, 64);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size);
    port = ntohs(at.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~Server() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  int port = 0;

 private:
  void serve() {
    for (int fd; (fd = accept(listener_, nullptr, nullptr)) >= 0; close(fd)) {
      std::string request;
      char some[4096];
      for (ssize_t n; !whole(request) && (n = recv(fd, some, sizeof some, 0)) > 0;)
        request.append(some, static_cast<std::size_t>(n));
      std::string answer = request.compare(0, 4, "POST") == 0 ? "HTTP/1.1 201 Created" : "HTTP/1.1 200 OK";
      answer += "\r\nContent-Length: 2\r\nConnection: close\r\n\r\n12";
      send(fd, answer.data(), answer.size(), MSG_NOSIGNAL);
    }
  }
  static bool whole(const std::string& request) {
    auto end = request.find("\r\n\r\n"), length = request.find("Content-Length: ");
    if (end == request.npos) return false;
    return length == request.npos || request.size() >= end + 4 + std::stoul(request.substr(length + 16));
  }

  int listener_;
  std::thread thread_;
};
