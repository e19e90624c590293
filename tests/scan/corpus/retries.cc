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
