"""The Retrial agent for Python: tags requests with their call site, and reports tests.

The contract is docs/agents.md. Nothing here may fail, slow or change the program it is in.
"""

_started = False


def start():
    """Installs the hooks, once a process: each waits until the module it changes is imported."""
    global _started
    if _started:
        return
    _started = True
    from . import imports

    imports.install(
        {
            "http.client": "http_client",
            "ssl": "trust",
            "grpc": "trust",
            "requests.sessions": "trust",
            "tox.tox_env.api": "tox",
            "httpcore._sync.http11": "http_core",
            "httpcore._async.http11": "http_core",
            "httpcore._sync.http2": "http_core",
            "httpcore._async.http2": "http_core",
            "aiohttp.http_writer": "aio_http",
            "urllib3.backend.hface": "urllib3_future",
            "urllib3.backend._async.hface": "urllib3_future",
            "urllib3_future.backend.hface": "urllib3_future",
            "urllib3_future.backend._async.hface": "urllib3_future",
            "grpc._channel": "grpc_calls",
            "grpc.aio._channel": "grpc_calls",
            "grpc.aio._call": "grpc_aio",
            "grpc.aio._interceptor": "grpc_aio",
            "os": "carry",
            "threading": "carry",
            "concurrent.futures.thread": "carry",
            "multiprocessing.pool": "carry",
            "asyncio.base_events": "carry unheard",
            "asyncio.tasks": "carry",
            **_runners(),
        }
    )


def _runners():
    import os

    files = os.listdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "runners"))
    names = [file[:-3] for file in files if file.endswith(".py") and file != "__init__.py"]
    return {name.replace("__", "."): "runners." + name for name in names}
