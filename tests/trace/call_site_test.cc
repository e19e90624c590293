#include "trace/call_site.h"

#include <gtest/gtest.h>

namespace retrial::trace {
namespace {

const CallSite kTracked{"src/base.mjs", 6, "ask", "src/track.mjs:5:track"};

TEST(CallSites, are_equal_whatever_line_of_a_caller_calls) {
  auto site = [](int line, std::string callers) { return CallSite{"retry.py", line, "ask", std::move(callers)}; };
  EXPECT_EQ(site(4, "track.py:5:track"), site(4, "track.py:9:track"));
  EXPECT_NE(site(4, "track.py:5:track"), site(6, "track.py:5:track"));
  EXPECT_NE(site(4, "track.py:5:track"), site(4, "label.py:5:label"));
  EXPECT_NE(site(4, "track.py:5:track"), site(4, "track.py:5:label"));
  EXPECT_NE(site(4, "track.py:5:track"), site(4, ""));
  EXPECT_NE(site(4, "a.py:1:a,b.py:1:b"), site(4, "b.py:1:b,a.py:1:a"));
}

TEST(CallSites, have_one_key_where_they_are_equal_and_are_shown_with_every_line) {
  auto other = kTracked;
  other.callers = "src/track.mjs:9:track";
  EXPECT_EQ(key_of(other), key_of(kTracked));
  EXPECT_EQ(key_of(kTracked), "src/base.mjs:6 ask <- src/track.mjs track");
  EXPECT_EQ(show(kTracked), "src/base.mjs:6 ask <- src/track.mjs:5 track");
  EXPECT_EQ(show_innermost(kTracked), "src/base.mjs:6 ask");
}

TEST(CallSites, hold_frames_that_are_decoded_one_by_one) {
  auto frames = frames_of({"a.py", 1, "f", "b%2C%20c.py:2:C::g,d%3A.py:3:%E2%82%AC"});
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[1], (Frame{"b, c.py", 2, "C::g"}));
  EXPECT_EQ(frames[2], (Frame{"d:.py", 3, "€"}));
}

TEST(CallSites, leave_out_what_is_no_frame) {
  for (auto* odd :
       {",", ",,,", "b.py", "b.py:", "b.py:x:f", "b.py:-1:f", "b.py:99999999999:f", ":", "::", "%", "%2", "b.py%3A2"})
    EXPECT_EQ(frames_of({"a.py", 1, "f", odd}).size(), 1u) << odd;
  EXPECT_EQ(frames_of({"a.py", 1, "f", "x,b.py:2:g,,c.py:3:h,"}).size(), 3u);
}

TEST(CallSites, have_twelve_frames_at_most) {
  std::string callers;
  for (int i = 0; i < 200; i++) callers += "b.py:" + std::to_string(i) + ":g,";
  EXPECT_EQ(frames_of({"a.py", 1, "f", callers}).size(), kMostFrames);
  EXPECT_EQ(frames_of({"a.py", 1, "f", "," + callers}).size(), kMostFrames) << "what parts them is none";
}

TEST(CallSites, are_read_again_from_what_is_shown) {
  for (auto site :
       {kTracked, CallSite{"a b.py", 3, "<anonymous>"}, CallSite{"a.py", 1, "new C", "b%2Cc.py:2:x%20y,d.py:3:e"}}) {
    auto read = read_call_site(show(site));
    ASSERT_TRUE(read) << show(site);
    EXPECT_EQ(show(*read), show(site));
    EXPECT_EQ(*read, site);
  }
  EXPECT_EQ(show(read_call_site("a.py:3").value()), "a.py:3 ");
  for (auto* wrong : {"", "a.py", "a.py f", ":3 f", "a.py:0 f", "a.py:3 f <- ", "a.py:3 f <- b.py", " <- a.py:3 f"})
    EXPECT_FALSE(read_call_site(wrong)) << wrong;
}

}  // namespace
}  // namespace retrial::trace
