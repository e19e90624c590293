// What grow and another-page make of a JSON answer, however it is cut on its way.
#include <gtest/gtest.h>

#include "base/text.h"
#include "proxy/faults/earlier.h"
#include "proxy/faults/registry.h"
#include "trace/fault_name.h"

namespace retrial::proxy {
namespace {
using trace::FaultName;
using trace::FaultSpec;

constexpr std::string_view kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\nX: y\r\n\r\n";

struct Edited {
  std::string head, body, spared, evidence;
  bool fired = false;
};
Edited edit_once(const FaultSpec& fault, std::string_view body, std::string target, std::string_view head,
                 std::size_t cut) {
  trace::Exchange e;
  e.method = "GET";
  e.host = "127.0.0.1:8000";
  e.target = std::move(target);
  e.fault = fault;
  Earlier earlier;
  auto edit = fault_named(fault.name)->edit(e, earlier);
  Edited out;
  out.head = head;
  out.spared = edit->head(out.head, e, body.empty()).spares;
  if (!out.spared.empty()) return out;
  auto did = edit->body(body.substr(0, cut), false, out.body);
  EXPECT_TRUE(out.body.empty()) << "nothing passes before the end is known";
  EXPECT_FALSE(did.fires);
  did = edit->body(body.substr(cut), true, out.body);
  out.fired = did.fires;
  out.spared = did.spares;
  if (did.fires) out.evidence = edit->evidence(e);
  return out;
}
Edited edited(const FaultSpec& fault, std::string_view body, std::string target = "/items",
              std::string_view head = kHead) {
  auto whole = edit_once(fault, body, target, head, 0);
  for (std::size_t cut = 1; cut < body.size(); cut += 3)
    EXPECT_EQ(edit_once(fault, body, target, head, cut).body, whole.body) << cut;
  return whole;
}
std::string grown(std::string_view body, std::int64_t times = 2) {
  return edited({.name = FaultName::grow, .by = times}, body).body;
}
std::string paged(std::string_view body, std::string target, std::string member = {}) {
  return edited({.name = FaultName::another_page, .header = std::move(member)}, body, std::move(target)).body;
}

TEST(Grow, adds_entries_with_names_and_numbers_of_their_own) {
  EXPECT_EQ(grown(R"([{"id":7,"kind":"a"},{"id":8,"kind":"a"}])"),
            R"([{"id":7,"kind":"a"},{"id":8,"kind":"a"},{"id":9,"kind":"a"},{"id":10,"kind":"a"}])");
  EXPECT_EQ(grown(R"(["item-01","item-02"])", 3), R"(["item-01","item-02","item-03","item-04","item-05","item-06"])");
  EXPECT_EQ(grown(R"([{"id":"ann","at":"2026-01-01T00:00:00Z"},{"id":"bob","at":"2026-01-02T00:00:00Z"}])"),
            R"([{"id":"ann","at":"2026-01-01T00:00:00Z"},{"id":"bob","at":"2026-01-02T00:00:00Z"},)"
            R"({"id":"ann-1","at":"2026-01-01T00:00:00Z"},{"id":"bob-1","at":"2026-01-02T00:00:00Z"}])");
  EXPECT_EQ(
      grown(R"([{"id":"6f1c0a52-7a0e-4c57-9d3e-000000000000","n":1.5}])"),
      R"([{"id":"6f1c0a52-7a0e-4c57-9d3e-000000000000","n":1.5},{"id":"6f1c0a52-7a0e-4c57-9d3e-000000000001","n":1.5}])");
}
TEST(Grow, counts_what_it_has_added_where_the_answer_counts) {
  EXPECT_EQ(grown(R"({"items":[1,2],"total_count":2,"limit":2,"page":{"tags":["x"]}})"),
            R"({"items":[1,2,3,4],"total_count":4,"limit":2,"page":{"tags":["x","x-1"]}})");
}
TEST(Grow, leaves_lists_within_entries_and_empty_ones_as_they_are) {
  EXPECT_EQ(grown(R"([{"id":1,"tags":["x"]}])"), R"([{"id":1,"tags":["x"]},{"id":2,"tags":["x"]}])");
  auto none = edited({.name = FaultName::grow, .by = 2}, R"({"items":[]})");
  EXPECT_EQ(none.body, R"({"items":[]})");
  EXPECT_EQ(none.spared, "the response has no list with an entry");
  EXPECT_FALSE(none.fired);
}
TEST(Grow, passes_what_is_no_json_as_it_came) {
  FaultSpec fault{.name = FaultName::grow, .by = 2};
  EXPECT_EQ(edited(fault, "[1,", "/items").body, "[1,");
  EXPECT_EQ(edited(fault, "[1,", "/items").spared, "the response is no JSON");
  EXPECT_EQ(edited(fault, "[1]", "/items", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n").spared,
            "the response is no JSON");
  EXPECT_EQ(edited(fault, "[1]", "/items",
                   "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n\r\n")
                .spared,
            "the response's body is packed");
  EXPECT_EQ(edited(fault, "").spared, "the response has no body");
}
TEST(Grow, passes_what_is_nested_without_end) {
  auto deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(edit_once({.name = FaultName::grow, .by = 2}, deep, "/items", kHead, 7).body, deep);
  EXPECT_EQ(grown(R"(["[[\"{{"])"), R"(["[[\"{{","[[\"{{-1"])");
}
TEST(Grow, lets_numbers_wrap_around) {
  EXPECT_EQ(grown("[9223372036854775807]"), "[9223372036854775807,-9223372036854775808]");
}
TEST(Grow, passes_numbers_on_that_nothing_holds_and_makes_others_of_them) {
  EXPECT_EQ(grown(R"([{"id":99999999999999999999,"v":1e999},{"id":99999999999999999998,"v":1e999}])"),
            R"([{"id":99999999999999999999,"v":1e999},{"id":99999999999999999998,"v":1e999},)"
            R"({"id":999999999999999999991,"v":1e999},{"id":999999999999999999981,"v":1e999}])");
  EXPECT_EQ(grown(R"({"items":["1e999"],"least":-1e-999,"most":18446744073709551616})"),
            R"({"items":["1e999","1e1000"],"least":-1e-999,"most":18446744073709551616})");
}
TEST(Grow, never_sends_more_than_it_may) {
  FaultSpec fault{.name = FaultName::grow, .by = 1'000'000};
  auto long_list = "[\"" + std::string(1000, 'x') + "\"]";
  EXPECT_EQ(edited(fault, long_list).spared, "an answer so long is beyond what is sent");
}
TEST(JsonEdits, are_chunked_in_place_of_a_length) {
  auto out = edited({.name = FaultName::grow, .by = 2}, "[1]");
  EXPECT_EQ(out.head,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(out.evidence, "a list of 1 had 2 entries, of its own kind");
}
TEST(JsonEdits, give_up_on_a_body_that_is_longer_than_they_read) {
  trace::Exchange e;
  e.fault = {.name = FaultName::grow, .by = 2};
  Earlier earlier;
  auto edit = fault_named(FaultName::grow)->edit(e, earlier);
  std::string head(kHead), out, piece(600'000, ' ');
  EXPECT_TRUE(edit->head(head, e, false).spares.empty());
  EXPECT_TRUE(edit->body(piece, false, out).spares.empty());
  EXPECT_FALSE(edit->body(piece, false, out).spares.empty());
  EXPECT_EQ(out.size(), 1'200'000u) << "and pass what they had kept";
}

TEST(Lengthen, sends_the_body_several_times_over_as_one) {
  FaultSpec fault{.name = FaultName::lengthen, .by = 3};
  constexpr std::string_view kText = "HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nContent-Length: 4\r\n\r\n";
  auto out = edited(fault, "a,b\n", "/items", kText);
  EXPECT_EQ(out.body, "a,b\na,b\na,b\n");
  EXPECT_EQ(out.head, "HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(out.evidence, "a body of 4 bytes came 3 times over");
  EXPECT_EQ(edited(fault, "[1]").spared, "the response is JSON");
  EXPECT_EQ(edited(fault, "", "/items", kText).spared, "the response has no body");
}

TEST(AnotherPage, tells_of_the_page_that_was_asked_for_as_the_next_one) {
  EXPECT_EQ(paged(R"({"items":[],"next_cursor":null})", "/items?limit=5&cursor=ab%20c"),
            R"({"items":[],"next_cursor":"ab c"})");
  EXPECT_EQ(paged(R"({"items":[],"meta":{"nextPageToken":""}})", "/items?pageToken=7"),
            R"({"items":[],"meta":{"nextPageToken":"7"}})");
  EXPECT_EQ(paged(R"({"items":[],"next_page":null})", "/items?page=3"), R"({"items":[],"next_page":3})");
  EXPECT_EQ(paged(R"({"items":[],"has_more":false})", "/items?page=3"), R"({"items":[],"has_more":true})");
  EXPECT_EQ(paged(R"({"items":[],"page":3,"total_pages":3})", "/items?page=3"),
            R"({"items":[],"page":3,"total_pages":4})");
}
TEST(AnotherPage, tells_it_as_a_link_where_the_service_does) {
  EXPECT_EQ(paged(R"({"next":null,"previous":"http://127.0.0.1:8000/items?page=1"})", "/items?page=2"),
            R"({"next":"http://127.0.0.1:8000/items?page=2","previous":"http://127.0.0.1:8000/items?page=1"})");
  EXPECT_EQ(paged(R"({"next":null,"prev":"/items?page=1"})", "/items?page=2"),
            R"({"next":"/items?page=2","prev":"/items?page=1"})");
  EXPECT_EQ(paged(R"({"@odata.nextLink":null})", "/items?$skiptoken=2"),
            R"({"@odata.nextLink":"http://127.0.0.1:8000/items?$skiptoken=2"})");
}
TEST(AnotherPage, adds_the_member_that_is_named_where_the_last_page_has_none) {
  EXPECT_EQ(paged(R"({"items":[]})", "/items?marker=m4", "NextMarker"), R"({"items":[],"NextMarker":"m4"})");
}
TEST(AnotherPage, leaves_a_page_that_goes_on_by_itself) {
  auto out = edited({.name = FaultName::another_page}, R"({"next_cursor":"5","has_more":true})", "/items?cursor=0");
  EXPECT_EQ(out.body, R"({"next_cursor":"5","has_more":true})");
  EXPECT_EQ(out.spared, "the response tells of a next page by itself");
  EXPECT_EQ(edited({.name = FaultName::another_page}, R"({"a":[1]})", "/items?page=2").spared,
            "the response has no place that tells of a next page");
}

// Pages of one list, one after another.
struct Paged {
  Earlier earlier;
  std::string told(std::string target, std::string_view body, std::string member = {}) {
    trace::Exchange e;
    e.method = "GET";
    e.host = "127.0.0.1:8000";
    e.target = std::move(target);
    e.fault = {.name = FaultName::another_page, .header = std::move(member)};
    auto edit = fault_named(e.fault.name)->edit(e, earlier);
    std::string head(kHead), out;
    EXPECT_EQ(edit->head(head, e, false).spares, "");
    edit->body(body, true, out);
    return out;
  }
};
TEST(AnotherPage, beyond_the_last_has_the_entries_of_the_one_before) {
  Paged p;
  p.told("/items?page=1", R"({"items":[1,2],"has_more":true})");
  EXPECT_EQ(p.told("/items?page=2", R"({"items":[3],"has_more":false})"), R"({"items":[3],"has_more":true})");
  EXPECT_EQ(p.told("/items?page=3", R"({"items":[],"has_more":false})"), R"({"items":[3],"has_more":true})");
  EXPECT_EQ(p.told("/items?page=9", R"({"items":[],"has_more":false})"), R"({"items":[3],"has_more":true})");
  EXPECT_EQ(p.told("/items?page=9", R"({"items":[],"more":0})"), R"({"items":[3],"more":0})")
      << "an empty one is told by nothing else";
  EXPECT_EQ(p.told("/items?kind=b", R"({"items":[]})"), R"({"items":[]})") << "it is no page of a list that goes on";
  EXPECT_EQ(p.told("/others?page=9", R"({"items":[]})"), R"({"items":[]})");
  p.told("/plain?offset=0", "[1,2]");
  EXPECT_EQ(p.told("/plain?offset=2", "[]"), "[1,2]");
}
TEST(AnotherPage, is_told_in_the_form_of_the_page_before) {
  Paged p;
  p.told("/audit", R"({"next":"http://127.0.0.1:8000/audit?p=2","results":[1]})");
  EXPECT_EQ(p.told("/audit?p=2", R"({"next":null,"results":[2]})"),
            R"({"next":"http://127.0.0.1:8000/audit?p=2","results":[2]})");
  EXPECT_EQ(p.told("/audit?p=2", R"({"next":null,"results":[2]})"),
            R"({"next":"http://127.0.0.1:8000/audit?p=2","results":[2]})")
      << "asked for once more";
}
TEST(AnotherPage, is_linked_where_the_service_links_its_pages) {
  Earlier earlier;
  auto head_of = [&](std::string target, std::string link) {
    trace::Exchange e;
    e.method = "GET";
    e.host = "127.0.0.1:8000";
    e.target = std::move(target);
    e.fault.name = FaultName::another_page;
    auto edit = fault_named(e.fault.name)->edit(e, earlier);
    std::string head(kHead), out;
    if (!link.empty()) head.insert(head.size() - 2, "Link: " + link + "\r\n");
    EXPECT_EQ(edit->head(head, e, false).spares, "");
    EXPECT_EQ(edit->body("[1]", true, out).fires, link.empty());
    return head;
  };
  head_of("/issues",
          "<http://127.0.0.1:8000/issues?page=2>; rel=\"next\", <http://127.0.0.1:8000/issues?page=2>; rel=\"last\"");
  EXPECT_TRUE(head_of("/issues?page=2", "").contains("Link: <http://127.0.0.1:8000/issues?page=2>; rel=\"next\"\r\n"));
}
TEST(AnotherPage, makes_what_counts_the_entries_of_all_pages_larger) {
  Paged p;
  p.told("/items?offset=0&limit=2", R"({"items":[1,2],"total":3})");
  EXPECT_EQ(p.told("/items?offset=2&limit=2", R"({"items":[3],"total":3})"), R"({"items":[3],"total":5})");
  EXPECT_EQ(p.told("/items?page=2", R"({"items":[3],"total":3})"), R"({"items":[3],"total":4})");
  EXPECT_EQ(p.told("/items?cursor=2", R"({"items":[3],"total":3})"), R"({"items":[3],"total":3})");
}

}  // namespace
}  // namespace retrial::proxy
