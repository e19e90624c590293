// Right and wrong retry code. `// retry: BOUND WAIT` stands where a location begins; everything else is none.
package retries

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/avast/retry-go/v4"
)

func right(ctx context.Context, url string) (*http.Response, error) {
	var last error
	for attempt := 0; attempt < 5; attempt++ { // retry: count growing
		response, err := http.Get(url)
		if err == nil {
			return response, nil
		}
		last = err
		time.Sleep(time.Duration(1<<attempt) * 100 * time.Millisecond)
	}
	return nil, last
}

func forEver(url string) *http.Response {
	for { // retry: none fixed
		response, err := http.Get(url)
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		return response
	}
}

func untilCancelled(ctx context.Context, dial func() (net.Conn, error)) (net.Conn, error) {
	for { // retry: caller fixed
		connection, err := dial()
		if err == nil {
			return connection, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

func jump(get func() error) error {
	retries := 3
RETRY:
	if err := get(); err != nil {
		if retries > 0 && err != nil {
			retries--
			time.Sleep(time.Second)
			goto RETRY // retry: count fixed
		}
		return err
	}
	return nil
}

func library(client Client) error {
	return retry.Do(func() error { return client.Send() }, retry.Attempts(3)) // retry: count jitter
}

func option() *Client {
	return NewClient(&Options{MaxRetries: 4}) // retry: count elsewhere
}

func headed(ctx context.Context, dial func() error) error {
	for { // retry: caller fixed
		select {
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		if err := dial(); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
}

func ticking(ctx context.Context, dial func() error) {
	tick := time.NewTicker(2 * time.Second)
	for { // retry: caller fixed
		if err := dial(); err == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (s *Session) supervise() {
	for { // retry: none fixed
		err := s.session()
		log.Print(err)
		time.Sleep(time.Second)
	}
}

func givenBack(waiting chan Job, run func(Job) error) {
	for job := range waiting {
		if err := run(job); err != nil {
			waiting <- job // retry: none none
		}
	}
}

func byPolicy(do func() error, ctx context.Context) error {
	b := backoff.WithMaxRetries(backoff.NewExponentialBackOff(), 5)
	return backoff.Retry(do, backoff.WithContext(b, ctx)) // retry: count jitter
}

func (c *Uploads) policy(ctx context.Context) backoff.BackOff {
	b := backoff.NewExponentialBackOff(backoff.WithInitialInterval(c.wait))
	return backoff.WithContext(backoff.WithMaxRetries(b, 4), ctx)
}

func byOwnPolicy(do func() error, c *Uploads, ctx context.Context) error {
	return backoff.Retry(do, c.policy(ctx)) // retry: count jitter
}

func without(do func() error) error {
	return backoff.Retry(do, backoff.NewConstantBackOff(time.Second)) // retry: none fixed
}

func client() *http.Client {
	c := retryablehttp.NewClient() // retry: count growing
	c.RetryMax = 7
	return c.StandardClient()
}

func onceMore(c *Client) error {
	if err := c.Do(); err != nil {
		c.Reconnect()
		return c.Do() // retry: count none
	}
	return nil
}

// None of these tries the same again.

func eachOfSeveral(addresses []string) (net.Conn, error) {
	var last error
	for _, address := range addresses {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			last = err
			continue
		}
		return connection, nil
	}
	return nil, last
}

func serve(listener net.Listener) error {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		go handle(connection)
	}
}

func untilRoom(read func([]byte) (int, error)) []byte {
	for size := 64; ; size *= 2 {
		buffer := make([]byte, size)
		n, err := read(buffer)
		if err == ERROR_MORE_DATA {
			continue
		}
		return buffer[:n]
	}
}

func firstFreePort(port int) net.Listener {
	for {
		listener, err := net.Listen("tcp", fmt.Sprint(":", port))
		if err == nil {
			return listener
		}
		port++
	}
}

func unwrapped(err error) bool {
	if retryable(err) {
		return true
	}
	if inner := errors.Unwrap(err); inner != nil {
		return unwrapped(errors.Unwrap(err))
	}
	return false
}

func cancelled(ctx context.Context, done func(error)) {
	if err := ctx.Err(); err != nil {
		done(ctx.Err())
	}
}
