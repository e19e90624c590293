"""HTTP/2 of httpx, over clear text (prior knowledge) and TLS (ALPN)."""
import socket
import ssl
import threading

import pytest

pytest.importorskip("h2")
import h2.config  # noqa: E402
import h2.connection  # noqa: E402
import h2.events  # noqa: E402


class Service:
    """Answers 200 to every stream of every connection, and remembers tags as support.Server does."""

    def __init__(self, leaf=None):
        self.tags = []
        self._context = None
        if leaf:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain("%s.pem" % leaf, "%s.key" % leaf)
            self._context.set_alpn_protocols(["h2"])
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http%s://127.0.0.1:%d" % ("s" if leaf else "", self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                sock = self._listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._speak, args=(sock,), daemon=True).start()

    def _speak(self, sock):
        try:
            sock = self._context.wrap_socket(sock, server_side=True) if self._context else sock
            h2c = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
            h2c.initiate_connection()
            sock.sendall(h2c.data_to_send())
            while data := sock.recv(65536):
                for event in h2c.receive_data(data):
                    if isinstance(event, h2.events.RequestReceived):
                        named = dict(event.headers)
                        tag = {n[len("x-retrial-"):]: v for n, v in named.items() if n.startswith("x-retrial-")}
                        self.tags.append(dict(tag, path=named[":path"]))
                    if isinstance(event, h2.events.StreamEnded):
                        h2c.send_headers(event.stream_id, [(":status", "200")], end_stream=True)
                sock.sendall(h2c.data_to_send())
        except OSError:
            pass
        finally:
            sock.close()


TWICE = """
    import asyncio, httpx, os
    url = os.environ["URL"]
    with httpx.Client(http1=False, http2=True) as client:
        for _ in range(2):
            answer = client.post(url, content=b"x")  # blocking
            assert answer.http_version == "HTTP/2" and "x-retrial-site" not in answer.request.headers
    async def main():
        async with httpx.AsyncClient(http1=False, http2=True) as client:
            for _ in range(2):
                await client.get(url)  # waiting
    asyncio.run(main())
    """


@pytest.mark.parametrize("leaf", [None, "ours", "other"])
def test_each_stream_of_httpx_is_tagged_where_it_leads_to_retrial(leaf, project, certificates):
    service = Service(certificates.leaf(leaf) if leaf else None)
    project.url = service.url
    project.write("main.py", TWICE).run("main.py", **(certificates.trusting(leaf) if leaf else {}))
    service.close()
    if leaf == "other":
        assert service.tags == [{"path": "/"}] * 4
        return
    lines = [project.line("main.py", mark) for mark in ("blocking", "blocking", "waiting", "waiting")]
    assert [int(tag["site"].split(":")[1]) for tag in service.tags] == lines
    assert len({tag["call"] for tag in service.tags}) == 4
