#include "base/fold.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace retrial {
namespace {

std::uint64_t fold(std::initializer_list<std::string_view> texts) {
  Fold of;
  for (auto text : texts) of.add(text);
  return of.value();
}

TEST(Fold, is_the_same_for_the_same_texts_alone) {
  EXPECT_EQ(fold({"a", "bc"}), fold({"a", "bc"}));
  EXPECT_NE(fold({"a", "bc"}), fold({"ab", "c"}));
  EXPECT_NE(fold({""}), fold({"", ""}));
  std::set<std::uint64_t> all;
  for (std::size_t size = 0; size < 40; size++)
    for (std::size_t at = 0; at <= size; at++) {
      std::string text(size, 'x');
      if (at < size) text[at] = 'y';
      all.insert(fold({text}));
    }
  EXPECT_EQ(all.size(), 40u * 41 / 2) << "each byte counts";
}

}  // namespace
}  // namespace retrial
