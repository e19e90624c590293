// What drivers, queue workers and schedulers that nobody had tuned to do, and what of it was missed.
#include <gtest/gtest.h>

#include "scan/scan.h"

namespace retrial::scan {
namespace {

std::string read_of(const char* file, std::string_view text) {
  std::string said;
  for (auto& at : scan_text(*language_of(file), text).locations)
    said += std::to_string(at.line) + " " + show(at.shape) + " " + word(at.bound) + " " + word(at.wait) + "\n";
  return said;
}

TEST(Drivers, wait_in_a_select_whose_case_goes_on) {
  EXPECT_EQ(read_of("a.go", R"(package a
func (s *subscriber) start() {
	for {
		pubsub, err = s.broker.Subscribe()
		if err != nil {
			s.logger.Errorf("cannot subscribe: %v", err)
			select {
			case <-time.After(s.pause):
				continue
			case <-s.done:
				return
			}
		}
		break
	}
}
)"),
            "3 loop none fixed\n");
}

TEST(Drivers, ask_for_the_next_host_of_a_ring) {
  EXPECT_EQ(read_of("a.go", R"(package a
func (c *Conn) connect() error {
	for {
		c.server, again = c.hosts.Next()
		if again {
			select {
			case <-time.After(time.Second):
			case <-c.quit:
				return ErrClosing
			}
		}
		conn, err := c.dialer("tcp", c.Server(), c.timeout)
		if err == nil {
			c.conn = conn
			return nil
		}
		c.logger.Printf("failed: %v", err)
	}
}
)"),
            "3 loop none fixed\n");
}

TEST(Drivers, switch_over_the_error_itself) {
  EXPECT_EQ(read_of("a.go", R"(package a
func (c *Conn) CreateProtected(path string) (string, error) {
	var err error
	for i := 0; i < 3; i++ {
		made, err = c.Create(path)
		switch err {
		case ErrSessionExpired:
			// No need to search for it.
		case ErrConnectionClosed:
			if there(path) {
				return path, nil
			}
		case nil:
			return made, nil
		default:
			return "", err
		}
	}
	return "", err
}
)"),
            "4 loop count none\n");
  EXPECT_EQ(read_of("a.go", R"(package a
func walk(names []string) error {
	for i := 0; i < 3; i++ {
		kind, err := c.Look(names[i])
		switch kind {
		case nil:
			return err
		default:
			c.Add(kind)
		}
	}
	return nil
}
)"),
            "");
}

TEST(Drivers, keep_this_under_another_name) {
  EXPECT_EQ(read_of("a.js", R"(
Executor.prototype._retryPromise = function (work, error, start, delay) {
  var _this = this;
  if (Date.now() - start > this._maxRetryTime || !isRetriable(error)) return Promise.reject(error);
  return new Promise(function (resolve, reject) {
    _this._setTimeout(function () { _this._execute(work, resolve, reject); }, delay * Math.random());
  }).catch(function (error) {
    return _this._retryPromise(work, error, start, delay * 2);
  });
};
)"),
            "8 recursion time jitter\n");
}

TEST(Nothing, is_tried_again_where_more_data_must_come) {
  EXPECT_EQ(read_of("a.js", R"(
class Parser {
  readDone() {
    let result;
    try {
      result = done(this.buffer, this.position);
    } catch (err) {
      if (err instanceof NotEnoughDataError) {
        return this.waitForChunk().then(() => { this.readDone(); });
      }
      throw err;
    }
    return result;
  }
}
async function readName(parser) {
  while (true) {
    try {
      return readString(parser.buffer, parser.position);
    } catch (err) {
      if (err instanceof NotEnoughDataError) {
        await parser.waitForChunk();
        continue;
      }
      throw err;
    }
  }
}
)"),
            "");
  EXPECT_EQ(read_of("a.rs", R"(
async fn handshake(mut mid: Mid) -> Result<Stream, Error> {
    loop {
        match mid.handshake() {
            Ok(stream) => return Ok(stream),
            Err(HandshakeError::Failure(e)) => return Err(e),
            Err(HandshakeError::WouldBlock(next)) => {
                mid = next;
                mid.get_mut().poll_ready().await?;
            }
        }
    }
}
)"),
            "");
}

TEST(Drivers, follow_a_redirect_so_often) {
  EXPECT_EQ(read_of("a.js", R"(
async function execute(key, executor) {
  let client = await slots.getClient(key);
  for (let i = 0;; i++) {
    try {
      return await executor(client);
    } catch (err) {
      if (++i > options.maxRedirections || !(err instanceof ErrorReply)) throw err;
      if (err.message.startsWith('ASK')) {
        let redirectTo = await slots.getByAddress(addressOf(err));
        client = redirectTo;
        continue;
      }
      throw err;
    }
  }
}
)"),
            "4 loop count none\n");
}

TEST(Drivers, count_attempts_in_the_head_and_forget_to_leave) {
  EXPECT_EQ(read_of("a.js", R"(
async function lookup(retries) {
  let response;
  for (let i = 0; i <= retries; i++) {
    try {
      response = await withTimeout(2000, (signal) => sendMessage(host, signal));
    } catch (err) {
      if (err.name === 'TimeoutError') continue;
      throw err;
    }
  }
  return response;
}
)"),
            "4 loop count none\n");
}

TEST(Bounds, are_no_numbers_that_come_from_elsewhere_each_turn) {
  EXPECT_EQ(read_of("a.py", R"(
def incr(self, key, amount, maximum):
  with self.client.pipeline() as pipe:
    while True:
      try:
        pipe.watch(key)
        value = int(pipe.get(key) or b"0")
        value += amount
        if value > maximum:
          return False
        pipe.multi()
        pipe.set(key, value)
        pipe.execute()
        return True
      except redis.WatchError:
        continue
)"),
            "4 loop none none\n");
}

TEST(Bounds, are_asked_of_whom_it_is_time_to_give_up) {
  EXPECT_EQ(read_of("a.py", R"(
def getconn(self, deadline):
  attempt = None
  while True:
    conn = self._unchecked(deadline - monotonic())
    try:
      self._check_connection(conn)
    except Exception:
      self._putconn(conn)
    else:
      return conn
    attempt = attempt or AttemptWithBackoff(deadline - monotonic())
    if attempt.time_to_give_up(monotonic()):
      raise PoolTimeout()
    else:
      sleep(attempt.delay)
)"),
            "4 loop elsewhere elsewhere\n");
}

TEST(Drivers, set_by_a_call_what_their_loop_asks_for) {
  EXPECT_EQ(read_of("a.js", R"(
_connect = async function _connect() {
  let retries = 0;
  do {
    try {
      set(this, _socket, await get(this, _createSocket).call(this));
      set(this, _isReady, true);
    } catch (err) {
      const retryIn = get(this, _shouldReconnect).call(this, retries++, err);
      if (typeof retryIn !== 'number') throw retryIn;
      await promiseTimeout(retryIn);
    }
  } while (get(this, _isOpen) && !get(this, _isReady));
}
)"),
            "4 loop elsewhere elsewhere\n");
}

TEST(Nothing, is_tried_again_by_a_timer_that_aborts) {
  EXPECT_EQ(read_of("a.js", R"(
async function withTimeout(timeout, func) {
  const controller = new AbortController();
  const abortCurrentAttempt = () => { controller.abort(); };
  const timer = setTimeout(abortCurrentAttempt, timeout);
  try { return await func(controller.signal); } finally { clearTimeout(timer); }
}
)"),
            "");
}

TEST(Workers, do_not_put_back_what_a_loop_around_tries) {
  EXPECT_EQ(read_of("a.py", R"(
def post_process_message(self, message):
  while True:
    try:
      if message.failed:
        self.consumer.nack(message)
      else:
        self.consumer.ack(message)
      return
    except ConnectionError as e:
      time.sleep(3)
      continue
)"),
            "3 loop none fixed\n");
}

TEST(Waits, are_not_for_what_was_delayed) {
  EXPECT_EQ(read_of("a.py", R"(
def run(self):
  while self.running:
    try:
      self.consumer = self.broker.consume(self.queue_name)
      for message in self.consumer:
        self.handle_delayed_messages()
        if not self.running:
          break
    except ConnectionError as e:
      self.logger.critical("Consumer lost: %s", e)
    if self.running:
      time.sleep(RESTART_DELAY_SECS)
)"),
            "3 loop none fixed\n");
}

}  // namespace
}  // namespace retrial::scan
