#include "checkers/learn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "checkers/file.h"
#include "tests/checkers/traffic.h"

namespace retrial::checkers {
namespace {

// A suite's run: what `tell` sends, with the operations as a campaign names them.
trace::Run suite(std::uint64_t id, auto&& tell) {
  Talk t(id);
  tell(t);
  for (auto& e : t.run.exchanges) {
    std::string path;
    for (auto part : {e.target.substr(0, e.target.find('?'))})
      for (std::size_t at = 1, end; at <= part.size(); at = end + 1) {
        end = std::min(part.find('/', at), part.size());
        auto word = part.substr(at, end - at);
        path += "/" + (word.find_first_of("0123456789") == word.npos ? word : "{id}");
      }
    e.operation = e.method + " " + path;
  }
  t.run.results = {{.test = t.test, .phase = trace::Phase::test, .outcome = "passed"}};
  return t.run;
}

std::vector<std::string> learned(auto&& tell) {
  auto one = suite(1, tell), other = suite(2, tell);
  std::vector<std::string> out;
  for (auto& c : learn({&one, &other}, {}).checkers) {
    auto fields = text_of({c}, "");
    auto at = fields.find("fields  = ");
    out.push_back(c.name + (c.within == Within::service ? " within service" : "") +
                  (at == fields.npos ? "" : " " + fields.substr(at + 10, fields.find('\n', at) - at - 10)));
  }
  return out;
}
bool holds(const std::vector<std::string>& all, std::string_view one) { return std::ranges::count(all, one) != 0; }

std::string doc(const std::string& title, int version) {
  return R"({"title": ")" + title + R"(", "version": )" + std::to_string(version) + "}";
}

void two_documents(Talk& t) {
  for (auto name : {"/docs/a1", "/docs/b2"})
    for (int n = 1; n <= 3; n++) {
      auto title = std::string(name) + std::to_string(n);
      t.asks("PUT", name, 200, R"({"title": ")" + title + R"("})", "{}");
      t.asks("GET", name, 200, "", doc(title, n));
    }
}

TEST(Learn, finds_what_is_read_back_and_how_a_version_moves) {
  auto all = learned(two_documents);
  EXPECT_TRUE(holds(all, R"(reads-back-get-docs-id ["title = title"])"));
  EXPECT_TRUE(holds(all, R"(adds-get-docs-id ["+1 = version"])"));
  EXPECT_TRUE(holds(all, R"(never-falls-get-docs-id ["version"])"));
}

std::string why_left(auto&& tell, Rule rule) {
  auto one = suite(1, tell), other = suite(2, tell);
  for (auto& left : learn({&one, &other}, {}).left)
    if (left.checker.rule == rule) return left.lacks;
  return "held, or contradicted";
}

TEST(Learn, takes_no_number_that_clients_send_for_one_that_never_falls) {
  auto prices = [](Talk& t) {
    for (int n = 1; n <= 3; n++) {
      t.asks("PUT", "/books/1", 200, R"({"price": )" + std::to_string(n) + "}", "{}");
      t.asks("GET", "/books/1", 200, "", R"({"price": )" + std::to_string(n) + "}");
    }
  };
  EXPECT_EQ(why_left(prices, Rule::never_falls), "clients send it");
  auto stock = [](Talk& t) {
    int n = 0;
    for (int more : {5, 3, 11}) {
      t.asks("GET", "/books/1", 200, "", R"({"stock": )" + std::to_string(n) + "}");
      t.asks("POST", "/books/1/restock", 200, R"({"amount": )" + std::to_string(more) + "}", "{}");
      n += more;
      t.asks("GET", "/books/1", 200, "", R"({"stock": )" + std::to_string(n) + "}");
    }
  };
  EXPECT_EQ(why_left(stock, Rule::never_falls), "POST /books/{id}/restock moves it by what it sends");
}

// Three entries, and after each the whole list.
void three_entries(Talk& t) {
  std::string ids;
  for (int n = 1; n <= 3; n++) {
    auto id = std::to_string(n);
    t.asks("POST", "/books", 201, R"({"title": "x"})", R"({"id": )" + id + "}").response_headers = {
        {"Location", "/books/" + id}};
    ids += (n == 1 ? "" : ",") + (R"({"id": )" + id + "}");
    t.asks("GET", "/books", 200, "", R"({"books": [)" + ids + R"(], "count": )" + id + "}");
  }
}
TEST(Learn, finds_what_is_listed_by_each_entry_and_a_count_that_falls_where_one_is_deleted) {
  EXPECT_TRUE(holds(learned(three_entries), R"(listed-get-books ["{path} = books[].id"])"));
  EXPECT_TRUE(holds(learned(three_entries), R"(never-falls-get-books ["count"])"));
  auto with_deletes = [](Talk& t) {
    three_entries(t);
    t.asks("DELETE", "/books/3", 204);
  };
  EXPECT_EQ(why_left(with_deletes, Rule::never_falls), "what it counts can be deleted");
}

TEST(Learn, says_of_what_was_left_what_it_lacks) {
  auto once = [](Talk& t) {
    t.asks("PUT", "/docs/a1", 200, R"({"title": "x"})", "{}");
    t.asks("GET", "/docs/a1", 200, "", R"({"title": "x"})");
  };
  EXPECT_EQ(why_left(once, Rule::reads_back), "values: 1 seen, 2 wanted");
}

TEST(Learn, throws_away_what_fails_once) {
  auto all = learned([](Talk& t) {
    two_documents(t);
    t.asks("PUT", "/docs/c3", 200, R"({"title": "x"})", "{}");
    t.asks("GET", "/docs/c3", 200, "", doc("X, in its own way", 1));
  });
  EXPECT_FALSE(std::ranges::any_of(all, [](auto& c) { return c.starts_with("reads-back"); }));
}

TEST(Learn, narrows_once_to_where_nothing_else_is_written) {
  auto all = learned([](Talk& t) {
    two_documents(t);
    t.asks("POST", "/clear", 200, "{}", "{}");
    t.asks("GET", "/docs/b2", 404, "", "{}");
  });
  EXPECT_TRUE(holds(all, R"(reads-back-get-docs-id within service ["title = title"])"));
}

TEST(Learn, takes_no_value_that_is_always_the_same_for_a_relation) {
  auto all = learned([](Talk& t) {
    for (auto name : {"/docs/a1", "/docs/b2", "/docs/c3"}) {
      t.asks("PUT", name, 200, R"({"kind": "doc"})", "{}");
      t.asks("GET", name, 200, "", R"({"kind": "doc"})");
    }
  });
  EXPECT_FALSE(std::ranges::any_of(all, [](auto& c) { return c.starts_with("reads-back"); }));
}

TEST(Learn, learns_nothing_of_a_failing_test_of_one_run_alone_or_of_data_by_chance) {
  auto one = suite(1, two_documents), other = suite(2, two_documents);
  for (auto* run : {&one, &other}) run->results.front().outcome = "failed";
  EXPECT_TRUE(learn({&one, &other}, {}).checkers.empty());
  one.results.front().outcome = "passed";
  EXPECT_TRUE(learn({&one, &other}, {}).checkers.empty()) << "not seen again";
  int n = 0;
  EXPECT_TRUE(learned([&](Talk& t) {
                for (int i = 0; i < 20; i++)
                  t.asks("GET", "/docs/" + std::to_string(i % 3), 200, "",
                         R"({"at": ")" + std::to_string(++n * 7919 % 1000) + R"(x"})");
              }).empty());
}

// Folders of documents, which are written to under a path of their own.
struct Folders {
  Talk& t;
  int last = 0;
  std::map<std::string, std::vector<std::string>> held;

  void makes(const std::string& folder) {
    auto id = "d" + std::to_string(++last);
    held[folder].push_back(id);
    t.asks("POST", "/folders/" + folder + "/docs", 201, "{}", R"({"id": ")" + id + R"("})");
  }
  void lists(const std::string& folder) {
    std::string items;
    for (auto& id : held[folder]) items += (items.empty() ? "" : ", ") + (R"({"id": ")" + id + R"("})");
    t.asks("GET", "/folders/" + folder + "/docs", 200, "",
           R"({"docs": [)" + items + R"(], "count": )" + std::to_string(held[folder].size()) + "}");
  }
  void deletes_first(const std::string& folder) {
    t.asks("DELETE", "/docs/" + held[folder].front(), 204);
    held[folder].erase(held[folder].begin());
  }
};

TEST(Learn, holds_to_the_same_what_speaks_of_a_part_that_writes_elsewhere_change) {
  auto all = learned([](Talk& t) {
    Folders f{t};
    f.lists("1");
    for (int n = 0; n < 2; n++) f.makes("1"), f.lists("1");
    for (int n = 0; n < 2; n++) f.makes("2");
    f.deletes_first("2");
    f.lists("2");
  });
  EXPECT_TRUE(holds(all, R"(listed-get-folders-id-docs within service ["{path} = docs[].id"])"));
  EXPECT_TRUE(holds(all, R"(adds-get-folders-id-docs within service ["+1 = count"])")) << "as many as there are";
  EXPECT_TRUE(holds(all, R"(adds-get-folders-id-docs-2 within service ["+1 = docs[]"])"));
  EXPECT_TRUE(holds(all, R"(counts-get-folders-id-docs ["docs[] = count"])"));
}

TEST(Learn, takes_a_part_that_changed_with_nothing_written_there_for_one_that_writes_elsewhere_change) {
  auto moves = [](bool reserved) {
    return [reserved](Talk& t) {
      auto held = [&](int free) { t.asks("GET", "/skus/1", 200, "", R"({"free": )" + std::to_string(free) + "}"); };
      int free = 100;
      for (int by : {20, -5}) {
        held(free);
        t.asks("POST", "/skus/1/adjust", 200, R"({"delta": )" + std::to_string(by) + "}", "{}");
        held(free += by);
      }
      if (!reserved) return;
      t.asks("POST", "/reservations", 200, "{}", "{}");
      held(free - 3);
    };
  };
  EXPECT_TRUE(holds(learned(moves(false)), R"(adds-get-skus-id ["+delta = free"])"));
  EXPECT_TRUE(holds(learned(moves(true)), R"(adds-get-skus-id within service ["+delta = free"])"));
}

// Orders in an envelope; of the first `cancelled` each is cancelled.
void enveloped_orders(Talk& t, int cancelled) {
  for (int n = 1; n <= 3; n++) {
    auto id = std::to_string(n), who = R"("customer": "c)" + id + "\"";
    auto order = [&](const std::string& state) {
      return R"({"data": {"id": ")" + id + R"(", )" + who + R"(, "state": ")" + state + R"("}})";
    };
    t.asks("POST", "/orders", 201, "{" + who + "}", order("open"));
    if (n <= cancelled) t.asks("POST", "/orders/" + id + "/cancel", 200, "", order("cancelled"));
    t.asks("GET", "/orders/" + id, 200, "", order(n <= cancelled ? "cancelled" : "open"));
  }
}

TEST(Learn, knows_what_was_made_by_the_id_in_an_envelope) {
  auto all = learned([](Talk& t) { enveloped_orders(t, 0); });
  EXPECT_TRUE(holds(all, R"(reads-back-get-orders-id ["customer = data.customer"])"));
}

TEST(Learn, finds_what_an_action_brings_about_though_it_was_not_read_before) {
  auto all = learned([](Talk& t) { enveloped_orders(t, 2); });
  EXPECT_TRUE(holds(all, R"(becomes-get-orders-id ["'cancelled' = data.state"])"));
  EXPECT_EQ(std::ranges::count_if(all, [](auto& c) { return c.starts_with("becomes"); }), 1);
  EXPECT_EQ(why_left([](Talk& t) { enveloped_orders(t, 1); }, Rule::becomes), "times in one run: 1 seen, 2 wanted");
}

void takes_a_lock(Talk& t, bool gives_back) {
  auto lock = [&](int status, const std::string& who) {
    t.asks("POST", "/locks/7", status, R"({"owner": ")" + who + R"("})", status == 201 ? R"({"lease": "l"})" : "{}");
  };
  lock(201, "ann");
  lock(409, "bob");
  if (!gives_back) return;
  t.asks("DELETE", "/locks/7", 204);
  lock(201, "bob");
}

TEST(Learn, finds_a_lease_by_what_is_refused_until_it_is_given_back) {
  EXPECT_TRUE(holds(learned([](Talk& t) { takes_a_lock(t, true); }), "excludes-post-locks-id"));
  EXPECT_EQ(why_left([](Talk& t) { takes_a_lock(t, false); }, Rule::excludes),
            "never seen to be given back and granted again");
}

TEST(Learn, wants_two_amounts_where_a_number_that_is_sent_moves_another) {
  auto moves = [](Talk& t) {
    int held = 100;
    for (int by : {20, -5}) {
      t.asks("GET", "/skus/1", 200, "", R"({"held": )" + std::to_string(held) + "}");
      t.asks("POST", "/skus/1/adjust", 200, R"({"delta": )" + std::to_string(by) + "}", "{}");
      t.asks("GET", "/skus/1", 200, "", R"({"held": )" + std::to_string(held += by) + "}");
    }
  };
  auto all = learned(moves);
  EXPECT_TRUE(holds(all, R"(adds-get-skus-id ["+delta = held"])"));
  auto one = suite(1, moves), other = suite(2, moves);
  for (auto& left : learn({&one, &other}, {}).left) EXPECT_NE(left.checker.rule, Rule::adds) << left.lacks;
}

TEST(Learn, takes_what_is_cancelled_for_no_entry_of_a_list) {
  auto all = learned([](Talk& t) {
    for (int n = 1; n <= 3; n++) {
      t.asks("POST", "/orders/" + std::to_string(n) + "/cancel", 200, "", "{}");
      t.asks("GET", "/orders", 200, "", R"({"orders": [{"id": 1}, {"id": 2}, {"id": 3}]})");
    }
  });
  EXPECT_FALSE(std::ranges::any_of(all, [](auto& c) { return c.starts_with("listed"); }));
}

TEST(Learn, is_contradicted_by_a_test_that_is_run_alone) {
  auto one = suite(1, two_documents), other = suite(2, two_documents),
       alone = suite(3, [](Talk& t) {
         t.asks("PUT", "/docs/a1", 200, R"({"title": "x"})", "{}");
         t.asks("GET", "/docs/a1", 200, "", doc("y", 1));
       });
  for (auto& c : learn({&one, &other}, {&alone}).checkers) EXPECT_NE(c.rule, Rule::reads_back);
}

TEST(Learn, says_how_many_were_held_and_of_which_test) {
  auto one = suite(1, two_documents), other = suite(2, two_documents);
  auto all = learn({&one, &other}, {});
  EXPECT_EQ(all.tests, 1u);
  EXPECT_GT(all.candidates, all.checkers.size());
  for (auto& c : all.checkers) {
    EXPECT_EQ(c.test, "test_it");
    EXPECT_GT(c.held, 0u);
  }
}

TEST(Learn, finds_what_a_write_answers_and_a_read_answers_again) {
  auto all = learned([](Talk& t) {
    for (int n = 1; n <= 3; n++) {
      auto id = std::to_string(n), made = R"({"id": ")" + id + R"(", "title": "t", "etag": "e)" + id + R"("})";
      t.asks("POST", "/docs", 201, R"({"title": "t"})", made);
      t.asks("GET", "/docs/" + id, 200, "", made);
    }
  });
  EXPECT_TRUE(holds(all, R"(agrees-get-docs-id ["etag = etag", "id = id"])") ||
              holds(all, R"(agrees-get-docs-id ["id = id", "etag = etag"])"))
      << "what was sent, `reads-back` says";
}

// Tests that each begin with one document, set by no request.
void tests_that_set_anew(Talk& t) {
  for (int n = 1; n <= 3; n++) {
    t.test = "test_" + std::to_string(n);
    t.run.results.push_back({.test = t.test, .phase = trace::Phase::test, .outcome = "passed"});
    auto version = n == 3 ? 5 : 1;
    t.asks("GET", "/docs/1", 200, "", doc("as it was set", version));
    auto title = "title " + std::to_string(n);
    t.asks("PUT", "/docs/1", 200, R"({"title": ")" + title + R"("})", "{}");
    t.asks("GET", "/docs/1", 200, "", doc(title, version + 1));
  }
}
Learned learned_of_tests() {
  Talk one(1), other(2);
  for (auto* t : {&one, &other}) {
    tests_that_set_anew(*t);
    for (auto& e : t->run.exchanges) e.operation = e.method + " /docs/{id}";
  }
  return learn({&one.run, &other.run}, {});
}

TEST(Learn, holds_to_one_test_what_tests_set_anew_without_a_request) {
  auto all = learned_of_tests().checkers;
  auto found = std::ranges::find(all, Rule::reads_back, &Checker::rule);
  ASSERT_NE(found, all.end());
  EXPECT_EQ(found->within, Within::test);
  found = std::ranges::find(all, Rule::adds, &Checker::rule);
  ASSERT_NE(found, all.end());
  EXPECT_EQ(found->within, Within::test) << "nothing contradicted it, but it is of that service";
}

TEST(Learn, says_where_a_candidate_failed) {
  auto contradicted = learned_of_tests().contradicted;
  auto found = std::ranges::find(contradicted, Rule::never_falls, [](auto& one) { return one.checker.rule; });
  ASSERT_NE(found, contradicted.end());
  EXPECT_EQ(found->test, "test_2");
  EXPECT_TRUE(found->says.contains("was 2 and then 1")) << found->says;
  EXPECT_GT(found->held, 0u);
}

TEST(Learn, takes_two_members_that_are_answered_as_they_were_sent_for_two_values) {
  auto told = [](const std::string& answered) {
    return [answered](Talk& t) {
      t.asks("POST", "/docs", 200, R"({"title": "t", "size": 3, "open": true, "kind": "k"})",
             R"({"title": "t", "size": 3, "open": true, )" + answered + "}");
      t.asks("POST", "/docs", 200, R"({"kind": "x"})", R"({"kind": "x"})");
    };
  };
  auto all = learned(told(R"("kind": "k")"));
  EXPECT_TRUE(
      std::ranges::any_of(all, [](auto& c) { return c.contains("title = title") && c.contains("size = size"); }));
  EXPECT_FALSE(std::ranges::any_of(all, [](auto& c) { return c.contains("open = open"); })) << "a truth value";
  all = learned(told(R"("kind": "K, in its own way")"));
  EXPECT_TRUE(all.empty()) << "one of them was contradicted";
}

TEST(Learn, takes_two_members_that_a_write_leaves_or_answers_for_two_values) {
  auto told = [](const std::string& size) {
    return [size](Talk& t) {
      auto doc = [](const std::string& bytes) {
        return R"({"title": "t", "kind": "k", "etag": "e1", "owner": "o", "size": )" + bytes + "}";
      };
      auto note = R"({"note": "n"})", said = R"({"etag": "e1", "owner": "o"})";
      t.asks("GET", "/docs/1", 200, "", doc("3"));
      t.asks("PATCH", "/docs/1", 200, note, said);
      t.asks("GET", "/docs/1", 200, "", doc("3"));
      t.asks("PATCH", "/docs/1", 200, note, said);
      t.asks("GET", "/docs/1", 200, "", doc(size));
    };
  };
  auto all = learned(told("3"));
  EXPECT_TRUE(std::ranges::any_of(all, [](auto& c) { return c.starts_with("keeps") && c.contains("title"); }));
  EXPECT_TRUE(std::ranges::any_of(all, [](auto& c) { return c.starts_with("agrees") && c.contains("owner = owner"); }));
  all = learned(told("4"));
  EXPECT_FALSE(std::ranges::any_of(all, [](auto& c) { return c.starts_with("keeps"); })) << "one was contradicted";
}

TEST(Learn, takes_no_value_that_is_set_for_a_move) {
  auto told = [](int second) {
    return [second](Talk& t) {
      for (auto name : {"/docs/a1", "/docs/b2"})
        for (int n : {1, 1, second}) {
          t.asks("PUT", name, 200, R"({"lines": ["x"]})", "{}");
          t.asks("GET", name, 200, "", R"({"length": )" + std::to_string(n) + "}");
          t.asks("POST", std::string(name) + "/adds", 200);
          t.asks("GET", name, 200, "", R"({"length": )" + std::to_string(n + 1) + "}");
        }
    };
  };
  auto adds = [](auto& c) { return c.starts_with("adds"); };
  EXPECT_FALSE(std::ranges::any_of(learned(told(1)), adds));
  EXPECT_TRUE(std::ranges::any_of(learned(told(2)), adds));
}

// A document of each of these collections, which answer by a name of their own that is their path's.
auto named_in(std::vector<std::string> collections, const std::string& last = "") {
  return [=](Talk& t) {
    for (auto& collection : collections)
      t.asks("GET", "/" + collection + "/" + collection.substr(0, 1) + "1", 200, "",
             R"({"id": ")" + (collection == last ? "another" : collection.substr(0, 1) + "1") + R"("})");
  };
}

TEST(Learn, takes_the_same_field_of_two_operations_for_two_values) {
  auto echoes = [](auto& c) { return c.starts_with("echoes"); };
  EXPECT_EQ(std::ranges::count_if(learned(named_in({"docs", "notes"})), echoes), 2);
  EXPECT_EQ(std::ranges::count_if(learned(named_in({"docs"})), echoes), 0);
  EXPECT_EQ(std::ranges::count_if(learned(named_in({"docs", "drafts"})), echoes), 0) << "both are d1";
  auto once_wrong = [](Talk& t) {
    named_in({"docs", "notes", "words"})(t);
    named_in({"words"}, "words")(t);
  };
  EXPECT_EQ(std::ranges::count_if(learned(once_wrong), echoes), 0) << "one of them was contradicted";
  auto sent_too = [&](Talk& t) {  // two members, of which one is not to be relied on elsewhere
    t.asks("PATCH", "/docs/d1", 200, R"({"id": "d1", "size": 3})", R"({"id": "d1", "size": 3})");
    t.asks("PATCH", "/notes/n1", 200, R"({"id": "n1", "size": 3})", R"({"id": "n1", "size": 3})");
    t.asks("PATCH", "/notes/n1", 200, R"({"id": "n1", "size": 3})", R"({"id": "n1", "size": 4})");
  };
  auto all = learned(sent_too);
  EXPECT_FALSE(std::ranges::any_of(all, [](auto& c) { return c.contains("size = size"); }));
  EXPECT_TRUE(std::ranges::any_of(all, [](auto& c) { return c.contains("id = id"); })) << "in two operations";
}

TEST(Learn, takes_services_of_one_host_at_ports_of_the_kernels_choice_for_one) {
  auto told = [](Talk& t) {
    two_documents(t);
    for (std::size_t n = 0; n < t.run.exchanges.size(); n++)
      t.run.exchanges[n].service = t.run.exchanges[n].target == "/docs/a1" ? "127.0.0.1:*" : "127.0.0.1:*2";
  };
  auto one = suite(1, told), other = suite(2, told);
  auto all = learn({&one, &other}, {}).checkers;
  ASSERT_FALSE(all.empty());
  for (auto& c : all) EXPECT_EQ(c.service, "127.0.0.1:*") << c.name;
  EXPECT_EQ(std::ranges::count(all, Rule::reads_back, &Checker::rule), 1);
}

TEST(Learn, lets_a_read_with_a_query_leave_out_what_others_answer) {
  auto all = learned([](Talk& t) {
    two_documents(t);
    t.asks("GET", "/docs/a1?content=0", 200, "", R"({"version": 3})");
    t.asks("GET", "/docs/a1?generation=1", 404);
  });
  EXPECT_TRUE(holds(all, R"(reads-back-get-docs-id ["title = title"])"));
}

}  // namespace
}  // namespace retrial::checkers
