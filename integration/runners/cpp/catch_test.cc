// The same under Catch2, each test in a process of its own.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include "server.h"
#include "shop.h"

TEST_CASE("it is paid") {
  Server server;
  Shop{server.port}.pay("7");
}

TEST_CASE("one, of two [odd] names, is placed") {
  Server server;
  Shop{server.port}.place("one");
}

TEST_CASE("it is watched") {
  Server server;
  SECTION("with what it has") { REQUIRE(Shop{server.port}.watch() == "12"); }
}

TEST_CASE("it is counted") {
  Server server;
  REQUIRE(Shop{server.port}.count() == "12");
}
