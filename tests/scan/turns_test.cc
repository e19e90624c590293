// Loops that go through things, apart from those that try one thing again.
#include <gtest/gtest.h>

#include "scan/candidates.h"

namespace retrial::scan {
namespace {

bool goes_through_things(const char* file, std::string_view text) {
  return !loops_for_each_thing(*language_of(file), text).empty();
}

TEST(Turns, a_loop_that_goes_on_whatever_became_of_one_is_for_each_thing) {
  auto found = loops_for_each_thing(*language_of("a.ts"), R"(
async function gross(lines: Line[]) {
  const out = []
  for (const line of lines) {
    try {
      const percent = await this.percent(region)
      out.push({ gross: line.price * percent })
    } catch {
      out.push({ gross: null })
    }
  }
  return out
}
)");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].line, 4U);
  EXPECT_EQ(found[0].last_line, 11U);
  EXPECT_EQ(found[0].function, "gross");
  EXPECT_TRUE(goes_through_things("a.py", R"(
def convert(prices):
    out = []
    for price in prices:
        try:
            out.append(price * rate("EUR"))
        except RateError:
            out.append(None)
    return out
)"));
  EXPECT_TRUE(goes_through_things("a.go", R"(package a
func poll(ticker *time.Ticker) {
	for range ticker.C {
		if err := client.Send(status); err != nil {
			log.Println(err)
		}
	}
}
)"));
  EXPECT_TRUE(goes_through_things("A.java", R"(class A { void all(List<Line> lines) {
    for (Line line : lines) { try { client.post(line); } catch (IOException e) { failed.add(line); } }
  } })"));
}

TEST(Turns, a_loop_that_success_leaves_is_not) {
  EXPECT_FALSE(goes_through_things("a.py", R"(
def ask():
    for pause in (1, 2, 4):
        try:
            return send()
        except OSError:
            sleep(pause)
)"));
  EXPECT_FALSE(goes_through_things("a.ts", R"(
async function ask() {
  for (const host of hosts) {
    const res = await fetch(host)
    if (res.ok) break
  }
}
)"));
}

TEST(Turns, nor_one_that_a_library_leaves_or_that_holds_another_that_tries_again) {
  EXPECT_FALSE(goes_through_things("a.py", R"(
def ask():
    for attempt in Retrying(stop=stop_after_attempt(3)):
        with attempt:
            send()
)"));
  EXPECT_FALSE(goes_through_things("a.py", R"(
def all(things):
    for thing in things:
        for n in range(3):
            try:
                send(thing)
                break
            except OSError:
                sleep(n)
)"));
  EXPECT_FALSE(goes_through_things("a.py", R"(
def all(things):
    for thing in things:
        while True:
            try:
                send(thing)
                break
            except OSError:
                sleep(1)
)"));
}

}  // namespace
}  // namespace retrial::scan
