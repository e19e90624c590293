// Ways to try again that are neither a loop nor a library's.
#include <gtest/gtest.h>

#include "scan/macros.h"
#include "scan/scan.h"

namespace retrial::scan {
namespace {

Location only(const char* file, std::string_view text) {
  auto found = scan_text(*language_of(file), text).locations;
  EXPECT_EQ(found.size(), 1u);
  return found.empty() ? Location() : found.front();
}

std::string said(const Location& at) { return word(at.bound) + " " + word(at.wait); }

TEST(Flags, that_end_a_loop_lead_back_to_nothing) {
  auto back = [](const char* file, std::string_view text) {
    auto at = only(file, text);
    std::string all = word(at.bound) + ":";
    for (auto& error : at.back) all += " " + error;
    for (auto& error : at.leaves) all += " not " + error;
    return all;
  };
  EXPECT_EQ(back("a.py", R"(
def recover(c):
  done = False
  while not done:
    try:
      connect_to(c)
      done = True
    except ConnectionError:
      time.sleep(1)
    except Exception as e:
      log(e)
      done = True
)"),
            "none: ConnectionError not Exception");
  EXPECT_EQ(back("A.java", R"(class A {
  void recover(Consumer c) {
    boolean running = true;
    while (open() && running) {
      try { connectTo(c); running = false; }
      catch (TimeoutException e) { Thread.sleep(5); }
      catch (Exception e) { warn(e); running = false; }
    }
  }
})"),
            "none: TimeoutException not Exception");
  EXPECT_EQ(back("a.js", R"(
async function recover(c) {
  let done = false;
  while (!done) {
    try { await connectTo(c); done = true; }
    catch (e) { if (attempts++ > 5) { done = true; } else { await sleep(10); } }
  }
})"),
            "count: any");
  EXPECT_EQ(back("A.java", R"(class A {
  T call(Callable<T> op, Policy p) throws Exception {
    int attempt = 0;
    boolean keepTrying = true;
    while (keepTrying) {
      try { attempt++; return op.call(); }
      catch (Exception e) {
        Duration d = p.delay(attempt);
        if (Policy.TIMEOUT.equals(d)) { keepTrying = false; }
        else { Thread.sleep(d.toMillis()); }
      }
    }
    throw last;
  }
})"),
            "elsewhere: Exception");
}

TEST(Hosts, that_are_gone_through_again_and_again_are_tried_again) {
  auto at = only("a.py", R"(
def connect(hosts):
  while True:
    for h in hosts:
      try:
        return socket.create_connection(h)
      except OSError as e:
        last = e
    time.sleep(1)
)");
  EXPECT_EQ(at.line, 3u);
  EXPECT_EQ(said(at), "none fixed");
  at = only("a.py", R"(
class T:
  def attempt_connection(self):
    n = 0
    while self.socket is None and n < self.max:
      for h in self.hosts:
        try:
          self.socket = socket.create_connection(h)
          break
        except OSError:
          n += 1
      if self.socket is None:
        time.sleep(2 ** n)
)");
  EXPECT_EQ(at.line, 5u);
  EXPECT_EQ(said(at), "count growing");
  at = only("a.go", R"(package a
func dial(hosts []string) net.Conn {
	for {
		for _, h := range hosts {
			c, err := net.Dial("tcp", h)
			if err == nil {
				return c
			}
		}
		time.Sleep(time.Second)
	}
})");
  EXPECT_EQ(at.line, 3u);
  EXPECT_EQ(said(at), "none fixed");
}

TEST(Hosts, that_are_gone_through_once_are_not_nor_what_comes_new_in_each_turn) {
  auto none = [](std::string_view text) { return scan_text(*language_of("a.py"), text).locations.empty(); };
  EXPECT_TRUE(none(R"(
def f(hosts):
  for h in hosts:
    try:
      return get(h)
    except OSError: pass
)"));
  EXPECT_TRUE(none(R"(
def f():
  while True:
    batch = source.next_batch()
    for one in batch:
      try:
        return handle(one)
      except OSError: pass
)"));
}

TEST(Interceptors, send_what_failed_once_more) {
  auto again = only("a.ts", R"(
client.interceptors.response.use(undefined, async (error: AxiosError) => {
  const config = error.config;
  if (error.response?.status === 401 && !config.__refreshed) {
    config.__refreshed = true;
    config.headers.Authorization = await refresh();
    return client(config);
  }
  throw error;
});
)");
  EXPECT_EQ(again.line, 7u);
  EXPECT_EQ(again.shape, Shape::repeat);
  EXPECT_EQ(said(again), "count none");
  EXPECT_TRUE(again.looked_at);
}

TEST(Interceptors, are_followed_by_name_and_count_and_wait) {
  auto again = only("a.js", R"(
async function failed(err) {
  const config = err.config;
  config.tried = (config.tried ?? 0) + 1;
  if (err.response.status < 500 || config.tried > 3) throw err;
  await sleep(200 * 2 ** config.tried);
  return this.http.request(config);
}
http.interceptors.response.use((r) => r, failed);
)");
  EXPECT_EQ(again.line, 7u);
  EXPECT_EQ(said(again), "count growing");
}

TEST(Interceptors, are_followed_to_where_they_hand_the_error) {
  auto again = only("a.ts", R"(
class Api {
  constructor() {
    this.client.interceptors.response.use((r) => r, (e) => this.onError(e));
  }
  private async onError(error: any) {
    const { config } = error;
    if (error.response?.status !== 401 || config._retry) {
      return Promise.reject(error);
    }
    config._retry = true;
    return this.client(config);
  }
}
)");
  EXPECT_EQ(again.line, 12u);
  EXPECT_EQ(word(again.bound), "count");
  EXPECT_EQ(again.back, std::vector<std::string>{"unless error.response?.status !== 401 || config._retry"});
}

TEST(Interceptors, that_send_something_else_are_none) {
  EXPECT_TRUE(scan_text(*language_of("a.js"), R"(
http.interceptors.response.use((r) => r, async (error) => {
  await http.post('/errors', { message: error.message });
  report(error.config);
  throw error;
});
)")
                  .locations.empty());
}

TEST(Channels, take_back_what_failed_by_their_other_end) {
  auto rust = only("a.rs", R"(
async fn drain(store: Store, tx: Sender<Job>, mut rx: Receiver<Job>) {
    while let Some(mut job) = rx.recv().await {
        if let Err(e) = store.put(job.id, &job.body).await {
            job.tries += 1;
            if job.tries < 4 {
                sleep(Duration::from_secs(1)).await;
                let _ = tx.send(job).await;
            }
        }
    }
}
)");
  EXPECT_EQ(rust.shape, Shape::queue);
  EXPECT_EQ(said(rust), "count fixed");
  EXPECT_TRUE(rust.effect.empty());
  auto sharp = only("A.cs", R"(
class A {
  async Task Run(CancellationToken stop) {
    await foreach (var reading in _channel.Reader.ReadAllAsync(stop)) {
      try {
        await ingest.StoreAsync(reading, stop);
      } catch (IngestException) {
        if (reading.Tries++ < 6) await _channel.Writer.WriteAsync(reading, stop);
      }
    }
  }
}
)");
  EXPECT_EQ(sharp.shape, Shape::queue);
  EXPECT_EQ(said(sharp), "count none");
}

TEST(Channels, give_by_an_argument_what_goes_back) {
  auto again = only("A.cs", R"(
class A {
  async Task Run(CancellationToken stop) {
    while (_mails.Reader.TryRead(out var mail)) {
      try {
        await smtp.SendAsync(mail, stop);
      } catch (SmtpException) {
        if (mail.Tries++ < 4) _mails.Writer.TryWrite(mail);
      }
    }
  }
}
)");
  EXPECT_EQ(again.line, 8u);
}

TEST(Channels, that_carry_results_take_nothing_back) {
  EXPECT_TRUE(scan_text(*language_of("a.rs"), R"(
async fn drain(store: Store, results_tx: Sender<Job>, mut jobs_rx: Receiver<Job>) {
    while let Some(job) = jobs_rx.recv().await {
        if let Err(e) = store.put(job.id).await {
            let _ = results_tx.send(job).await;
        }
    }
}
)")
                  .locations.empty());
}

TEST(Queues, in_a_case_of_a_match_take_back_what_failed) {
  auto again = only("a.rs", R"(
async fn flush(store: &dyn Store, pending: &mut VecDeque<Job>) {
    while let Some(job) = pending.pop_front() {
        match store.put(job.id).await {
            Ok(()) => info!("stored"),
            Err(e) => {
                warn!("kept");
                pending.push_back(job);
            }
        }
    }
}
)");
  EXPECT_EQ(again.line, 8u);
}

TEST(Queues, wait_as_their_helper_does) {
  auto again = only("a.go", R"(package a
func (p *Pool) requeue(t *task) {
	t.tries++
	go func() {
		time.Sleep(time.Duration(t.tries) * time.Second)
		p.work <- t
	}()
}
func (p *Pool) Run(ctx context.Context) {
	for t := range p.work {
		if err := p.client.Upload(ctx, t.id); err != nil {
			if t.tries >= 5 {
				continue
			}
			p.requeue(t)
		}
	}
}
)");
  EXPECT_EQ(again.line, 15u);
  EXPECT_EQ(said(again), "count growing");
}

TEST(Timers, begin_a_task_anew_that_gives_itself_to_another_class) {
  auto again = only("A.java", R"(
class Feed implements Runnable {
  public void run() {
    try (Socket socket = new Socket(host, port)) {
      losses = 0;
      read(socket);
    } catch (IOException e) {
      losses++;
      if (!stopped) Scheduler.later(this, Math.min(60_000, 1_000L << losses));
    }
  }
}
)");
  EXPECT_EQ(again.line, 9u);
  EXPECT_EQ(said(again), "none growing");
}

TEST(Timers, that_are_set_again_where_it_failed) {
  auto again = only("A.cs", R"(
class Printer {
  Printer() { _timer = new Timer(_ => Flush()); }
  void Flush() {
    try {
      tcp.GetStream().Write(bytes);
    } catch (SocketException) {
      _timer.Change(TimeSpan.FromSeconds(5), Timeout.InfiniteTimeSpan);
    }
  }
}
)");
  EXPECT_EQ(again.line, 8u);
  EXPECT_EQ(said(again), "none fixed");
  auto go = only("a.go", R"(package a
func (s *Stream) Run(ctx context.Context) error {
	delay := time.Second
	t := time.NewTimer(0)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		}
		conn, err := net.DialTimeout("tcp", s.addr, time.Second)
		if err != nil {
			delay = min(delay*2, time.Minute)
			t.Reset(delay)
			continue
		}
		s.handle(conn)
		t.Reset(time.Second)
	}
}
)");
  EXPECT_EQ(said(go), "caller growing");
}

TEST(Timers, that_are_set_again_each_time_are_no_retry) {
  EXPECT_TRUE(scan_text(*language_of("a.go"), R"(package a
func (c *Conn) start() { c.timer = time.AfterFunc(c.every, c.ping) }
func (c *Conn) ping() {
	if c.status != CONNECTED {
		return
	}
	c.sendPing(nil)
	c.timer.Reset(c.every)
}
)")
                  .locations.empty());
}

TEST(Flags, that_are_given_by_name_are_spent) {
  auto again = only("A.cs", R"(
class A {
  async Task<Answer> Download(string path, bool renewed = false) {
    var response = await _http.GetAsync(path);
    if (response.StatusCode == HttpStatusCode.Unauthorized && !renewed) {
      await Renew();
      return await Download(path, renewed: true);
    }
    return response;
  }
}
)");
  EXPECT_EQ(said(again), "count none");
}

TEST(Limits, around_a_loop_end_it) {
  auto python = only("a.py", R"(
async def rules(http, url):
    async with asyncio.timeout(20):
        while True:
            try:
                return await http.get(url)
            except OSError:
                await asyncio.sleep(1)
)");
  EXPECT_EQ(said(python), "time fixed");
  EXPECT_FALSE(python.gives_up_silently);
  auto rust = only("a.rs", R"(
async fn ready(c: Client) -> Result<(), Elapsed> {
    timeout(Duration::from_secs(9), async {
        loop {
            match c.ping().await {
                Ok(v) => return v,
                Err(_) => sleep(Duration::from_secs(1)).await,
            }
        }
    }).await
}
)");
  EXPECT_EQ(said(rust), "time fixed");
}

TEST(Limits, that_success_alone_meets_are_none) {
  auto again = only("a.py", R"(
async def run(self):
    while True:
        try:
            await self.request()
        except OSError:
            await asyncio.sleep(backoff.delay())
        else:
            self.loops += 1
            if self.loops == self.count:
                break
)");
  EXPECT_EQ(word(again.bound), "none");
}

TEST(Macros, are_read_as_functions_and_keep_their_lines) {
  std::string source = R"(use a;
macro_rules! again {
    // how often
    ($times:expr, $body:expr) => {{
        let mut tried = 0;
        loop {
            match $body {
                Ok(v) => break Ok(v),
                Err(e) => {
                    tried += 1;
                    if tried >= $times { break Err(e); }
                    sleep(Duration::from_millis(150)).await;
                }
            }
        }
    }};
}
fn after() {}
)";
  auto opened = with_macros_as_functions(source);
  EXPECT_EQ(std::count(opened.begin(), opened.end(), '\n'), std::count(source.begin(), source.end(), '\n'));
  EXPECT_NE(opened.find("match body() {"), opened.npos);
  EXPECT_TRUE(opened.ends_with("\nfn after() {}\n"));
  auto again = only("a.rs", source);
  EXPECT_EQ(again.line, 6u);
  EXPECT_EQ(again.function, "again");
  EXPECT_EQ(said(again), "count fixed");
}

TEST(Macros, that_do_not_end_are_left_as_they_are) {
  for (auto source : {"macro_rules! a { ($x:expr) => {", "macro_rules!", "macro_rules! a { ( => }", "macro_rules! a \"",
                      "macro_rules! a { () => { '\\' } }", "/* macro_rules! a { /*"})
    EXPECT_FALSE(with_macros_as_functions(source).empty()) << source;
}

}  // namespace
}  // namespace retrial::scan
