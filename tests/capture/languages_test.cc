#include <gtest/gtest.h>
#include <sys/wait.h>

#include <filesystem>

#include "client.h"
#include "harness.h"

namespace retrial::test {
using proxy::Way;
namespace {
bool there(const std::string& program) {
  const auto run = run_native({"/bin/sh", "-c", "command -v " + program});
  return WIFEXITED(run.status) && WEXITSTATUS(run.status) == 0;
}

// Runs a client with the arguments "127.0.0.1:PORT", "[::1]:PORT", "127.0.0.1:CLOSED PORT": its output is the same as
// natively, and every connect of the tree to a service is one that was seen.
void expect_as_natively(std::vector<std::string> argv) {
  const Service service, six("[::1]");
  argv.insert(argv.end(), {service.address().show(), six.address().show(), "127.0.0.1:" + closed_port()});
  const auto native = run_native(argv);
  ASSERT_NE(native.output.find("50 answered"), std::string::npos) << native.output;
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    const auto run = run_captured(way, argv);
    EXPECT_EQ(run.output, native.output);
    EXPECT_EQ(run.status, native.status);
    EXPECT_EQ(run.counts.seen, 52u);
    EXPECT_EQ(run.counts.failed, 1u);
    EXPECT_EQ(run.counts.unreadable, 0u);
  }
  EXPECT_EQ(service.accepted() + six.accepted(), static_cast<int>(1 + ways().size()) * 52);
}

TEST(Languages, a_static_go_program_is_captured) {
  if (!there("go")) GTEST_SKIP() << "there is no go on PATH";
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "capture_test_go_client";
  const std::string source = std::string(RETRIAL_SOURCE_DIR) + "/tests/capture/client.go";
  const auto build = run_native(
      {"/bin/sh", "-c",
       "CGO_ENABLED=0 GOFLAGS=-mod=mod GO111MODULE=off go build -o '" + program.string() + "' '" + source + "' 2>&1"});
  ASSERT_EQ(build.status, 0) << build.output;
  expect_as_natively({program.string()});
}

TEST(Languages, python_is_captured_with_threads_and_asyncio) {
  if (!there("python3")) GTEST_SKIP() << "there is no python3 on PATH";
  expect_as_natively({"python3", "-c", R"(
import asyncio, socket, sys
from concurrent.futures import ThreadPoolExecutor

def split(address):
    host, port = address.rsplit(':', 1)
    return host.strip('[]'), int(port)

def ask(address):
    try:
        with socket.create_connection(address) as s:
            if s.getpeername()[:2] != address: return 'the peer is %r' % (s.getpeername(),)
            s.sendall(b'hi\n')
            return s.makefile().read().strip()
    except OSError as e:
        return repr(e)

async def ask_later(address):
    r, w = await asyncio.open_connection(*address)
    if w.get_extra_info('peername')[:2] != address: return 'the peer is %r' % (w.get_extra_info('peername'),)
    w.write(b'hi\n')
    answer = (await r.read()).decode().strip()
    w.close()
    return answer

async def many():
    return await asyncio.gather(*[ask_later(v4) for _ in range(25)])

v4, v6, closed = map(split, sys.argv[1:4])
print(ask(v4)); print(ask(v6)); print(ask(closed))
with ThreadPoolExecutor(25) as pool:
    answers = list(pool.map(ask, [v4] * 25)) + asyncio.run(many())
print(sum(a == 'hello 127.0.0.1' for a in answers), 'answered')
)"});
}

TEST(Languages, node_is_captured) {
  if (!there("node")) GTEST_SKIP() << "there is no node on PATH";
  expect_as_natively({"node", "-e", R"(
const net = require('net')
const ask = address => new Promise(done => {
  const at = address.lastIndexOf(':'), host = address.slice(0, at).replace(/[\[\]]/g, ''), port = +address.slice(at + 1)
  let answer = ''
  const s = net.connect(port, host, () => {
    if (s.remoteAddress !== host || s.remotePort !== port) answer = `the peer is ${s.remoteAddress} ${s.remotePort}`
    s.write('hi\n')
  })
  s.on('data', d => answer += d).on('end', () => done(answer.trim())).on('error', e => done(e.message))
})
const [v4, v6, closed] = process.argv.slice(1)
;(async () => {
  console.log(await ask(v4)); console.log(await ask(v6)); console.log(await ask(closed))
  const answers = await Promise.all(Array.from({length: 50}, () => ask(v4)))
  console.log(answers.filter(a => a === 'hello 127.0.0.1').length, 'answered')
})()
)"});
}
}  // namespace
}  // namespace retrial::test
