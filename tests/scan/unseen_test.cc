// What packages that nobody had tuned to were told of falsely, and what of them was missed.
#include <gtest/gtest.h>

#include "scan/scan.h"
#include "scan/verdicts.h"

namespace retrial::scan {
namespace {

std::string all_of(const char* file, std::string_view text) {
  std::string said;
  for (auto& at : scan_text(*language_of(file), text).locations)
    said += std::to_string(at.line) + " " + show(at.shape) + " " + word(at.bound) + " " + word(at.wait) + "\n";
  return said;
}

TEST(Nothing, is_tried_again_where_an_error_is_kept_in_a_list) {
  EXPECT_EQ(all_of("a.py", R"(
class HttpError(Exception):
  def __init__(self, response):
    for error in response.json()["errors"]:
      if isinstance(error, str):
        self.api_messages.append(error)
      elif "message" in error:
        self.api_messages.append(error["message"])
)"),
            "");
}

TEST(Nothing, is_tried_again_by_a_timer_that_fails_or_tells) {
  EXPECT_EQ(all_of("a.js", R"(
class Control {
  wait(callback, ms) {
    this.reconnectTimeout = setTimeout(() => {
      this.removeListener('connection', callback);
      callback(new OperationTimedOutError('no connection'));
    }, ms);
  }
  ack() {
    this.handle = setTimeout(async () => {
      // not while a reconnect is under way
      if (!this._reconnecting) await this.connection.send({ type: 'ack' });
    }, 1000);
  }
  tell(retryStream) {
    setImmediate(() => { retryStream.emit('request'); });
  }
}
)"),
            "");
}

TEST(Nothing, is_tried_again_where_each_turn_takes_another) {
  EXPECT_EQ(all_of("a.js", R"(
async function prepare(iterator, query) {
  while (true) {
    const host = getNextHost(iterator, tried);
    if (host === null) throw new NoHostError(tried);
    try {
      const connection = await borrow(host);
      return await connection.prepare(query);
    } catch (err) {
      tried[host.address] = err;
    }
  }
}
async function negotiate(url) {
  let answer = null;
  let redirects = 0;
  do {
    answer = await this.ask(url);  // an attempt
    if (answer.error) throw new Error(answer.error);
    if (answer.url) url = answer.url;
    redirects++;
  } while (answer.url && redirects < 100);
}
)"),
            "");
  EXPECT_EQ(all_of("a.py", R"(
def work(queue):
  while True:
    try:
      func = queue.get()
      try:
        if func is STOP:
          break
        func()
      except Exception as e:
        log.exception(e)
    except queue_empty:
      continue

def connect(self, retry):
  for host, port in self.hosts():
    if self.stopped.is_set():
      status = STOP
      break
    status = self.attempt(host, port, retry)
    if status is STOP:
      break
)"),
            "");
  EXPECT_EQ(all_of("a.rs", R"(
fn retryable(e: &Error) -> bool {
    let mut source = e.source();
    while let Some(e) = source {
        if let Some(e) = e.downcast_ref::<HttpError>() {
            return e.is_closed();
        }
        source = e.source();
    }
    false
}
)"),
            "");
}

TEST(Nothing, is_tried_again_by_who_asks_or_makes_a_policy) {
  EXPECT_EQ(all_of("a.go", R"(package a
func invoke(settings Settings, err error) error {
	r := settings.Retry()
	d, ok := r.Retry(err)
	return pause(d, ok)
}
)"),
            "");
  EXPECT_EQ(all_of("a.js", R"(
exports.defaultRetryPolicy = function () { return new retry.RetryPolicy(); };
const state = Object.assign({ enabled: true, retries: 3 }, options.retry);
)"),
            "");
  EXPECT_EQ(all_of("A.java", R"(class A {
  static Failure of(Request request, IOException cause) { return new RetryableException(-1, format("%s", cause), request); }
  static Optional<RetryAfter> after(String s) { return Optional.of(new RetryAfter(parse(s))); }
  static long parse(String s) { return Long.parseLong(s); }
  static String format(String s, Exception e) { return s; }
  static int number() {
    int rv = SEQUENCE.incrementAndGet();
    while (rv < 0) { SEQUENCE.compareAndSet(rv, 0); rv = SEQUENCE.incrementAndGet(); }
    return rv;
  }
})"),
            "");
}

TEST(Wrappers, are_given_a_method_by_what_it_does_and_a_bound_one) {
  EXPECT_EQ(all_of("a.py", R"(
class Barrier:
  def remove(self):
    self.client.retry(self.client.delete, self.path)
)"),
            "4 library elsewhere elsewhere\n");
  EXPECT_EQ(all_of("a.js", "const p = retry(this.connect.bind(this), { delay: 100 });\n"),
            "1 library elsewhere fixed\n");
  EXPECT_EQ(all_of("a.py", R"(
class Session:
  def __init__(self):
    self.retry_execute = backoff.on_exception(backoff.expo, Exception, max_tries=5)
)"),
            "4 library count jitter\n");
}

TEST(Timers, begin_anew_by_an_interval_by_their_delay_and_by_what_they_run) {
  EXPECT_EQ(all_of("a.ts", R"(
class Client {
  setup() {
    this.timer = setInterval(() => { this.log('again'); this._reconnect(); }, 5000);
  }
}
)"),
            "4 timer none fixed\n");
  EXPECT_EQ(all_of("a.go", R"(package a
func (s *Subscription) schedule() {
	delay := s.strategy.beforeNextAttempt(s.attempts)
	s.attempts++
	s.timer = time.AfterFunc(delay, func() {
		s.subscribe()
	})
}
)"),
            "5 timer none elsewhere\n");
}

TEST(Timers, that_restart_where_a_failure_is_heard_of_begin_anew) {
  EXPECT_EQ(all_of("A.java", R"(class A {
  void onError(Throwable error) {
    tell(error);
    restart = vertx().setTimer(500, l -> { if (isRunning()) { restart(); } });
  }
  void reschedule() { executor.schedule(this::resume, 500, TimeUnit.MILLISECONDS); }
})"),
            "4 timer none fixed\n6 timer none fixed\n");
}

TEST(Recursions, lead_through_a_callback_a_case_and_another_file) {
  EXPECT_EQ(all_of("a.js", R"(
function start(strategy) {
  var callback = (error, handshake) => {
    if (error) {
      this.runner = strategy.connect(0, callback);
    } else {
      done(handshake);
    }
  };
  this.runner = strategy.connect(0, callback);
}
Request.prototype.callback = function (error, res) {
  if (this._shouldRetry(error, res)) return this._retry();
  done(error, res);
};
)"),
            "5 recursion none none\n13 recursion elsewhere elsewhere\n");
  EXPECT_EQ(all_of("a.go", R"(package a
func (c *Conn) executeQuery(ctx context.Context, qry *Query) *Iter {
	framer := c.exec(ctx, qry)
	switch x := framer.(type) {
	case *RequestErrUnprepared:
		c.evict(x.StatementId) // on err
		return c.executeQuery(ctx, qry)
	default:
		return iter(x)
	}
}
)"),
            "7 recursion none none\n");
}

TEST(Loops, that_ask_a_policy_or_a_flag_end_by_it) {
  EXPECT_EQ(all_of("A.java", R"(class A { static <T> T callWithRetry(Client client, Callable<T> proc) throws Exception {
    T result = null;
    RetryLoop retryLoop = client.newRetryLoop();
    while (retryLoop.shouldContinue()) {
      try { result = proc.call(); retryLoop.markComplete(); }
      catch (Exception e) { retryLoop.takeException(e); }
    }
    return result;
  } })"),
            "4 loop elsewhere elsewhere\n");
  EXPECT_EQ(all_of("a.rs", R"(
async fn copy(&self, from: &Path) -> Result<()> {
    let mut retry = false;
    loop {
        return match self.client.send(from).await {
            Ok(_) => Ok(()),
            Err(source) => Err(match source.status() {
                Some(StatusCode::CONFLICT) if !retry => {
                    retry = true;
                    self.create_parent(from).await?;
                    continue;
                }
                _ => Error::Request { source }.into(),
            }),
        };
    }
}
)"),
            "4 loop count none\n");
  EXPECT_EQ(all_of("A.java", R"(class A { boolean swap(Client client, String key) {
    boolean done = false;
    for (int i = 0; !done && i < max; i++) {
      if (client.cas(key, client.gets(key)) == CASResponse.OK) { done = true; }
    }
    return done;
  } })"),
            "3 loop count none\n");
}

TEST(Policies, that_are_told_of_a_failure_say_when_it_ends_and_how_long_it_waits) {
  EXPECT_EQ(all_of("A.java", R"(class A { Object invoke(Request request) {
    while (true) {
      try { return execute(request); }
      catch (RetryableException e) { retryer.continueOrPropagate(e); }
    }
  } })"),
            "2 loop elsewhere elsewhere\n");
  EXPECT_EQ(all_of("a.py", R"(
def request(self, method, route):
  response = self.session.request(method, route)
  if response.status_code == 429:
    reset = int(response.headers["x-rate-limit-reset"])
    time.sleep(reset - int(time.time()) + 1)
    return self.request(method, route)
  return response
)"),
            "7 recursion none told\n");
  EXPECT_EQ(all_of("a.js", R"(
function tryConnect(delay) {
  reconnectTimeout = setTimeout(openConnection, delay);
}
)"),
            "3 timer none elsewhere\n");
}

TEST(Bounds, are_no_comparison_with_nothing_and_no_clock) {
  EXPECT_EQ(all_of("a.ts", R"(
async function reconnect() {
  let attempts = 0;
  let nextRetryDelay = nextDelay(attempts++, 0, undefined);
  while (nextRetryDelay !== null) {
    await sleep(nextRetryDelay);
    try {
      await this.start();
      return;
    } catch (e) {
      nextRetryDelay = getNextRetryDelay(attempts++, Date.now() - begun, e);
    }
  }
}
)"),
            "5 loop elsewhere elsewhere\n");
}

std::string verdicts(const char* file, std::string_view text) {
  auto found = scan_text(*language_of(file), text).locations;
  for (auto& at : found) at.file = file;
  judge(found);
  std::string said;
  for (auto& at : found)
    for (auto& verdict : at.verdicts) said += std::to_string(at.line) + " " + verdict.name + "\n";
  return said;
}

TEST(Verdicts, are_none_of_a_greeting_a_look_at_the_error_and_a_callback) {
  EXPECT_EQ(verdicts("a.go", R"(package a
func (c *Client) start() error {
	t, err := c.sendConnect()
	if err != nil {
		c.reconnectTimer = time.AfterFunc(c.reconnectDelay(), func() { _ = c.start() })
		return err
	}
	return nil
}
func (c *Client) lost() {
	c.reconnectTimer = time.AfterFunc(c.reconnectDelay(), func() { _ = c.start() })
}
)"),
            "5 missing-cap\n11 missing-cap\n");
  EXPECT_EQ(verdicts("a.rs", R"(
fn rename(from: &Path, to: &Path) -> Result<()> {
    for _attempt in 0..3 {
        match std::fs::rename(from, to) {
            Ok(_) => return Ok(()),
            Err(source) => match source.kind() {
                ErrorKind::NotFound => sleep(backoff.next()),
                _ => return Err(source),
            },
        }
    }
    Err(Error::Gone)
}
)"),
            "");
  EXPECT_EQ(verdicts("a.py", R"(
class Queue:
  def get(self, flag):
    def check(event):
      values = self.client.retry(self.client.get_children, self.path, check)
      flag.set(values)
    check(None)
)"),
            "");
}

}  // namespace
}  // namespace retrial::scan
