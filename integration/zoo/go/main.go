// main NAME METHOD URL [--timeout MS]: one call, and how it ended as one line of JSON. The exit status is 0 however the call ended, 2
// where there was none.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"
)

func main() {
	if len(os.Args) != 4 && len(os.Args) != 6 {
		fmt.Fprintln(os.Stderr, "main NAME METHOD URL [--timeout MS]")
		os.Exit(2)
	}
	call, known := clients[os.Args[1]]
	if !known {
		fmt.Fprintf(os.Stderr, "main: no client is called %s\n", os.Args[1])
		os.Exit(2)
	}
	asked := ask{url: os.Args[3], method: os.Args[2]}
	if len(os.Args) == 6 {
		ms, err := strconv.Atoi(os.Args[5])
		if err != nil {
			fmt.Fprintln(os.Stderr, "main: --timeout:", err)
			os.Exit(2)
		}
		asked.timeout = time.Duration(ms) * time.Millisecond
	}
	outcome := map[string]any{"ok": true}
	if err := call(asked); err != nil {
		outcome = map[string]any{"ok": false, "error": err.Error()}
	}
	json.NewEncoder(os.Stdout).Encode(outcome)
}
