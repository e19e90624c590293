// What drivers, queue workers and schedulers that nobody had tuned to do, and what of it was missed.
#include <fmt/format.h>
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

TEST(Workers, hand_what_failed_to_its_retry) {
  EXPECT_EQ(read_of("a.go", R"(package a
func (p *processor) handleFailedMessage(l *Lease, msg *Message, err error) {
	if msg.Retried >= msg.Retry {
		p.archive(l, msg, err)
	} else {
		p.retry(l, msg, err)
	}
}
func (p *processor) retry(l *Lease, msg *Message, e error) {
	at := time.Now().Add(p.delayFunc(msg.Retried, e))
	if err := p.broker.Retry(l, msg, at); err != nil {
		p.logger.Warnf("%v", err)
	}
}
func (r *recoverer) recoverExpired(msgs []*Message) {
	for _, msg := range msgs {
		if msg.Retried >= msg.Retry {
			r.archive(msg, ErrLeaseExpired)
		} else {
			r.retry(msg, ErrLeaseExpired)
		}
	}
}
)"),
            "6 queue count elsewhere\n20 queue count elsewhere\n");
  EXPECT_EQ(read_of("a.py", R"(
def handle_job_failure(self, job, queue):
  retry = job.retries_left and job.retries_left > 0
  with self.connection.pipeline() as pipeline:
    if retry:
      job.retry(queue, pipeline)
    pipeline.execute()
)"),
            "6 queue count elsewhere\n");
  EXPECT_EQ(read_of("A.java", R"(
class OnFailureRetryLater<T> implements FailureHandler<T> {
  public void onFailure(ExecutionComplete complete, ExecutionOperations<T> operations) {
    Instant nextTry = complete.getTimeDone().plus(sleepDuration);
    operations.reschedule(complete, nextTry);
  }
  public void onComplete(ExecutionComplete complete, ExecutionOperations<T> operations) {
    operations.reschedule(complete, schedule.getNextExecutionTime(complete));
  }
}
)"),
            "5 queue none fixed\n");
  EXPECT_EQ(read_of("a.py", R"(
def after_process_message(self, broker, message, *, result=None, exception=None):
  if exception is None:
    return
  retries = message.options.setdefault("retries", 0)
  message.options["retries"] += 1
  if retries >= self.max_retries:
    message.fail()
    return
  _, delay = compute_backoff(retries, factor=self.min_backoff)
  broker.enqueue(message, delay=delay)
)"),
            "11 queue count growing\n");
  EXPECT_EQ(read_of("a.js", R"(
class Execution {
  _prepareAndRetry(queryId) {
    const self = this;
    this._connection.prepareOnce(queryId, function (err, result) {
      if (err) {
        return self._retry(undefined, false);
      }
      self._retry(undefined, true, result.meta);
    });
  }
}
)"),
            "7 queue elsewhere elsewhere\n");
  EXPECT_EQ(read_of("a.py", R"(
def on_error(self, error):
  logger.error("will retry", error)
  self.retry_count.inc(error)
  self.listener.retry_scheduled(error)
)"),
            "");
}

TEST(Workers, put_back_what_they_kept_for_that) {
  EXPECT_EQ(read_of("a.py", R"(
async def do(self, node_id):
  try:
    response = await self._client.send(node_id, self.create_request())
  except KafkaError as err:
    for batch in self._batches.values():
      if not self._can_retry(err, batch):
        batch.failure(exception=err)
      else:
        self._to_reenqueue.append(batch)
  if self._to_reenqueue:
    await asyncio.sleep(self._default_backoff)
    for batch in self._to_reenqueue:
      self._accumulator.reenqueue(batch)
)"),
            "10 queue elsewhere fixed\n14 queue elsewhere fixed\n");
}

TEST(Workers, tick_on_without_a_failure) {
  EXPECT_EQ(read_of("a.js", R"(
class Queue {
  process(handler) {
    const jobTick = () => {
      // nothing is retried here
      this._next().then((job) => {
        if (this.running < this.concurrency) setImmediate(jobTick);
        return this._run(job);
      });
    };
    jobTick();
  }
}
)"),
            "");
  EXPECT_EQ(read_of("a.js", R"(
class Client {
  _pulse() {
    this.active = this.queue.shift();
    if (this.active) {
      const queryError = this.active.submit(this.connection);
      if (queryError) {
        process.nextTick(() => {
          this.active.handleError(queryError, this.connection);
          this._pulse();
        });
      }
    }
  }
}
)"),
            "");
}

TEST(Drivers, jump_to_where_they_wait) {
  EXPECT_EQ(read_of("a.go", R"(package a
func (c *Conn) awaitAgreement(ctx context.Context) (err error) {
	end := time.Now().Add(c.maxWait)
	for time.Now().Before(end) {
		rows, err := c.queryPeers(ctx)
		if err != nil {
			goto cont
		}
		if len(rows) <= 1 {
			return nil
		}
	cont:
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
	return errSchema
}
)"),
            "4 loop time fixed\n");
}

TEST(Drivers, that_are_machines_of_states_are_read_all_the_same) {
  std::string states =
      "package a\nfunc f(c *Conn) error {\n\tfor {\n\t\tif err := c.dial(); err != nil {\n\t\t\tgoto s0\n\t\t}\n";
  for (int i = 0; i < 60; i++)
    states += fmt::format("\ts{}:\n\t\tif c.is({}) {{\n\t\t\tgoto s{}\n\t\t}}\n", i, i, i + 1);
  states += "\ts60:\n\t\tc.work()\n\t}\n}\n";
  states +=
      "func g(c *Conn) error {\n\tfor i := 0; i < 3; i++ {\n\t\tif err := c.dial(); err == nil {\n\t\t\treturn "
      "nil\n\t\t}\n\t}\n\treturn errDown\n}\n";
  EXPECT_NE(read_of("a.go", states.c_str()).find("loop count none"), std::string::npos);
}

TEST(Drivers, find_nothing_so_often) {
  EXPECT_EQ(read_of("a.go", R"(package a
func (c *control) withConn(fn func(*Conn) *Iter) *Iter {
	for i := 0; i < maxConnectAttempts; i++ {
		ch := c.getConn()
		if ch == nil {
			c.reconnect()
			continue
		}
		return fn(ch)
	}
	return &Iter{err: errNoControl}
}
)"),
            "3 loop count none\n");
}

TEST(Drivers, try_as_long_as_the_context_lives) {
  EXPECT_EQ(read_of("a.go", R"(package a
func (l *leasing) rescind(ctx context.Context, key string) {
	for ctx.Err() == nil {
		if _, err := l.kv.Txn(ctx).Then(OpDelete(key)).Commit(); err == nil {
			return
		}
	}
}
)"),
            "3 loop caller none\n");
}

TEST(Drivers, begin_anew_what_calls_them) {
  EXPECT_EQ(read_of("a.go", R"(package a
// It is retried.
func (c *Client) sendRefresh() {
	c.send(func(err error) {
		if err != nil {
			c.handleRefreshError()
		}
	})
}
func (c *Client) handleRefreshError() {
	c.refreshTimer = time.AfterFunc(10*time.Second, c.sendRefresh)
}
)"),
            "11 timer none fixed\n");
  EXPECT_EQ(read_of("A.java", R"(
class KeepAlive {
  // onError of an observer: for errors
  private void handleException(Throwable throwable) {
    restart = vertx().setTimer(500, l -> { if (isRunning()) { restart(); } });
  }
  private void restart() { this.start(); }
}
)"),
            "5 timer none fixed\n");
}

TEST(Drivers, swap_until_nobody_else_did) {
  EXPECT_EQ(read_of("a.py", R"(
def incr(self, key, amount, ttl):
  with self.pool.reserve(block=True) as client:
    while True:
      value, cid = client.gets(key)
      if cid is None:
        return False
      try:
        swapped = client.cas(key, value + amount, cid, ttl)
        if swapped:
          return True
      except NotFound:
        continue
)"),
            "4 loop none none\n");
}

TEST(Nothing, is_tried_again_where_only_turns_are_dealt) {
  EXPECT_EQ(read_of("a.go", R"(package a
func timer(ctx context.Context, maxRetry int) <-chan int {
	attempts := make(chan int)
	go func() {
		defer close(attempts)
		for i := 0; i < maxRetry; i++ {
			select {
			case attempts <- i + 1:
			case <-ctx.Done():
				return
			}
			select {
			case <-time.After(backoff(i)):
			case <-ctx.Done():
				return
			}
		}
	}()
	return attempts
}
)"),
            "");
}

TEST(Nothing, is_tried_again_where_a_result_is_asked_for) {
  EXPECT_EQ(read_of("a.py", R"(
async def result(self, timeout, poll_delay):
  async for delay in poll(poll_delay):
    v = await self._redis.get(self.key)
    if v:
      info = deserialize(v)
      if info.success:
        return info.result
      elif isinstance(info.result, Exception):
        raise info.result
      else:
        raise SerializationError(info.result)
    if timeout is not None and delay > timeout:
      raise asyncio.TimeoutError()
)"),
            "");
}

TEST(Nothing, is_tried_again_where_a_stream_pauses) {
  EXPECT_EQ(read_of("a.js", R"(
function write(message) {
  while (this.bl.length > length) {
    const data = this.bl.slice(0, length);
    this.bl.consume(length);
    if (this.push(data) === false) message.pause();
  }
}
)"),
            "");
}

TEST(Drivers, go_through_hosts_of_what_is_set_besides) {
  EXPECT_EQ(read_of("a.go", R"(package a
func establish(ctx context.Context, cfg Config) (*Client, error) {
	var err error
	for {
		for _, u := range cfg.ServerUrls {
			cfg.Conn, err = attempt(ctx, u.Host)
			if err == nil {
				cli := NewClient(cfg)
				if err = cli.Connect(ctx); err == nil {
					return cli, nil
				}
			}
			if ctx.Err() != nil {
				return nil, nil
			}
			cfg.Debug.Printf("failed: %s", err)
		}
		select {
		case <-time.After(cfg.ConnectRetryDelay):
		case <-ctx.Done():
			return nil, nil
		}
	}
}
)"),
            "4 loop caller fixed\n");
}

TEST(Drivers, connect_anew_at_once_by_a_helper_that_waits_where_it_fails) {
  EXPECT_EQ(read_of("a.go", R"(package a
func (c *Conn) loop() {
	for {
		if err := c.connect(); err != nil {
			return
		}
		err := c.authenticate()
		if err == nil {
			c.serve()
		}
		select {
		case <-c.quit:
			return
		default:
		}
	}
}
func (c *Conn) connect() error {
	for {
		conn, err := c.dialer("tcp", c.server)
		if err == nil {
			c.conn = conn
			return nil
		}
		time.Sleep(time.Second)
	}
}
)"),
            "3 loop none none\n19 loop none fixed\n");
}

TEST(Workers, ask_a_strategy_that_is_handed_nothing) {
  EXPECT_EQ(read_of("A.java", R"(
class Exec {
  public void failed(Exception cause) {
    if (count < max && retryStrategy.retryRequest(request, cause, count, context)) {
      log.debug("again", cause);
    }
    this.retryStrategy.retry(next, args);
  }
}
)"),
            "");
  EXPECT_EQ(read_of("a.js", R"(
class Execution {
  _handleError(err) {
    const info = this._decide(err);
    if (!info || info.decision === retry.Policy.rethrow) return this._fail(err);
    return this._retry(info.consistency, false);
  }
  _retry(consistency, useHost) {
    this._request.consistency = consistency;
    return this._send();
  }
}
)"),
            "6 queue elsewhere none\n");
}

}  // namespace
}  // namespace retrial::scan
