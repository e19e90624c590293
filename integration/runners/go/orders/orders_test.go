package orders

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

var shop *httptest.Server

func TestMain(m *testing.M) {
	shop = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(201) }))
	code := m.Run()
	shop.Close()
	os.Exit(code)
}

func client() *Client { return &Client{Shop: shop.URL, HTTP: http.Client{Timeout: 10 * time.Second}} }

func TestPay(t *testing.T) {
	if err := client().Pay("7"); err != nil {
		t.Fatal(err)
	}
}

func TestPlace(t *testing.T) {
	for _, order := range []string{"one of two", "odd [na]me/1.5$"} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			if err := client().Place(order); err != nil {
				t.Fatalf("%q was not placed: %v", order, err)
			}
		})
	}
}
