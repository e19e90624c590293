// Right and wrong retry code. `// retry: BOUND WAIT` stands where a location begins; everything else is none.
#include <errno.h>
#include <unistd.h>

int right(struct client *client, const char *url) {
  for (int attempt = 0; attempt < 5; attempt++) { // retry: count growing
    int rc = client_fetch(client, url);
    if (rc == 0) return 0;
    usleep(100000 << attempt);
  }
  return -1;
}

int for_ever(struct addr *addr) {
  int fd;
  while ((fd = connect_to(addr)) < 0) // retry: none fixed
    sleep(1);
  return fd;
}

int again(struct db *db, const char *sql) {
  int rc;
retry:
  rc = db_execute(db, sql);
  if (rc == DB_BUSY)
    goto retry; // retry: none none
  return rc;
}

// Each turn sends what is left.
int send_all(int fd, const char *at, size_t left) {
  while (left > 0) {
    ssize_t sent = send(fd, at, left, 0);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return -1;
    at += sent;
    left -= sent;
  }
  return 0;
}
