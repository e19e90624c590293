// A test program without a framework: plain_test watch|count
#include <cstdio>
#include <exception>
#include <string>

#include "server.h"
#include "shop.h"

int main(int argc, char** argv) {
  Server server;
  Shop shop{server.port};
  try {
    auto text = argc > 1 && std::string(argv[1]) == "watch" ? shop.watch() : shop.count();
    return text == "12" ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "the shop could not be asked: %s\n", error.what());
    return 1;
  }
}
