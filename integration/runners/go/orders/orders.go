// Package orders places orders at a shop.
package orders

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"time"
)

type Client struct {
	Shop string
	HTTP http.Client
}

// Pay is wrong: what may have been paid is paid once more.
func (c *Client) Pay(order string) error {
	var err error
	for attempt := 0; attempt < 3; attempt++ {
		if err = c.post("/payments", order, ""); err == nil {
			return nil
		}
		time.Sleep(time.Second << attempt)
	}
	return err
}

// Place is right: a key tells the shop that it is the same order.
func (c *Client) Place(order string) error {
	var err error
	for attempt := 0; attempt < 3; attempt++ {
		if err = c.post("/orders", order, "order-"+order); err == nil {
			return nil
		}
		time.Sleep(time.Second << attempt)
	}
	return err
}

func (c *Client) post(path, body, key string) error {
	request, err := http.NewRequest("POST", c.Shop+path, bytes.NewBufferString(body))
	if err != nil {
		return err
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	answer, err := c.HTTP.Do(request)
	if err != nil {
		return fmt.Errorf("post %s: %w", path, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 400 {
		return errors.New(answer.Status)
	}
	return nil
}
