// A client of the capture tests: built without cgo, so no libc stands between it and the kernel.
package main

import (
	"fmt"
	"net"
	"os"
	"sync"
)

func ask(network, address string) string {
	c, err := net.Dial(network, address)
	if err != nil {
		return err.Error()
	}
	defer c.Close()
	if c.RemoteAddr().String() != address {
		return "the peer is " + c.RemoteAddr().String()
	}
	fmt.Fprint(c, "hi\n")
	answer := make([]byte, 64)
	n, _ := c.Read(answer)
	return string(answer[:n])
}

func main() {
	v4, v6, closed := os.Args[1], os.Args[2], os.Args[3]
	fmt.Print(ask("tcp", v4))
	fmt.Print(ask("tcp6", v6)) // Go sets IPV6_V6ONLY
	fmt.Println(ask("tcp", closed))
	var all sync.WaitGroup
	var one sync.Mutex
	good := 0
	for i := 0; i < 50; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			if ask("tcp", v4) == "hello 127.0.0.1\n" {
				one.Lock()
				good++
				one.Unlock()
			}
		}()
	}
	all.Wait()
	fmt.Println(good, "answered")
}
