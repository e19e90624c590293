// Leaves before the clients themselves, each of which has its own idea of a good certificate: over TLS on loopback.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "certs/leaf_store.h"
#include "tests/support/folder.h"

namespace retrial::certs {
namespace {

using test::Folder;

// Answers one HTTP request a connection, with the leaf for the name that the client asked for.
class Server {
 public:
  Server(LeafStore& leaves, Flaw flaw) : leaves_(leaves), flaw_(flaw) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
    listen(listener_, 16);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port = ntohs(address.sin_port);
    thread_ = std::thread([this] {
      for (int fd; (fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0; close(fd)) serve(fd);
    });
  }
  ~Server() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  int port = 0;

 private:
  void serve(int fd) {
    auto* context = SSL_CTX_new(TLS_server_method());
    SSL_CTX_set_cert_cb(
        context,
        [](SSL* ssl, void* self) {
          auto* name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
          auto* server = static_cast<Server*>(self);
          auto leaf = server->leaves_.leaf(name ? name : "127.0.0.1", server->flaw_);
          return leaf && SSL_use_certificate(ssl, leaf->certificate.get()) == 1 &&
                         SSL_use_PrivateKey(ssl, leaf->key.get()) == 1
                     ? 1
                     : 0;
        },
        this);
    auto* ssl = SSL_new(context);
    SSL_set_fd(ssl, fd);
    SSL_set_accept_state(ssl);
    std::string request;
    char buffer[4096];
    for (int got; request.find("\r\n\r\n") == request.npos; request.append(buffer, static_cast<std::size_t>(got)))
      if ((got = SSL_read(ssl, buffer, sizeof buffer)) <= 0) break;
    std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello\n";
    if (request.find("\r\n\r\n") != request.npos) SSL_write(ssl, answer.data(), static_cast<int>(answer.size()));
    SSL_shutdown(ssl);
    SSL_free(ssl);
    SSL_CTX_free(context);
  }

  LeafStore& leaves_;
  Flaw flaw_;
  int listener_;
  std::thread thread_;
};

std::string shell(const std::string& command) {
  std::string out;
  auto* pipe = popen((command + " 2>&1").c_str(), "r");
  char buffer[4096];
  for (std::size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, got);
  pclose(pipe);
  return out;
}

// Runs `command`, which gets https://$1/ with the roots in the PEM file $2 (Java: $3, a trust store): "hello" for the
// name and for the address, and nothing once the leaf is flawed.
void expect_strict(const std::string& program, const std::string& command) {
  std::signal(SIGPIPE, SIG_IGN);  // a client that refuses leaves in the middle
  if (std::system(("command -v " + program + " >/dev/null").c_str()) != 0)
    GTEST_SKIP() << "there is no " << program << " on PATH";
  SystemClock clock;  // the clients have no other
  LeafStore leaves(Authority::make(clock).value(), clock);
  Folder folder;
  auto pem = folder.write("ca.pem", leaves.authority().pem()).string();
  auto store = folder.write("trust.p12", leaves.authority().pkcs12("").value()).string();
  auto script = folder.write("client.sh", command).string();
  auto ask = [&](const std::string& host, int port) {
    return shell("env -u NODE_OPTIONS -u NODE_EXTRA_CA_CERTS -u SSL_CERT_FILE -u SSL_CERT_DIR -u CURL_CA_BUNDLE sh '" +
                 script + "' " + host + ":" + std::to_string(port) + " '" + pem + "' '" + store + "' '" +
                 folder.path().string() + "'");
  };
  {
    Server server(leaves, Flaw::none);
    EXPECT_EQ(ask("localhost", server.port), "hello\n");
    EXPECT_EQ(ask("127.0.0.1", server.port), "hello\n");
  }
  for (auto flaw : {Flaw::expired, Flaw::wrong_name}) {
    Server server(leaves, flaw);
    EXPECT_EQ(ask("localhost", server.port).find("hello\n"), std::string::npos);
  }
}

TEST(LeavesBefore, curl) { expect_strict("curl", "curl -sS --noproxy '*' --cacert \"$2\" \"https://$1/\"\n"); }

TEST(LeavesBefore, python_with_strict_verification) {
  expect_strict("python3", R"(python3 -I -c '
import http.client, ssl, sys
context = ssl.create_default_context(cafile=sys.argv[2])
context.verify_flags |= ssl.VERIFY_X509_STRICT
c = http.client.HTTPSConnection(sys.argv[1], context=context)
c.request("GET", "/")
print(c.getresponse().read().decode(), end="")
' "$@"
)");
}

TEST(LeavesBefore, node) {
  expect_strict("node", R"(NODE_EXTRA_CA_CERTS="$2" node -e '
require("https").get("https://" + process.argv[1] + "/", r => r.pipe(process.stdout)).on("error", e => console.log(e))
' "$@"
)");
}

TEST(LeavesBefore, java) {
  expect_strict("java", R"(cat > "$4/Get.java" <<'END'
public class Get {
  public static void main(String[] a) throws Exception {
    System.out.write(new java.net.URL("https://" + a[0] + "/").openStream().readAllBytes());
    System.out.flush();
  }
}
END
unset JAVA_TOOL_OPTIONS
java -Djavax.net.ssl.trustStoreType=PKCS12 "-Djavax.net.ssl.trustStore=$3" "$4/Get.java" "$1"
)");
}

TEST(LeavesBefore, go) {
  expect_strict("go", R"(cat > "$4/get.go" <<'END'
package main

import ("io"; "net/http"; "os")

func main() {
	answer, err := http.Get("https://" + os.Args[1] + "/")
	if err != nil {
		panic(err)
	}
	io.Copy(os.Stdout, answer.Body)
}
END
SSL_CERT_FILE="$2" SSL_CERT_DIR=/nowhere GO111MODULE=off go run "$4/get.go" "$1"
)");
}

}  // namespace
}  // namespace retrial::certs
