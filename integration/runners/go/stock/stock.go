// Package stock asks a shop what it has.
package stock

import (
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"time"
)

// Watch is wrong: it asks again at once, and for ever.
func Watch(shop string) (string, error) {
	for {
		if text, err := get(shop + "/watched"); err == nil {
			return text, nil
		}
	}
}

// Count is right: it waits longer each time, and gives up.
func Count(shop string) (text string, err error) {
	for attempt := 0; attempt < 3; attempt++ {
		if text, err = get(shop + "/counted"); err == nil {
			return text, nil
		}
		time.Sleep(time.Duration(float64(time.Second<<attempt) * (0.5 + rand.Float64())))
	}
	return "", err
}

var patient = http.Client{Timeout: 10 * time.Second}

func get(url string) (string, error) {
	answer, err := patient.Get(url)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != 200 {
		err = errors.New(answer.Status)
	}
	return string(text), err
}
