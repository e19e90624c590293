#include "scan/verdicts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "scan/scan.h"

namespace retrial::scan {
namespace {

std::vector<Location> judged(std::string_view path, std::string_view text) {
  auto found = scan_text(*language_of(path), text).locations;
  for (auto& one : found) one.file = path;
  judge(found);
  return found;
}

std::vector<std::string> names(const Location& at) {
  std::vector<std::string> all;
  for (auto& verdict : at.verdicts) all.push_back(verdict.name);
  return all;
}

bool has(const Location& at, std::string_view name) { return std::ranges::count(names(at), name) > 0; }

TEST(Verdicts, of_a_loop_without_an_end_or_a_wait_say_both) {
  auto found = judged("a.py", "def f(u):\n  while True:\n    try:\n      return get(u)\n    except OSError: pass\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(names(found[0]), (std::vector<std::string>{"missing-cap", "missing-delay"}));
}

TEST(Verdicts, of_a_right_loop_are_none) {
  auto found = judged("a.py",
                      "def f(u):\n  for n in range(3):\n    try:\n      return get(u)\n    except OSError:\n"
                      "      time.sleep(2 ** n * random.random())\n  raise Gone(u)\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].verdicts.empty()) << names(found[0]).front();
}

TEST(Verdicts, say_that_a_post_without_a_key_is_sent_again_and_nothing_where_there_is_one) {
  auto text = [](const char* key) {
    return std::string("def f(u):\n  for n in range(3):\n    try:\n      return http.post(u, headers={") + key +
           "})\n    except OSError:\n      time.sleep(2 ** n)\n  raise Gone(u)\n";
  };
  EXPECT_TRUE(has(judged("a.py", text("")).at(0), "retries-non-idempotent"));
  EXPECT_FALSE(has(judged("a.py", text("'Idempotency-Key': k")).at(0), "retries-non-idempotent"));
  EXPECT_TRUE(has(judged("a.py", text("'Idempotency-Key': uuid4()")).at(0), "changed-on-retry"));
}

TEST(Verdicts, name_the_call_that_has_the_effect_not_the_first_one) {
  auto found = judged("a.py",
                      "def f(u):\n  for n in range(3):\n    try:\n      if http.get(u).ok: return\n"
                      "      return http.post(u)\n    except OSError:\n      time.sleep(2 ** n)\n  raise Gone(u)\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(has(found[0], "retries-non-idempotent"));
  EXPECT_EQ(found[0].effect, "http.post");
}

TEST(Verdicts, say_that_whatever_fails_leads_back_unless_it_is_looked_at) {
  auto text = [](const char* look) {
    return std::string(
               "async function f(u) {\n  for (let i = 0; i < 3; i++) {\n    try {\n      return await get(u);\n    } "
               "catch (e) {\n      ") +
           look + "await sleep(2 ** i);\n    }\n  }\n  throw new Error('gone');\n}\n";
  };
  EXPECT_TRUE(has(judged("a.js", text("")).at(0), "retries-permanent-error"));
  EXPECT_FALSE(has(judged("a.js", text("if (e.status < 500) throw e;\n")).at(0), "retries-permanent-error"));
}

TEST(Verdicts, say_that_the_last_failure_is_swallowed) {
  auto found = judged("a.py",
                      "def f(u):\n  for n in range(3):\n    try:\n      send(u)\n      break\n    except OSError:\n    "
                      "  time.sleep(2 ** n)\n");
  EXPECT_TRUE(has(found.at(0), "swallowed-error"));
}

TEST(Verdicts, say_where_retries_within_retries_multiply) {
  auto found = judged("a.py",
                      "def inner(u):\n  for n in range(3):\n    try:\n      return get(u)\n    except OSError:\n      "
                      "time.sleep(2 ** n)\n"
                      "  raise Gone(u)\n"
                      "def outer(u):\n  for n in range(3):\n    try:\n      return inner(u)\n    except Gone:\n      "
                      "time.sleep(2 ** n)\n"
                      "  raise Gone(u)\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(has(found[0], "retry-amplification"));
  EXPECT_TRUE(has(found[1], "retry-amplification"));
}

TEST(Verdicts, name_the_few_places_that_treat_an_error_otherwise_than_the_many) {
  std::string text;
  for (auto* name : {"a", "b", "c"})
    text += std::string("def ") + name +
            "(u):\n  for n in range(3):\n    try:\n      return get(u)\n    except Busy:\n      time.sleep(2 ** n)\n  "
            "raise Gone(u)\n";
  text +=
      "def d(u):\n  for n in range(3):\n    try:\n      return get(u)\n    except Busy:\n      raise\n    except "
      "Lost:\n      time.sleep(2 ** n)\n"
      "  raise Gone(u)\n";
  auto found = judged("a.py", text);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_FALSE(has(found[0], "inconsistent-retry"));
  EXPECT_TRUE(has(found[3], "inconsistent-retry"));
}

TEST(Verdicts, do_not_hold_one_error_of_two_callees_against_each_other) {
  std::string text;
  for (auto* name : {"a", "b", "c"})
    text += std::string("def ") + name +
            "(u):\n  for n in range(3):\n    try:\n      return requests.get(u)\n    except Busy:\n"
            "      time.sleep(2 ** n)\n  raise Gone(u)\n";
  text +=
      "def d(u):\n  for n in range(3):\n    try:\n      return open_db(u)\n    except Busy:\n      raise\n    except "
      "Lost:\n      time.sleep(2 ** n)\n  raise Gone(u)\n";
  auto found = judged("a.py", text);
  ASSERT_EQ(found.size(), 4u);
  for (auto& one : found) EXPECT_FALSE(has(one, "inconsistent-retry"));
}

TEST(Verdicts, know_a_guard_that_ends) {
  auto found =
      judged("a.cs",
             "class A { async Task<int> F() { for (var n = 1; ; n++) { try { return await get(); } catch (IOException) "
             "when (n < 4) { await Task.Delay(100 << n); } } } }\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(has(found[0], "missing-cap"));
  EXPECT_FALSE(has(found[0], "swallowed-error"));
}

TEST(Verdicts, do_not_believe_a_number_that_nothing_counts) {
  auto text = [](const char* step) {
    return std::string(
               "def f(u):\n  tries = 0\n  while True:\n    try:\n      return get(u)\n    except OSError:\n      ") +
           step + "\n      if tries > 4: raise\n      time.sleep(2 ** tries)\n";
  };
  EXPECT_FALSE(has(judged("a.py", text("tries += 1")).at(0), "missing-cap"));
  EXPECT_TRUE(has(judged("a.py", text("pass")).at(0), "missing-cap"));
  EXPECT_TRUE(has(judged("a.py", text("tries = 0; tries += 1")).at(0), "missing-cap"));
}

TEST(Verdicts, know_that_a_recursion_which_hands_on_the_same_number_counts_nothing) {
  auto text = [](const char* next) {
    return std::string(
               "def f(u, attempt):\n  try:\n    return send(u)\n  except OSError:\n    if attempt > 3: raise\n    "
               "return f(u, ") +
           next + ")\n";
  };
  EXPECT_FALSE(has(judged("a.py", text("attempt + 1")).at(0), "missing-cap"));
  EXPECT_TRUE(has(judged("a.py", text("attempt")).at(0), "missing-cap"));
}

TEST(Verdicts, name_what_failed_and_not_what_was_made_for_it) {
  auto found = judged(
      "a.go",
      "package a\nfunc f(c Client, v string) {\n  for {\n    r, err := c.Post(\"/\", strings.NewReader(v))\n    if err "
      "!= nil {\n      continue\n    }\n    return\n  }\n}\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].calls, "c.Post");
  EXPECT_TRUE(has(found[0], "retries-non-idempotent"));
}

TEST(Verdicts, take_the_method_that_a_chain_names_and_not_that_it_is_sent) {
  auto text = [](const char* method) {
    return std::string("fn f(c: &Client) -> R {\n  for _ in 0..3 {\n    match c.") + method +
           "(url).send() {\n      Ok(_) => return Ok(()),\n      Err(e) => last = e,\n    }\n  }\n  Err(last)\n}\n";
  };
  EXPECT_FALSE(has(judged("a.rs", text("delete")).at(0), "retries-non-idempotent"));
  EXPECT_TRUE(has(judged("a.rs", text("post")).at(0), "retries-non-idempotent"));
  EXPECT_FALSE(has(judged("a.rs", text("post")).at(0), "swallowed-error"));
}

TEST(Verdicts, name_what_sends_and_not_what_asks_or_makes_something_before_it) {
  auto found = judged("a.py",
                      "def f(s, part, folder):\n  for n in range(3):\n    try:\n      os.makedirs(folder)\n"
                      "      if s.locked.is_empty():\n        pass\n      answer = s.client.upload_part(part)\n"
                      "      return answer\n    except ConnectionError: time.sleep(1)\n  raise Gone(part)\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].calls, "s.client.upload_part");
}

TEST(Verdicts, take_a_verb_for_an_effect_only_where_it_says_what_is_done) {
  auto effect = [](const std::string& call) {
    auto found = judged("a.py", "def f(s, x):\n  for n in range(3):\n    try:\n      return s." + call +
                                    "(x)\n    except OSError: time.sleep(1)\n  raise Gone(x)\n");
    return found.size() == 1 && has(found[0], "retries-non-idempotent");
  };
  for (auto* call : {"create_topic", "async_send", "sendKernelImpl", "batch_insert", "doPost"})
    EXPECT_TRUE(effect(call)) << call;
  for (auto* call : {"run_post_request_hooks", "processSendResponse", "getPublishInfo", "create_cursor"})
    EXPECT_FALSE(effect(call)) << call;
}

TEST(Verdicts, know_that_what_is_not_to_be_tried_again_has_left_before) {
  auto found = judged("a.js",
                      "async function createWithRetry(s) {\n  try { await api.create(s); } catch (err) {\n"
                      "    if ((0, e_1.getStatus)(err) !== 429) { throw err; }\n    await api.clean();\n"
                      "    return createWithRetry(s);\n  }\n}\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(has(found[0], "retries-permanent-error"));
}

TEST(Verdicts, quote_the_number_of_a_timer_and_not_its_unit) {
  auto found = judged("A.java",
                      "class A { void pull(R r) { try { api.pull(r); } catch (IOException e) { later(r, 3000); } }\n"
                      "void later(R r, long d) { pool.schedule(() -> pull(r), d, TimeUnit.MILLISECONDS); } }\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].wait.text, "d");
}

TEST(Verdicts, do_not_take_what_is_imported_for_the_projects_own) {
  auto text = [](const char* call) {
    return std::string(
               "package a\nimport (\n  \"net\"\n)\nfunc Dial(a string) error {\n  for i := 0; i < 3; i++ {\n    if err "
               ":= "
               "connect(a); err == nil {\n      return nil\n    }\n  }\n  return errGone\n}\nfunc g(a string) error "
               "{\n  for i := 0; "
               "i < 3; i++ {\n    if err := ") +
           call + "(a); err == nil {\n      return nil\n    }\n  }\n  return errGone\n}\n";
  };
  EXPECT_TRUE(has(judged("a.go", text("Dial")).at(1), "retry-amplification"));
  EXPECT_FALSE(has(judged("a.go", text("net.Dial")).at(1), "retry-amplification"));
}

TEST(Verdicts, know_that_a_named_result_is_given_back) {
  auto found = judged(
      "a.go",
      "package a\nfunc f(c *C) (err error) {\n  for i := 0; i < 3; i++ {\n    err = c.Do()\n    if err == nil {\n      "
      "break\n    }\n  }\n  return\n}\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(has(found[0], "swallowed-error"));
}

TEST(Verdicts, say_of_a_result_that_is_still_nothing_that_the_failure_is_swallowed) {
  auto found = judged(
      "A.java",
      "class A { C f() { C c = null; int tries = 0; do { try { c = connect(); } catch (IOException e) { tries++; "
      "} } while (c == null && tries < 9); return c; } }\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(has(found[0], "swallowed-error"));
}

TEST(Verdicts, tell_an_error_that_is_asked_how_it_came_from_one_that_is_only_there) {
  auto text = [](const char* test) {
    return std::string("def f(u):\n  for n in range(3):\n    r = get(u)\n    if ") + test +
           ":\n      return r\n    time.sleep(2 ** n)\n  raise Gone(u)\n";
  };
  EXPECT_TRUE(has(judged("a.py", text("r.success")).at(0), "retries-permanent-error"));
  EXPECT_FALSE(has(judged("a.py", text("r.status_code < 500")).at(0), "retries-permanent-error"));
}

TEST(Verdicts, say_of_a_queue_too_that_it_has_no_end_and_no_wait) {
  auto found =
      judged("a.py", "def f(jobs):\n  job = jobs.pop()\n  try:\n    job.run()\n  except IOError:\n    jobs.put(job)\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(has(found[0], "missing-cap"));
  EXPECT_TRUE(has(found[0], "missing-delay"));
}

TEST(Verdicts, quote_no_wait_that_is_not_known) {
  auto found = judged("a.py", "import backoff\n@tenacity.retry(wait=wait_fixed(2))\ndef f(u):\n  return get(u)\n");
  ASSERT_EQ(found.size(), 1u);
  ASSERT_TRUE(has(found[0], "no-backoff"));
  for (auto& verdict : found[0].verdicts) EXPECT_EQ(verdict.text.find("()"), verdict.text.npos) << verdict.text;
}

TEST(Verdicts, each_have_a_rule_that_says_what_right_code_does) {
  for (auto& rule : rules()) {
    EXPECT_FALSE(rule.title.empty());
    EXPECT_FALSE(rule.right.empty());
  }
}

}  // namespace
}  // namespace retrial::scan
