#include <gtest/gtest.h>

#include "oracles/repeat.h"

namespace retrial::oracles {
namespace {

bool reads(std::string operation, std::string target) {
  return reads_by_name({.method = "POST", .target = std::move(target), .operation = std::move(operation)});
}

TEST(ReadsByName, the_last_word_of_a_path_says_so) {
  EXPECT_TRUE(reads("POST /orders/_search", "/orders/_search?q=1"));
  EXPECT_TRUE(reads("POST /v1/items:batchGet", "/v1/items:batchGet"));
  EXPECT_TRUE(reads("POST /graphql", "/graphql")) << "its body could not be read";
  EXPECT_TRUE(reads("POST /v2/translate", "/v2/translate"));
  EXPECT_TRUE(reads("POST /decide/", "/decide/?v=3"));
  EXPECT_FALSE(reads("POST /v1/chat/completions", "/v1/chat/completions")) << "it is charged again";
  EXPECT_FALSE(reads("POST /orders", "/orders"));
}

TEST(ReadsByName, who_asks_a_model_only_reads) {
  auto only = [](const char* target) { return only_reads({.method = "POST", .target = target}); };
  EXPECT_TRUE(only("/v1/chat/completions"));
  EXPECT_TRUE(only("/v1/models/m:generateContent"));
  EXPECT_FALSE(only("/v1/tickets"));
}

TEST(ReadsByName, an_action_behind_the_path_says_it_in_its_place) {
  EXPECT_TRUE(reads("POST /rpc method=stock.get", "/rpc"));
  EXPECT_TRUE(reads("POST /rpc method=getUser", "/rpc"));
  EXPECT_TRUE(reads("POST /rpc method=app_listOrders", "/rpc"));
  EXPECT_TRUE(reads("POST / Action=DescribeThing", "/"));
  EXPECT_FALSE(reads("POST /rpc method=stock.book", "/rpc"));
  EXPECT_FALSE(reads("POST /query method=createToken", "/query"));
  EXPECT_FALSE(reads("POST /ws action=CreateOrder", "/ws"));
}

TEST(ReadsByName, a_mutation_never_reads_and_what_may_be_a_query_may) {
  EXPECT_FALSE(reads("POST /graphql mutation=getToken", "/graphql"));
  EXPECT_FALSE(reads("POST /graphql mutation=Buy", "/graphql"));
  EXPECT_TRUE(reads("POST /graphql persisted=Item", "/graphql"));
  EXPECT_TRUE(reads("POST /graphql operation=Item", "/graphql"));
}

TEST(ReadsByName, a_batch_reads_where_all_of_it_does) {
  EXPECT_TRUE(reads("POST /rpc method=stock.get,method=stock.list", "/rpc"));
  EXPECT_FALSE(reads("POST /rpc method=stock.get,method=stock.book", "/rpc"));
  EXPECT_FALSE(reads("POST /graphql query=getStock,mutation=Buy", "/graphql"));
  EXPECT_FALSE(reads("POST /rpc method=getA,method=getB,method=getC,method=getD,...", "/rpc"));
}

}  // namespace
}  // namespace retrial::oracles
