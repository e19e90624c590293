"""gRPC's interop cases through `retrial serve --reverse`: the client and server of grpc-go, and those on grpcio that are here, each
with each, in clear text and over TLS on both sides."""
import itertools
import pathlib
import sys

import pytest

from conftest import BUILT, free_port, output_of, wait_for

GRPCIO = pathlib.Path(__file__).parent / "grpcio_interop"
CASES = ["empty_unary", "large_unary", "client_streaming", "server_streaming", "ping_pong", "empty_stream", "timeout_on_sleeping_server",
         "cancel_after_begin", "cancel_after_first_response", "status_code_and_message", "special_status_message", "custom_metadata",
         "unimplemented_method", "unimplemented_service"]


def grpc_go_server(start, pair):
    port = free_port()
    tls = ["--use_tls", f"--tls_cert_file={pair[0]}", f"--tls_key_file={pair[1]}"] if pair else []
    program = start([BUILT / "bin/server", f"--port={port}", *tls], "stderr")
    wait_for(port, program)
    return port


def grpcio_server(start, pair):
    program = start([sys.executable, GRPCIO / "server.py", *pair])
    return int(program.line_with("port ").split()[1])


def grpc_go_client(case, port, authority):
    tls = ["--use_tls", "--use_test_ca", f"--ca_file={authority}"] if authority else []
    return [BUILT / "bin/client", "--server_host=localhost", f"--server_port={port}", f"--test_case={case}", *tls]


def grpcio_client(case, port, authority):
    return [sys.executable, GRPCIO / "client.py", case, f"localhost:{port}", *([authority] if authority else [])]


SERVERS = {"grpc-go": grpc_go_server, "grpcio": grpcio_server}
CLIENTS = {"grpc-go": grpc_go_client, "grpcio": grpcio_client}


# At the deadline grpc-go's server resets the stream with CANCEL; where that comes first, grpcio's client says CANCELLED, also without us.
RACES = {("grpc-go", "grpcio", "timeout_on_sleeping_server")}
EACH_WITH_EACH = [row for row in itertools.product(SERVERS, CLIENTS, CASES) if row not in RACES]


@pytest.mark.parametrize("server, client, case", EACH_WITH_EACH)
@pytest.mark.parametrize("secure", [False, True], ids=["clear text", "TLS"])
def test_interop(secure, server, client, case, start, serve, authority):
    pair = [authority / "other-leaf.pem", authority / "other-leaf.key"] if secure else []
    port = SERVERS[server](start, pair)
    serving = serve(f"{'https' if secure else 'http'}://127.0.0.1:{port}")
    status, told = output_of(CLIENTS[client](case, serving.port, serving.authority if secure else None))
    if status:
        pytest.fail(f"{told}\n{serving.program.said}", pytrace=False)
    serving.ended_well()
