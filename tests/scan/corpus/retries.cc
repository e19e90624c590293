// Right and wrong retry code. `// retry: BOUND WAIT` stands where a location begins; everything else is none.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "client.h"

using namespace std::chrono_literals;

std::string right(Client& client, const std::string& url) {
  for (int attempt = 0; attempt < 5; attempt++) {  // retry: count growing
    try {
      return client.get(url);
    } catch (const ConnectionError& error) {
      if (attempt == 4) throw;
      std::this_thread::sleep_for(100ms * (1 << attempt));
    }
  }
  throw Failed(url);
}

std::string for_ever(Client& client, const std::string& url) {
  while (true) {  // retry: none fixed
    try {
      return client.get(url);
    } catch (...) {
      std::this_thread::sleep_for(1s);
    }
  }
}

bool tight(Client& client, const std::string& url) {
  for (;;) {  // retry: none none
    auto response = client.get(url);
    if (response.status < 500) return true;
  }
}

bool until_a_time(Client& client, const std::string& url) {
  auto deadline = std::chrono::steady_clock::now() + 10s;
  auto delay = 100ms;
  while (std::chrono::steady_clock::now() < deadline) {  // retry: time growing
    try {
      client.send(url);
      return true;
    } catch (const std::exception& error) {
      std::this_thread::sleep_for(delay);
      delay *= 2;
    }
  }
  return false;
}

int by_code(Socket& socket) {
  for (int i = 0; i < 3; i++) {  // retry: count none
    int rc = socket.put(1);
    if (rc == 0) return 0;
  }
  return -1;
}

int by_descriptor(const char* host) {
  int fd = -1;
  while ((fd = open_connection(host)) < 0) {  // retry: none fixed
    sleep(1);
  }
  return fd;
}

int until_it_works(Curl* handle) {
  int left = 3;
  CURLcode rc;
  do {  // retry: count none
    rc = curl_easy_perform(handle);
  } while (rc != CURLE_OK && --left > 0);
  return rc;
}

bool by_truth(Stub& stub, const Pair& pair) {
  for (int i = 0; i < 3; i++) {  // retry: count none
    if (stub.Put(pair).ok()) return true;
  }
  return false;
}

int deeper(const char* host, int tries) {
  int fd = open_connection(host);
  if (fd >= 0) return fd;
  if (tries >= 10) return -1;
  usleep(1000 << tries);
  return deeper(host, tries + 1);  // retry: count growing
}

int jump(Database& db) {
  int n = 0;
again:
  if (db_exec(db) != 0) {
    if (db.busy() && n++ < 5) goto again;  // retry: count none
    return -1;
  }
  return 0;
}

struct Pool {
  void run() {
    while (!stop_) {
      Task task = take();
      if (!task.run()) push(std::move(task));  // retry: none none
    }
  }
};

int once_more(Database& db, const char* query) {
  int rc = db_query(db, query);
  if (rc != 0) {
    sleep(1);
    rc = db_query(db, query);  // retry: count fixed
  }
  return rc;
}

// None of these tries the same again.

void each(Client& client, const std::vector<std::string>& urls) {
  for (auto& url : urls) {
    try {
      client.send(url);
    } catch (const std::exception& error) {
      continue;
    }
  }
}

int read_all(int file, char* buffer, int size) {
  int all = 0;
  while (all < size) {
    int n = read(file, buffer + all, size - all);
    if (n <= 0) break;
    all += n;
  }
  return all;
}

int waited_for(int process) {
  int status = 0;
  while (open_file(process, &status) < 0 && errno == EINTR) {
  }
  return status;
}
