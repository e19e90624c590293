// What a loop tries that it has got in the same turn, or makes of its turn: no retry. What stays the same is one.
#include <gtest/gtest.h>

#include "scan/scan.h"

namespace retrial::scan {
namespace {

std::size_t places(const char* file, std::string_view text) {
  return scan_text(*language_of(file), text).locations.size();
}

TEST(Given, a_host_that_is_put_into_a_text_is_another_each_turn) {
  EXPECT_EQ(places("a.py", R"(
def alive(hosts):
    for host in hosts:
        try:
            return requests.get(f"https://{host}/status", timeout=3)
        except requests.RequestException:
            continue
)"),
            0u);
  EXPECT_EQ(places("a.rs", R"(
async fn any(mirrors: &[String]) -> Option<Response> {
    for mirror in mirrors {
        match get(&format!("{mirror}/status")).await {
            Ok(res) => return Some(res),
            Err(e) => warn!("{e}"),
        }
    }
    None
}
)"),
            0u);
  EXPECT_EQ(places("a.py", R"(
def alive(host):
    for attempt in range(3):
        try:
            return requests.get(f"https://{host}/status", timeout=3)
        except requests.RequestException:
            time.sleep(1)
)"),
            1u);
}

TEST(Given, what_somebody_types_is_another_each_turn) {
  EXPECT_EQ(places("a.py", R"(
def unlock(check):
    while True:
        word = getpass.getpass("Passphrase: ")
        try:
            return check(word)
        except ValueError as exc:
            print(exc)
)"),
            0u);
  EXPECT_EQ(places("a.ts", R"(
async function port(rl: Interface) {
  for (;;) {
    const answer = await rl.question('Port? ');
    try {
      return parsePort(answer);
    } catch (e) {
      console.log(e);
    }
  }
}
)"),
            0u);
  EXPECT_EQ(places("a.go", R"(package a
func count(in io.Reader) (int, error) {
	sc := bufio.NewScanner(in)
	for {
		if !sc.Scan() {
			return 0, io.EOF
		}
		n, err := strconv.Atoi(strings.TrimSpace(sc.Text()))
		if err != nil {
			continue
		}
		return n, nil
	}
}
)"),
            0u);
}

TEST(Given, a_job_that_is_taken_each_turn_is_told_where_it_is_put_back_alone) {
  auto found = scan_text(*language_of("a.py"), R"(
async def drain(queue, http):
    while True:
        job = await queue.get()
        try:
            await http.put(job.url, data=job.body)
        except ClientError:
            if job.attempts < 3:
                job.attempts += 1
                await asyncio.sleep(job.attempts)
                await queue.put(job)
)")
                   .locations;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].shape, Shape::queue);
}

TEST(Given, what_is_put_back_at_once_comes_again) {
  EXPECT_EQ(places("a.py", R"(
async def select(self):
    while True:
        server = self.pool.pop(0)
        self.pool.append(server)
        try:
            await self.transport.connect(server.uri)
            break
        except Exception as e:
            await self.error_cb(e)
            continue
)"),
            1u);
}

TEST(Given, a_number_of_things_is_no_status) {
  EXPECT_EQ(places("a.py", R"(
async def guilds(strategy, limit):
    while True:
        data, state, limit = await strategy(limit)
        count = 0
        for count, raw in enumerate(data, 1):
            yield Guild(raw)
        if count < 200:
            break
)"),
            0u);
}

TEST(Given, a_wait_for_what_was_begun_before_is_no_retry) {
  EXPECT_EQ(places("a.py", R"(
def beat(ws, loop):
    f = asyncio.run_coroutine_threadsafe(ws.send(), loop=loop)
    total = 0
    while True:
        try:
            f.result(10)
            break
        except concurrent.futures.TimeoutError:
            total += 10
            warn(total)
)"),
            0u);
}

TEST(Given, an_apostrophe_in_a_comment_begins_no_text) {
  EXPECT_EQ(places("a.py", R"(
def play(self):
    while not self.end.is_set():
        if not self.resumed.is_set():
            self.silence()
            # wait until we aren't
            self.resumed.wait()
            continue
        data = self.source.read()
        if not data:
            break
        log.debug('retry later, attempts are over')
        self.send(data)
)"),
            0u);
}

}  // namespace
}  // namespace retrial::scan
