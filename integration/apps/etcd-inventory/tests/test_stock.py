import pytest

from etcd_inventory.stock import Changed, OutOfStock


def test_a_level_is_counted_in_and_read(stock):
    stock.count_in("lamp", 12)
    assert stock.level("lamp") == 12


def test_an_item_that_was_never_counted_in_is_not_there(stock):
    assert stock.level("lamp") == 0


def test_a_discontinued_item_is_gone(stock):
    stock.count_in("lamp", 12)
    stock.discontinue("lamp")
    stock.discontinue("lamp")
    assert stock.level("lamp") == 0


def test_items_are_listed(stock):
    stock.count_in("sofa", 1)
    stock.count_in("lamp", 12)
    assert stock.skus() == ["lamp", "sofa"]


def test_a_sale_takes_items_off_the_shelf(stock):
    stock.count_in("lamp", 12)
    stock.sell("lamp", 2)
    assert stock.level("lamp") == 10


def test_a_level_is_corrected(stock):
    stock.count_in("lamp", 12)
    stock.correct("lamp", 11, seen=12)
    assert stock.level("lamp") == 11


def test_a_level_that_has_changed_is_not_corrected(stock):
    stock.count_in("lamp", 12)
    stock.correct("lamp", 11, seen=12)
    with pytest.raises(Changed):
        stock.correct("lamp", 10, seen=12)
    assert stock.level("lamp") == 11


def test_items_are_reserved_for_an_order_once(stock):
    stock.count_in("lamp", 12)
    stock.reserve("1001", "lamp", 2)
    stock.reserve("1001", "lamp", 2)
    assert stock.level("lamp") == 10


def test_what_is_out_of_stock_is_not_reserved(stock):
    stock.count_in("lamp", 1)
    with pytest.raises(OutOfStock):
        stock.reserve("1001", "lamp", 2)
    assert stock.level("lamp") == 1


def test_a_movement_is_noted_in_the_journal(stock):
    stock.note("lamp", -2)
    assert stock.journal() == [{"sku": "lamp", "change": -2}]
