"""Programs of machine code: where their requests come from is read from their debug information, whatever way a head leaves by, and the
service sees what it would have seen."""
import re
import shutil
import subprocess

import pytest

from conftest import Answering, retrial, serving

pytestmark = pytest.mark.skipif(not (shutil.which("g++") and shutil.which("addr2line")), reason="there is no g++ or no addr2line here")

CLIENT = r"""
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <string>

static int dial(int port) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET, to.sin_port = htons(port), to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, (sockaddr*)&to, sizeof to)) exit(3);
  return fd;
}
static void answered(int fd) {
  char some[4096];
  std::string all;
  for (ssize_t n; (n = recv(fd, some, sizeof some, 0)) > 0;) all.append(some, n);
  if (all.compare(0, 12, "HTTP/1.1 200")) { fprintf(stderr, "answered: %s\n", all.c_str()); exit(4); }
  close(fd);
}
static std::string head(const char* way, size_t length, const std::string& more = "") {
  return "POST /" + std::string(way) + " HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n" + more + "Content-Length: " + std::to_string(length) + "\r\n\r\n";
}
static void want(ssize_t n, size_t all) { if (n != (ssize_t)all) { fprintf(stderr, "%zd of %zu\n", n, all); exit(5); } }

void by_send(int port) { int fd = dial(port); auto text = head("send", 4) + "body"; want(send(fd, text.data(), text.size(), 0), text.size()); answered(fd); }
void by_write(int port) { int fd = dial(port); auto text = head("write", 4) + "body"; want(write(fd, text.data(), text.size()), text.size()); answered(fd); }
void by_pieces(int port) {
  int fd = dial(port);
  auto text = head("pieces", 4);
  std::string body = "body";
  iovec pieces[] = {{&text[0], 2}, {&text[2], 9}, {&text[11], text.size() - 11}, {&body[0], 4}};
  msghdr all{};
  all.msg_iov = pieces, all.msg_iovlen = 4;
  want(sendmsg(fd, &all, MSG_NOSIGNAL), text.size() + 4);
  answered(fd);
}
void by_vector(int port) {
  int fd = dial(port);
  auto text = head("vector", 4);
  std::string body = "body";
  iovec pieces[] = {{&text[0], text.size()}, {&body[0], 4}};
  want(writev(fd, pieces, 2), text.size() + 4);
  answered(fd);
}
// Of what does not block as much is told as was sent of one's own.
void by_parts(int port) {
  int fd = dial(port), little = 4096;
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &little, sizeof little);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  auto text = head("parts", 1000000) + std::string(1000000, 'x');
  for (size_t at = 0; at < text.size();) {
    ssize_t n = send(fd, &text[at], text.size() - at, MSG_NOSIGNAL);
    if (n > 0) at += n;
    else { pollfd ready = {fd, POLLOUT, 0}; poll(&ready, 1, -1); }
  }
  fcntl(fd, F_SETFL, 0);
  answered(fd);
}
// Half a first line is none, and a long head is sent as it is.
void untagged(int port) {
  int fd = dial(port);
  auto text = head("halves", 4) + "body";
  want(send(fd, text.data(), 7, 0), 7);
  want(send(fd, &text[7], text.size() - 7, 0), text.size() - 7);
  answered(fd);
  fd = dial(port);
  text = head("long", 4, "X-Long: " + std::string(5000, 'y') + "\r\n") + "body";
  want(send(fd, text.data(), text.size(), 0), text.size());
  answered(fd);
}
int main(int, char** argv) {
  int port = atoi(argv[1]);
  by_send(port), by_write(port), by_pieces(port), by_vector(port), by_parts(port), untagged(port);
}
"""


class Shop(Answering):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen[self.path] = (len(body), [name for name in self.headers if name.lower().startswith("x-retrial")])
        self.answer(b"done")


@pytest.fixture
def shop():
    with serving(Shop) as server:
        server.seen = {}
        yield server


def build(folder, *options):
    (folder / "Makefile").touch()  # a project of its own
    (folder / "client.cc").write_text(CLIENT)
    subprocess.run(["g++", *options, "client.cc", "-o", "client"], cwd=folder, check=True)
    return folder / "client"


@pytest.mark.parametrize("options", [["-O0", "-g"], ["-O2", "-g"], ["-O2", "-g", "-no-pie"]], ids=["plain", "optimized", "at a fixed place"])
def test_heads_leave_by_any_way(options, tmp_path, shop):
    program = build(tmp_path, *options)
    done = retrial("observe", "--no-reference", "--inject", "pass", "--out", tmp_path / "out", "--", program, str(shop.server_port), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert shop.seen == {f"/{way}": (4, []) for way in ("send", "write", "pieces", "vector", "halves", "long")} | {"/parts": (1000000, [])}
    at = dict(re.findall(r"POST /(\w+) at (?:client.cc:\d+ )?(\S+)", done.stderr))
    ways = {way: f"by_{way}" for way in ("send", "write", "pieces", "vector", "parts")}
    assert at == ways | {"halves": "-:", "long": "-:"}, done.stderr


def test_a_program_without_debug_information_is_told_by_operation_alone(tmp_path, shop):
    program = build(tmp_path, "-O2", "-s")
    done = retrial("doctor", "--", program, str(shop.server_port), cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "debug information" in " ".join(done.stdout.split()), done.stdout
    assert all(not tags for _, tags in shop.seen.values())
