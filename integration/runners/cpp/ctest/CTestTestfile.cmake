# As CMake writes it. SHOP is the folder of the programs, of which each test runs one.
add_test(payments "$ENV{SHOP}/shop_test" "--gtest_filter=Payments.*")
add_test(Some/Orders.ArePlaced/0 "$ENV{SHOP}/shop_test" "--gtest_filter=Some/Orders.ArePlaced/0")
add_test("the [stock] is watched" "$ENV{SHOP}/plain_test" "watch")
add_test("the stock is counted" "$ENV{SHOP}/plain_test" "count")
