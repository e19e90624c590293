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
  EXPECT_EQ(places("a.py", R"(
def port(ask=input):
    while True:
        try:
            return int(ask("port: "))
        except ValueError:
            print("a number, please")
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

TEST(Given, a_name_that_steps_on_where_it_failed_is_another_each_turn) {
  auto slug = [](std::string_view set) {
    return places("a.py",
                  "def slug(db, base):\n    n = 0\n    while True:\n        name = f\"{base}-{n}\"\n        try:\n"
                  "            db.insert(name)\n            return name\n        except IntegrityError:\n"
                  "            " +
                      std::string(set) + "\n");
  };
  EXPECT_EQ(slug("n += 1"), 0u);
  EXPECT_EQ(slug("m += 1"), 1u);
  EXPECT_EQ(places("a.go", R"(package a
func next(dir string) (*os.File, error) {
	for n := 0; ; n++ {
		f, err := os.Create(fmt.Sprintf("%s/%d", dir, n))
		if err != nil {
			continue
		}
		return f, nil
	}
}
)"),
            0u);
  EXPECT_EQ(places("a.py", R"(
def first_bad(commits, test):
    low, high = 0, len(commits) - 1
    while low < high:
        mid = (low + high) // 2
        try:
            subprocess.run([test, commits[mid]], check=True)
            low = mid + 1
        except subprocess.CalledProcessError:
            high = mid
    return commits[low]
)"),
            0u);
}

TEST(Given, a_host_that_comes_round_and_a_time_that_grows_are_no_other_thing) {
  for (auto counted : {"if n > 5:\n                raise", "time.sleep(2 ** n)"})
    EXPECT_EQ(places("a.py",
                     "def put(url, body):\n    n = 0\n    while True:\n        try:\n            return "
                     "post(url, body, n)\n        except ConnectionError:\n            n += 1\n            " +
                         std::string(counted) + "\n"),
              1u)
        << counted;
  EXPECT_EQ(places("a.py", R"(
def ask(self, path):
    while True:
        try:
            return requests.get(self.hosts[self.n % len(self.hosts)] + path)
        except requests.ConnectionError:
            self.n += 1
            time.sleep(1)
)"),
            1u);
  EXPECT_EQ(places("a.py", R"(
def ask(url, timeout):
    while True:
        try:
            return requests.get(url, timeout=timeout)
        except requests.Timeout:
            timeout += 5
)"),
            1u);
  EXPECT_EQ(places("a.go", R"(package a
func send(f func(int) error) (err error) {
	for i := 0; ; i++ {
		if err = f(i); err == nil {
			return nil
		}
		if i >= 5 {
			break
		}
		time.Sleep(time.Second)
	}
	return err
}
)"),
            1u);
  EXPECT_EQ(places("a.go", R"(package a
func send(url string) {
	for attempt := 0; ; attempt++ {
		if err := post(url, attempt); err == nil {
			return
		}
	}
}
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

TEST(Given, a_request_by_a_client_that_was_made_before_is_tried_again) {
  for (auto wait : {"session.get(path, timeout=3)", "session.get(path)"})
    EXPECT_EQ(places("a.py", R"(
class Catalog:
    def __init__(self, session):
        self.session = session
    def get(self, path):
        for n in range(4):
            try:
                return self.)" + std::string(wait) +
                                 R"(
            except requests.Timeout:
                time.sleep(2 ** n)
        raise Gone(path)
)"),
              1u)
        << wait;
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
