"""Requests to the shop's service and what it answers, for the standard library's client."""
import json
import urllib.request
from urllib.error import HTTPError

SERVICE = ""  # "http://127.0.0.1:8080": whoever starts the service says where it is


def request(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    return urllib.request.Request(SERVICE + path, data, method=method)


def read(response):
    with response:
        return json.load(response)


def passes(error):
    """Whether asking again can help: the connection was lost, or the service says that it is busy or down."""
    return not isinstance(error, HTTPError) or error.code in (408, 429, 500, 502, 503, 504)
