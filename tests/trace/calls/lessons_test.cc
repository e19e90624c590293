#include "trace/calls/lessons.h"

#include <gtest/gtest.h>

#include "tests/trace/traffic.h"

namespace retrial::trace {
namespace {

// A reference run, request by request, each answered 200.
class Reference : public Traffic {
 public:
  Reference& ask(std::string line, std::string site, std::string answer = "") {
    auto e = begin(line + " HTTP/1.1\r\nHost: h\r\n\r\n", {.site = std::move(site)});
    e.response_sample = std::move(answer);
    serve(e, 200);
    return *this;
  }
  std::string rename(std::string operation) const { return lessons_of(run).rename(std::move(operation)); }
};

TEST(Lessons, a_name_that_one_call_site_varies_is_data) {
  Reference r;
  r.ask("GET /users/alice", "app.py:1:user").ask("GET /users/bob", "app.py:1:user");
  EXPECT_EQ(r.rename("GET /users/alice"), "GET /users/{name}");
  EXPECT_EQ(r.rename("GET /users/carol"), "GET /users/{name}") << "the case may ask for another";
  EXPECT_EQ(r.rename("PUT /users/carol/photo"), "PUT /users/{name}/photo");
  EXPECT_EQ(r.rename("GET /users/{id}"), "GET /users/{name}");
  EXPECT_EQ(r.rename("GET /users"), "GET /users");
  EXPECT_EQ(r.rename("GET /users/search"), "GET /users/search");
  EXPECT_EQ(r.rename("GET /teams/alice"), "GET /teams/alice");
  EXPECT_EQ(r.rename(r.rename("GET /users/alice")), "GET /users/{name}");
}

TEST(Lessons, what_one_call_site_sends_beside_ids_is_drawn_too) {
  Reference r;
  r.ask("PUT /o/x7f3q9d2b1", "app.py:1:put").ask("PUT /o/ggezynziqem", "app.py:1:put");
  r.ask("GET /o/summary", "app.py:2:sum");
  ASSERT_EQ(r.run.exchanges[0].operation, "PUT /o/{id}");
  EXPECT_EQ(r.rename("PUT /o/{id}"), "PUT /o/{name}");
  EXPECT_EQ(r.rename("PUT /o/ggezynziqem"), "PUT /o/{name}");
  EXPECT_EQ(r.rename("PUT /o/kqzzvxamw"), "PUT /o/{name}") << "another run draws another";
  EXPECT_EQ(r.rename("GET /o/summary"), "GET /o/summary");
}

TEST(Lessons, a_wrapper_through_which_everything_goes_says_nothing) {
  Reference r;
  for (auto line : {"GET /users", "GET /orders", "GET /api/users", "GET /api/orders", "POST /api/users"})
    r.ask(line, "http.py:9:request");
  for (auto line : {"GET /users", "GET /orders", "GET /api/users", "GET /api/orders"}) EXPECT_EQ(r.rename(line), line);
}

TEST(Lessons, collections_whose_things_differ_are_not_folded) {
  Reference r;
  r.ask("GET /api/users", "app.py:1:list", R"([{"id":1,"name":"a","email":"x"}])")
      .ask("GET /api/orders", "app.py:1:list", R"([{"id":1,"total":3,"items":[]}])");
  EXPECT_EQ(r.rename("GET /api/users"), "GET /api/users");

  Reference below;
  below.ask("GET /api/users", "app.py:1:list").ask("GET /api/orders", "app.py:1:list");
  below.ask("GET /api/users/7/photo", "app.py:2:photo").ask("GET /api/orders/7/items", "app.py:3:items");
  EXPECT_EQ(below.rename("GET /api/users"), "GET /api/users");
}

TEST(Lessons, without_call_sites_four_that_are_answered_alike_are_names) {
  Reference r;
  for (auto who : {"alice", "bob", "carol"}) r.ask(std::string("GET /users/") + who, "", R"({"id":1,"name":"n"})");
  EXPECT_EQ(r.rename("GET /users/bob"), "GET /users/bob") << "three could be three operations";
  r.ask("GET /users/dave", "", R"({"id":2,"name":"n","admin":true})");
  EXPECT_EQ(r.rename("GET /users/bob"), "GET /users/{name}");

  Reference pages;
  for (auto page : {"about", "imprint", "contact", "jobs"}) pages.ask(std::string("GET /site/") + page, "");
  EXPECT_EQ(pages.rename("GET /site/about"), "GET /site/about") << "nothing is known of what they are";
}

TEST(Lessons, what_an_answer_has_named_before_is_a_name) {
  Reference r;
  r.ask("POST /mails", "mail.js:1:send", R"({"id":"m1","state":"queued"})").ask("GET /mails/m1", "mail.js:9:wait");
  EXPECT_EQ(r.rename("GET /mails/m1"), "GET /mails/{name}");
  EXPECT_EQ(r.rename("DELETE /mails/m2"), "DELETE /mails/{name}") << "of another run";
  EXPECT_EQ(r.rename("GET /v1/mails"), "GET /v1/mails");
  Reference later;
  later.ask("GET /mails/m1", "mail.js:9:wait", R"({"state":"m1", "id": 7, "sender_key": "k9"})");
  EXPECT_EQ(later.rename("GET /mails/m1"), "GET /mails/m1") << "nobody had named it";
  later.ask("GET /senders/k9", "mail.js:20:sender").ask("GET /things/7", "mail.js:30:thing");
  EXPECT_EQ(later.rename("GET /senders/k9"), "GET /senders/{name}");
}

TEST(Lessons, what_an_answer_has_named_by_what_it_is_one_of_is_a_name) {
  Reference r;
  r.ask("POST /labels", "post.js:1:label", R"({"label":"L4","parcel": "P6","box":"B2","to":"home"})");
  r.ask("GET /parcels/P6", "post.js:9:track")
      .ask("GET /boxes/B2", "post.js:12:open")
      .ask("GET /pages/home", "post.js:15:page");
  EXPECT_EQ(r.rename("GET /parcels/P6"), "GET /parcels/{name}");
  EXPECT_EQ(r.rename("GET /boxes/B2"), "GET /boxes/{name}");
  EXPECT_EQ(r.rename("GET /pages/home"), "GET /pages/home");
}

TEST(Lessons, what_was_seen_to_be_something_else_stays_beside_the_names) {
  Reference r;
  r.ask("GET /users/alice", "app.py:1:user").ask("GET /users/bob", "app.py:1:user");
  r.ask("GET /users/export", "app.py:5:export");
  EXPECT_EQ(r.rename("GET /users/export"), "GET /users/export");
  EXPECT_EQ(r.rename("GET /users/carol"), "GET /users/{name}");
}

TEST(Lessons, files_are_names_in_the_first_segment_too_and_other_first_segments_never) {
  Reference r;
  r.ask("PUT /report.pdf", "dav.py:1:put").ask("PUT /notes.txt", "dav.py:1:put");
  r.ask("GET /users", "app.py:1:list").ask("GET /orders", "app.py:1:list");
  EXPECT_EQ(r.rename("PUT /x.png"), "PUT /{name}");
  EXPECT_EQ(r.rename("GET /users"), "GET /users");
}

TEST(Lessons, names_below_names_are_learned_one_after_another) {
  Reference r;
  for (auto org : {"acme", "globex"})
    for (auto user : {"alice", "bob"})
      r.ask(std::string("GET /orgs/") + org + "/users/" + user, "app.py:1:member", R"({"id":1,"role":"r"})");
  EXPECT_EQ(r.rename("GET /orgs/initech/users/carol"), "GET /orgs/{name}/users/{name}");
}

TEST(Lessons, methods_of_gRPC_and_actions_are_no_data) {
  Reference r;
  for (auto action : {"Send", "Receive", "Delete", "Purge"})
    r.ask(std::string("POST /?Action=") + action, "sqs.py:1:call", R"({"id":"1"})");
  EXPECT_TRUE(lessons_of(r.run).names.empty());
}

TEST(Lessons, are_applied_to_what_was_recorded_before_and_recalled_from_what_is_stored) {
  Reference r;
  r.ask("GET /users/alice", "app.py:1:user").ask("GET /users/bob", "app.py:1:user");
  auto lessons = lessons_of(r.run);
  lessons.apply(r.run);
  EXPECT_EQ(r.run.exchanges[0].operation, "GET /users/{name}");
  EXPECT_EQ(lessons_of(r.run).names, lessons.names);

  Lessons recalled;
  recalled.recall("GET /orgs/{id}/users/{name}/posts");
  EXPECT_EQ(recalled.rename("GET /orgs/{id}/users/eve/posts"), "GET /orgs/{id}/users/{name}/posts");
}

TEST(Lessons, are_learned_again_from_a_run_that_was_recorded_with_them) {
  Reference r;
  r.ask("POST /uploads", "app.py:1:begin", R"({"id":"up5"})").ask("PUT /uploads/up5/parts/1", "app.py:2:part");
  r.ask("GET /uploads/open", "app.py:3:open");
  auto first = lessons_of(r.run);
  EXPECT_EQ(first.rename("PUT /uploads/up37/parts/{id}"), "PUT /uploads/{name}/parts/{id}");
  first.apply(r.run);
  EXPECT_EQ(r.rename("PUT /uploads/up37/parts/{id}"), "PUT /uploads/{name}/parts/{id}");
  EXPECT_EQ(r.rename("GET /uploads/open"), "GET /uploads/open");
}

TEST(Lessons, a_poll_is_known_by_its_learned_name) {
  Reference r;
  r.ask("GET /jobs/alpha", "app.py:1:wait")
      .ask("GET /jobs/alpha", "app.py:1:wait")
      .ask("GET /jobs/beta", "app.py:1:wait");
  auto lessons = lessons_of(r.run);
  auto e = wire::request("GET /jobs/gamma HTTP/1.1\r\n\r\n");
  e.tag.site = parse_call_site("app.py:1:wait");
  EXPECT_TRUE(lessons.at_poll(e));
  e.tag.site->line = 2;
  EXPECT_FALSE(lessons.at_poll(e));
}

Exchange asked(std::string line) {
  auto e = wire::request(line + " HTTP/1.1\r\nHost: h\r\n\r\n");
  e.tag.site = parse_call_site("app.py:1:wait");
  e.tag.test = "t1";
  return e;
}

TEST(Lessons, what_is_asked_again_after_the_services_own_404_is_a_poll_too) {
  Traffic t;
  for (int status : {404, 404, 200}) {
    auto e = t.begin("GET /table HTTP/1.1\r\nHost: h\r\n\r\n", {.site = "app.py:1:wait"});
    t.serve(e, status);
  }
  EXPECT_TRUE(lessons_of(t.run).at_poll(asked("GET /table")));

  Traffic down;  // an error that asks for another try makes none
  for (int status : {503, 503, 200}) {
    auto e = down.begin("GET /table HTTP/1.1\r\nHost: h\r\n\r\n", {.site = "app.py:1:wait"});
    down.serve(e, status);
  }
  EXPECT_FALSE(lessons_of(down.run).at_poll(asked("GET /table")));
}

TEST(Lessons, what_comes_at_equal_intervals_is_a_poll_whatever_comes_between) {
  auto at_poll = [](std::initializer_list<Nanos> pauses) {
    Reference r;
    for (auto pause : pauses) {
      r.ask("PUT /beat/a", "app.py:1:wait").ask("PUT /beat/b", "app.py:1:wait");
      r.pass(pause);
    }
    return lessons_of(r.run).at_poll(asked("PUT /beat/a"));
  };
  constexpr auto kMinute = 60 * kSecond;
  EXPECT_TRUE(at_poll({kMinute, kMinute, kMinute, 0}));
  EXPECT_FALSE(at_poll({kMinute, kMinute, 0})) << "two intervals may be alike by chance";
  EXPECT_FALSE(at_poll({kMinute, kMinute / 2, kMinute, 0}));
  EXPECT_FALSE(at_poll({kSecond / 10, kSecond / 10, kSecond / 10, 0})) << "a test's own pace";
}

TEST(Lessons, a_heartbeat_by_its_name_is_a_poll_at_any_pace_and_whatever_it_holds) {
  auto at_poll = [](const std::string& line) {
    Traffic reference;
    for (auto* at : {"{\"at\":1}", "{\"at\":2}", "{\"at\":3}", "{\"at\":4}"}) {
      auto e =
          reference.begin(line + " HTTP/1.1\r\nHost: h\r\nContent-Length: 8\r\n\r\n" + at, {.site = "app.py:1:wait"});
      reference.serve(e, 200);
      reference.pass(kSecond / 10);
    }
    return lessons_of(reference.run).at_poll(asked(line));
  };
  EXPECT_TRUE(at_poll("POST /vans/7/heartbeat"));
  EXPECT_TRUE(at_poll("POST /leases/compactor/renew"));
  EXPECT_FALSE(at_poll("POST /vans/7/load"));
}

TEST(Lessons, what_came_once_in_a_test_and_to_a_good_end_is_known) {
  Reference r;
  r.ask("GET /one", "app.py:1:wait").ask("GET /two", "app.py:1:wait").ask("GET /two", "app.py:1:wait");
  auto lessons = lessons_of(r.run);
  auto came_once = [&](const char* line, const char* test = "t1") {
    auto e = asked(line);
    e.tag.test = test;
    e.request_read = 1;
    return lessons.came_once(e) != 0;
  };
  EXPECT_TRUE(came_once("GET /one"));
  EXPECT_FALSE(came_once("GET /two"));
  EXPECT_FALSE(came_once("GET /three"));
  EXPECT_FALSE(came_once("GET /one", "t2"));
}

TEST(Lessons, what_came_once_goes_on_where_it_comes_again_though_others_take_turns_with_it) {
  constexpr std::string_view kThings[] = {"GET /things/1 HTTP/1.1\r\nHost: h\r\n\r\n",
                                          "GET /things/2 HTTP/1.1\r\nHost: h\r\n\r\n"};
  Traffic reference, down;
  for (auto thing : kThings) {
    auto e = reference.begin(thing);
    reference.serve(e, 200);
  }
  for (int attempt = 0; attempt < 20; attempt++)
    for (auto thing : kThings) {
      auto e = down.begin(thing);
      down.inject(e, 503);
    }
  Correlator::correlate_again(down.run.exchanges, lessons_of(reference.run));
  for (auto& e : down.run.exchanges) {
    EXPECT_EQ(e.attempt, static_cast<int>(e.id + 1) / 2);
    EXPECT_EQ(e.confidence, e.attempt > 1 ? Confidence::likely : Confidence::certain) << e.id;
  }
}

// Two orders of the same, by a client whose stack is not known: a retry is what makes them three.
TEST(Lessons, what_comes_more_often_than_without_faults_goes_on_from_a_failure) {
  constexpr std::string_view kOrder = "POST /orders HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n{\"n\": 12}";
  Traffic reference;
  for (int n = 0; n < 2; n++) {
    auto e = reference.begin(kOrder);
    reference.serve(e, 201);
  }
  auto lessons = lessons_of(reference.run);
  auto attempts = [&](std::initializer_list<bool> lost, bool broke_off = false) {
    Traffic t;
    for (bool is_lost : lost) {
      auto e = t.begin(kOrder);
      if (is_lost)
        t.reset(e);
      else
        t.serve(e, 201);
    }
    Correlator::correlate_again(t.run.exchanges, lessons, broke_off);
    std::vector<int> out;
    for (auto& e : t.run.exchanges)
      out.push_back(e.confidence == Confidence::possible && e.attempt > 1 ? -e.attempt : e.attempt);
    return out;
  };
  using All = std::vector<int>;
  EXPECT_EQ(attempts({true, false, false}), (All{1, 2, 1}));
  EXPECT_EQ(attempts({false, true, false}), (All{1, 1, 2}));
  EXPECT_EQ(attempts({true, false}), (All{1, 1})) << "the second order";
  EXPECT_EQ(attempts({true, true, true, true}, true), (All{1, 2, 3, 4})) << "the first order, and no second";
  EXPECT_EQ(attempts({true, true}, true), (All{1, 2})) << "the first order, and its test ended with it";
}

TEST(Lessons, what_came_once_goes_on_in_another_process_too) {
  constexpr std::string_view kPut = "PUT /orders/7 HTTP/1.1\r\nHost: h\r\n\r\n";
  auto attempts = [&](int in_the_reference) {
    Traffic reference, down;
    for (int n = 0; n < in_the_reference; n++) {
      auto e = reference.begin(kPut, {.site = "", .pid = 10 + n});
      reference.serve(e, 200);
    }
    for (int n = 0; n < 5; n++) {
      auto e = down.begin(kPut, {.site = "", .pid = 20 + n});
      down.inject(e, 503);
    }
    Correlator::correlate_again(down.run.exchanges, lessons_of(reference.run));
    return down.run.exchanges.back().attempt;
  };
  EXPECT_EQ(attempts(1), 5) << "a loop of a shell, a process an attempt";
  EXPECT_EQ(attempts(2), 1) << "two processes each send it";
  EXPECT_EQ(attempts(0), 1) << "nothing is known of it";
}

// A body with a date in it: the reference sends another, and none of these.
TEST(Lessons, what_comes_once_whatever_it_holds_goes_on_in_another_process_with_the_very_same) {
  auto attempts = [&](bool same) {
    Traffic reference, down;
    auto put = [](int day) {
      return "PUT /meters/m7 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n" + std::to_string(day);
    };
    auto usual = reference.begin(put(11), {.site = "", .pid = 10});
    reference.serve(usual, 200);
    for (int n = 0; n < 5; n++) {
      auto e = down.begin(put(same ? 20 : 20 + n), {.site = "", .pid = 20 + n});
      down.inject(e, 503);
    }
    Correlator::correlate_again(down.run.exchanges, lessons_of(reference.run));
    return down.run.exchanges.back().attempt;
  };
  EXPECT_EQ(attempts(true), 5);
  EXPECT_EQ(attempts(false), 1);
}

// One event for three subscribers at one path, each with a key of its own.
TEST(Lessons, of_what_is_sent_several_times_each_has_a_key_of_its_own) {
  auto post = [](int key) {
    return "POST /hooks HTTP/1.1\r\nHost: h\r\nWebhook-Id: k" + std::to_string(key) + "\r\nContent-Length: 2\r\n\r\n{}";
  };
  auto attempts = [&](int before, int tries) {
    Traffic reference, down;
    for (int n = 0; n < before; n++) {
      auto e = reference.begin(post(n));
      reference.serve(e, 200);
    }
    for (int n = 0; n < 3; n++)
      for (int i = 0; i < tries; i++) {
        auto e = down.begin(post(10 + n));
        down.inject(e, 503);
        down.pass(kSecond);
      }
    Correlator::correlate_again(down.run.exchanges, lessons_of(reference.run));
    std::vector<int> out;
    for (auto& e : down.run.exchanges) out.push_back(e.attempt);
    return out;
  };
  EXPECT_EQ(attempts(3, 2), (std::vector<int>{1, 2, 1, 2, 1, 2}));
  EXPECT_EQ(attempts(3, 1), (std::vector<int>{1, 1, 1}));
  EXPECT_EQ(attempts(1, 1), (std::vector<int>{1, 2, 3})) << "one, whose key is made anew for each attempt";
}

TEST(Lessons, a_body_that_nobody_asked_for_is_the_same_where_its_length_is) {
  auto put = [](int length) {
    return "PUT /files/7 HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: " + std::to_string(length) +
           "\r\n\r\n";
  };
  for (int other : {5, 6}) {
    Traffic reference, down;
    auto only = reference.begin(put(5) + "hello", {.site = "", .pid = 10});
    only.request_bytes = 5;
    reference.serve(only, 200);
    for (int n = 0; n < 4; n++) {
      auto e = down.begin(put(n < 3 ? 5 : other), {.site = "", .pid = 20 + n});
      down.inject(e, 503);
    }
    Correlator::correlate_again(down.run.exchanges, lessons_of(reference.run));
    EXPECT_EQ(down.run.exchanges[2].attempt, 3) << "a loop of a shell around curl -T";
    EXPECT_EQ(down.run.exchanges[3].attempt, other == 5 ? 4 : 1);
  }
}

TEST(Lessons, what_came_once_is_a_call_of_its_own_where_who_sent_it_before_is_dead) {
  constexpr std::string_view kPut = "PUT /orders/7 HTTP/1.1\r\nHost: h\r\n\r\n";
  Traffic reference;
  auto only = reference.begin(kPut);
  reference.serve(only, 200);
  auto lessons = lessons_of(reference.run);
  for (bool dies : {false, true}) {
    Traffic t(lessons);
    auto first = t.begin(kPut, {.pid = 20});
    first.fault.name = fault_row(dies ? "crash" : "reset")->fault;
    t.reset(first);
    auto successor = t.begin(kPut, {.pid = 21});
    EXPECT_EQ(successor.attempt, dies ? 1 : 2);
    t.serve(successor, 200);
    Correlator::correlate_again(t.run.exchanges, lessons);
    EXPECT_EQ(t.run.exchanges.back().attempt, dies ? 1 : 2);
  }
}

TEST(Lessons, what_comes_once_without_faults_is_counted_over_processes_while_it_runs) {
  constexpr std::string_view kWrite = "POST /backup HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n{\"n\": 12}";
  Traffic reference;
  auto only = reference.begin(kWrite);
  reference.serve(only, 201);
  for (bool known : {true, false}) {
    Traffic t(known ? lessons_of(reference.run) : Lessons{});
    Traffic::From from;
    for (int i = 1; i <= 3; i++) {
      from.pid = 100 + i;
      auto e = t.begin(kWrite, from);
      EXPECT_EQ(e.attempt, known ? i : 1);
      t.reset(e);
    }
  }
}

}  // namespace
TEST(Lessons, below_a_webdav_tree_every_path_is_a_file) {
  Reference r;
  for (auto sent : {"MKCOL /dav/home", "PUT /dav/home/a.txt", "PROPFIND /dav/", "MOVE /dav/home/deep/b", "GET /davis"})
    r.ask(sent, "app.py:1:request");
  EXPECT_EQ(r.rename("GET /dav/home/deep/b"), "GET /dav/{path}");
  EXPECT_EQ(r.rename("DELETE /dav"), "DELETE /dav/{path}");
  EXPECT_EQ(r.rename(r.rename("PUT /dav/x")), "PUT /dav/{path}");
  EXPECT_EQ(r.rename("GET /davis"), "GET /davis");
  Lessons recalled;
  recalled.recall("GET /dav/{path}");
  EXPECT_EQ(recalled.rename("PUT /dav/a/b"), "PUT /dav/{path}");
}

TEST(Lessons, a_service_closes_where_each_response_of_it_ended_its_connection) {
  Reference r;
  r.ask("GET /a", "app.py:1:request").ask("GET /b", "app.py:1:request");
  auto other = r.begin("GET /c HTTP/1.1\r\nHost: h\r\n\r\n", {.service = "127.0.0.1:10002"});
  r.serve(other, 200);
  for (auto& e : r.run.exchanges) e.closes = e.id != 1;
  Lessons lessons;
  lessons.learn_answers(r.run, {});
  EXPECT_EQ(lessons.closing, (std::set<std::string, std::less<>>{"127.0.0.1:10002"}));
  r.run.exchanges.back().closes = false;
  lessons.learn_answers(r.run, {});
  EXPECT_TRUE(lessons.closing.empty()) << "not in each run";
}

TEST(Lessons, a_webdav_tree_at_the_root_is_learned_only_where_no_other_service_is_asked) {
  for (bool other : {false, true}) {
    Reference r;
    r.ask("PROPFIND /data", "app.py:1:request");
    auto orders =
        r.begin("GET /orders HTTP/1.1\r\nHost: h\r\n\r\n", {.service = other ? "127.0.0.1:10002" : "127.0.0.1:10001"});
    r.serve(orders, 200);
    EXPECT_EQ(r.rename("GET /orders"), other ? "GET /orders" : "GET /{path}");
  }
}

TEST(Lessons, who_copies_and_moves_and_has_no_folders_is_no_webdav) {
  for (bool folders : {false, true}) {
    Reference r;
    for (auto sent : {"COPY /shop/order", "GET /shop/order/note"}) r.ask(sent, "app.py:1:request");
    if (folders) r.ask("PROPFIND /shop/", "app.py:1:request");
    EXPECT_EQ(r.rename("PUT /shop/_design"), folders ? "PUT /shop/{path}" : "PUT /shop/_design");
  }
}

TEST(Lessons, trees_are_those_that_are_said_too) {
  Reference r;
  auto lessons = lessons_of(r.run, {"/files"});
  EXPECT_EQ(lessons.rename("PUT /files/a/b.txt"), "PUT /files/{path}");
  EXPECT_EQ(lessons.rename("PUT /filesystem"), "PUT /filesystem");
}

}  // namespace retrial::trace
