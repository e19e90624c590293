package stock_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/shop/stock"
)

func shop(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "12") }))
	t.Cleanup(server.Close)
	return server.URL
}

func TestWatch(t *testing.T) {
	if text, err := stock.Watch(shop(t)); err != nil || text != "12" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestCount(t *testing.T) {
	if text, err := stock.Count(shop(t)); err != nil || text != "12" {
		t.Errorf("%q, %v", text, err)
	}
}
