#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

namespace retrial::proxy::capture {

// Connections of the tree that pass us by, and on which somebody may be about to answer: UNIX sockets of processes
// outside the tree, TCP to where we do not go, queries of names. Whether one waits for an answer is not seen, so as
// long as it is open, it may.
class Natives {
 public:
  // A connect that passes. `name`: for the reader.
  void left(pid_t process, int fd, bool is_unix, std::string name);
  // One that is open, "tool[12] (connected to a UNIX socket)"; "": none is. `root`: what the tree descends from.
  std::string open(pid_t root);

 private:
  struct Native {
    pid_t process = 0;
    int fd = -1;
    bool is_unix = false;
    std::string name;
    ino_t inode = 0;
  };
  std::vector<Native> natives_;
};

}  // namespace retrial::proxy::capture
