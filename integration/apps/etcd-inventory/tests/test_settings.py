import threading

import grpc
import pytest


def test_a_setting_is_put_and_read(settings):
    settings.put("colour", "blue")
    settings.put("label", settings.get("colour", "red"))
    size = settings.get("size", "7")
    assert settings.all() == {"colour": "blue", "label": "blue"}
    assert size == "7"


def test_all_settings_are_read(settings):
    settings.put("colour", "blue")
    settings.put("size", "7")
    assert settings.all() == {"colour": "blue", "size": "7"}


def test_a_setting_cannot_be_put_under_a_lease_that_is_not_there(settings):
    with pytest.raises(grpc.RpcError) as error:
        settings.put("colour", "blue", lease=99)
    assert error.value.code() is grpc.StatusCode.NOT_FOUND


def test_a_change_is_waited_for(settings):
    since = settings.revision() + 1
    settings.put("mode", "open")
    settings.put("mode", "closed")
    settings.wait_for("mode", "closed", since)


def test_a_change_that_comes_later_is_waited_for(settings):
    since = settings.revision() + 1
    changing = threading.Thread(target=settings.put, args=("mode", "closed"))
    changing.start()
    settings.wait_for("mode", "closed", since)
    changing.join()


def test_a_change_that_never_comes_ends_the_patience(settings):
    with pytest.raises((TimeoutError, grpc.RpcError)):
        settings.wait_for("mode", "closed", settings.revision() + 1, patience=0.5)
