"""The proxies that are compared, and the service behind them: how each is found, told what to do, and started.

Each peer forwards only (no log); Retrial correlates and records every exchange. One loop, thread or worker each.
"""
import dataclasses, functools, json, os, re, shutil, socket, subprocess
from pathlib import Path

from process import NotMeasured, Process, free_port, output_of

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / "build/peers"  # what `./dev deps bench` installs from PyPI and the Go proxy

NGINX = """worker_processes 1; daemon off; master_process off; pid {name}.pid; error_log {name}.err;
events {{ worker_connections 19000; }}
http {{
  access_log off; keepalive_requests 100000000; keepalive_timeout 3600s; tcp_nodelay on; sendfile on; default_type text/plain;
  client_body_temp_path {name}.b; proxy_temp_path {name}.p; fastcgi_temp_path {name}.f; uwsgi_temp_path {name}.u; scgi_temp_path {name}.s;
  client_max_body_size 0; {http}
}}
"""
SERVICE = """server {{ listen 127.0.0.1:{port}; listen 127.0.0.1:{http2} http2; location / {{ return 200 "{body}"; }}
  location /big/ {{ root {directory}; }} location = /held {{ proxy_pass http://127.0.0.1:{silent}; proxy_read_timeout 3600s; }} }}"""
NGINX_PROXY = """upstream service {{ server 127.0.0.1:{service}; keepalive 256; keepalive_requests 100000000; keepalive_timeout 3600s; }}
  {tls} server {{ listen 127.0.0.1:{port} {listen}; location / {{ proxy_pass http://service; proxy_http_version 1.1;
    proxy_set_header Connection ""; proxy_set_header Host $http_host; proxy_request_buffering off; proxy_max_temp_file_size 0; }} }}"""
NGINX_TLS = """ssl_certificate both.pem; ssl_certificate_key both.pem; ssl_protocols TLSv1.3; ssl_session_tickets off; ssl_session_cache off;"""
HAPROXY = """global
  nbthread 1
  no strict-limits
  maxconn 12000
  tune.ssl.cachesize 0
defaults
  mode http
  timeout connect 5s
  timeout client 3600s
  timeout server 3600s
  http-reuse always
frontend in
  bind 127.0.0.1:{port} {tls}
  default_backend out
backend out
  server service 127.0.0.1:{service} {proto}
"""
HOLD = """[[rule]]
match = { path = "/held" }
inject = "stall"
"""


@dataclasses.dataclass
class Http2:
    """Where a service speaks HTTP/2 in clear text, what it is asked for, and what h2load is told besides."""
    port: int
    path: str = "/"
    more: tuple = ()
    http1: int = 0  # where it speaks HTTP/1.1, for proxies that ask in that


def write(directory, name, content):
    path = directory / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def nginx_command(directory, name, http):
    conf = write(directory, f"{name}.conf", NGINX.format(name=directory / name, http=http))
    return [need("nginx"), "-p", directory, "-c", conf, "-e", directory / f"{name}.err"]


def nginx(directory, port, service, tls, http2=False):
    listen = f"{'ssl' if tls else ''} {'http2' if http2 else ''}"
    http = NGINX_PROXY.format(port=port, service=service, listen=listen, tls=NGINX_TLS if tls else "")
    return nginx_command(directory, f"nginx-{port}", http)


def haproxy(directory, port, service, tls, http2=False):
    proto = "proto h2" if http2 else ""
    alpn = "h2" if http2 else "http/1.1"
    bind = f"ssl crt {directory}/both.pem ssl-min-ver TLSv1.3 no-tls-tickets alpn {alpn}" if tls else proto
    conf = HAPROXY.format(port=port, service=service, tls=bind, proto=proto)
    return [need("haproxy"), "-db", "-f", write(directory, f"haproxy-{port}.cfg", conf)]


def envoy(directory, port, service, tls, http2=False):
    types = "type.googleapis.com/envoy.extensions."
    at = lambda p: {"address": {"socket_address": {"address": "127.0.0.1", "port_value": p}}}
    http = {"@type": types + "filters.network.http_connection_manager.v3.HttpConnectionManager", "stat_prefix": "in",
            "route_config": {"virtual_hosts": [{"name": "v", "domains": ["*"], "routes": [
                {"match": {"prefix": "/"}, "route": {"cluster": "service", "timeout": "0s"}}]}]},
            "http_filters": [{"name": "router", "typed_config": {"@type": types + "filters.http.router.v3.Router"}}]}
    chain = {"filters": [{"name": "http", "typed_config": http}]}
    if tls:
        files = {"certificate_chain": {"filename": f"{directory}/both.pem"}, "private_key": {"filename": f"{directory}/both.pem"}}
        versions = {"tls_minimum_protocol_version": "TLSv1_3", "tls_maximum_protocol_version": "TLSv1_3"}
        chain["transport_socket"] = {"name": "tls", "typed_config": {
            "@type": types + "transport_sockets.tls.v3.DownstreamTlsContext",
            "disable_stateless_session_resumption": True, "disable_stateful_session_resumption": True,
            "common_tls_context": {"alpn_protocols": ["h2" if http2 else "http/1.1"], "tls_params": versions, "tls_certificates": [files]}}}
    cluster = {"name": "service", "type": "STATIC", "connect_timeout": "5s",
               "load_assignment": {"cluster_name": "service", "endpoints": [{"lb_endpoints": [{"endpoint": at(service)}]}]},
               "circuit_breakers": {"thresholds": [{k: 100000 for k in ("max_connections", "max_pending_requests", "max_requests")}]}}
    if http2:
        cluster["typed_extension_protocol_options"] = {"envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
            "@type": types + "upstreams.http.v3.HttpProtocolOptions", "explicit_http_config": {"http2_protocol_options": {}}}}
    conf = {"static_resources": {"listeners": [{"name": "in", **at(port), "filter_chains": [chain]}], "clusters": [cluster]}}
    binary = need("envoy", PEERS.glob("python/lib/python3*/site-packages/envoy/_bin/envoy"))
    return [binary, "-c", write(directory, f"envoy-{port}.json", conf), "--concurrency", "1", "--disable-hot-restart", "-l", "error"]


def nghttpx(directory, port, service, tls, http2=True):
    return [need("nghttpx"), "--conf=/dev/null", f"-f127.0.0.1,{port}{'' if tls else ';no-tls'}", f"-b127.0.0.1,{service};;proto=h2", "--workers=1",
            "--single-process", "-LERROR", "--accesslog-file=/dev/null", "--tls-min-proto-version=TLSv1.3", directory / "key.pem", directory / "cert.pem"]


def mitmproxy(directory, port, service, tls):
    return [need("mitmdump", PEERS.glob("python/bin/mitmdump")), "-q", "--set", f"confdir={directory}/mitmproxy", "--listen-host", "127.0.0.1",
            "-p", port, "--mode", f"reverse:http://127.0.0.1:{service}", "--certs", f"*={directory}/both.pem", "--set", "stream_large_bodies=1m"]


def toxiproxy(directory, port, service, tls):
    if tls:
        raise NotMeasured("toxiproxy forwards bytes: it does not end TLS")
    proxies = [{"name": "p", "listen": f"127.0.0.1:{port}", "upstream": f"127.0.0.1:{service}", "enabled": True}]
    binary = need("toxiproxy", PEERS.glob("bin/server"))
    return [binary, "-config", write(directory, f"toxiproxy-{port}.json", proxies), "-host", "127.0.0.1", "-port", free_port()]


def retrial(directory, port, service, tls, http2=False, loops=1, rules=None):
    folder = directory / f"record-{port}"
    shutil.rmtree(folder, ignore_errors=True)
    return [retrial.binary, "serve", "--reverse", f"127.0.0.1:{port}=http://127.0.0.1:{service}", "--loops", loops,
            "--record", folder, "--ca", directory / "ca"] + (["-c", write(directory, f"retrial-{port}.toml", rules)] if rules else [])


retrial.binary = ROOT / "build/release/retrial"
PROXIES = {"retrial": retrial, "retrial, two loops": functools.partial(retrial, loops=2),
           "retrial, held by a rule": functools.partial(retrial, rules=HOLD),
           "haproxy": haproxy, "nginx": nginx, "envoy": envoy, "nghttpx": nghttpx, "mitmproxy": mitmproxy, "toxiproxy": toxiproxy}
HTTP1 = ("retrial", "haproxy", "nginx", "envoy", "mitmproxy", "toxiproxy")
HTTP2 = ("retrial", "haproxy", "nginx", "envoy", "nghttpx")
ASKS_IN_HTTP1 = ("nginx",)
ENVIRONMENT = {"toxiproxy": {"GOMAXPROCS": "1"}}
VERSION = {"retrial": ["--version"], "haproxy": ["-v"], "nginx": ["-v"], "envoy": ["--version"], "nghttpx": ["--version"], "mitmproxy": ["--version"], "toxiproxy": None}


def need(name, places=()):
    found = next((str(p) for p in places), None) or shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if not found:
        raise NotMeasured(f"{name} is not installed")
    return found


def version(name, directory):
    binary = [str(a) for a in PROXIES[name](directory, 1, 1, False)][0]
    if VERSION[name] is None:  # a Go program knows the module that it was built from
        return re.search(r"^\s+mod\s+\S+\s+(\S+)", output_of(["go", "version", "-m", binary]), re.M)[1]
    return re.search(r"(?<![\w.])(\d+\.\d+\.\d+[^\s/,]*)", output_of([binary] + VERSION[name]))[1]


def start(name, directory, service, tls=False, under=(), http2=None):
    """A running proxy, not waited for; `under` goes before its command. With `http2`, both of its sides speak that."""
    port = free_port()
    if http2:
        to = http2.http1 if name in ASKS_IN_HTTP1 else http2.port
        if not to:
            raise NotMeasured(f"{name} asks in HTTP/1.1, which this service does not speak")
        command = PROXIES[name](directory, port, to, tls, http2=True)
    else:
        command = PROXIES[name](directory, port, service, tls)
    argv = list(under) + command
    process = Process(f"{name}-{port}", argv, directory, ENVIRONMENT.get(name))
    process.port = port
    return process


def service(directory, sizes_mib):
    """nginx: 1 KiB for any path, sparse files /big/N of N MiB, and /held, which is never answered. Its `http2` is the same over HTTP/2."""
    (directory / "big").mkdir()
    for size in sizes_mib:
        with open(directory / "big" / str(size), "wb") as big:
            big.truncate(size << 20)
    port, http2, silent = free_port(), free_port(), socket.create_server(("127.0.0.1", 0), backlog=4096)  # which nobody accepts from
    http = SERVICE.format(port=port, http2=http2, silent=silent.getsockname()[1], body="x" * 1024, directory=directory)
    process = Process("service", nginx_command(directory, "service", http), directory)
    process.port, process.silent, process.http2 = port, silent, Http2(http2, http1=port)
    process.answers(port)
    return process


def calls(directory, mib):
    """nghttpd, as a gRPC service: one message of 1 KiB, or a stream of `mib` MiB in messages of 16 KiB, then `grpc-status: 0` in
    trailers. Its windows are as large as windows get: nothing but the proxy bounds what the proxy has to keep."""
    pages, message, port = directory / "calls", 16 << 10, free_port()
    pages.mkdir()
    prefix = lambda size: b"\0" + (size - 5).to_bytes(4, "big")
    (pages / "one.grpc").write_bytes(prefix(1024) + b"x" * 1019)
    (directory / "call").write_bytes(prefix(69) + b"x" * 64)
    with open(pages / "stream.grpc", "wb") as file:
        for at in range(0, mib << 20, message):
            file.seek(at)
            file.write(prefix(message))
        file.truncate(mib << 20)
    types = write(directory, "types", "application/grpc grpc\n")
    process = Process("calls", [need("nghttpd"), "--no-tls", "-a", "127.0.0.1", "-d", pages, "-w30", "-W30", "--no-content-length",
                                f"--mime-types-file={types}", "--trailer=grpc-status: 0", port], directory)
    call = ("-H", "content-type: application/grpc", "-H", "te: trailers", "-d")
    process.port = port
    process.call = Http2(port, "/one.grpc", (*call, directory / "call"))
    process.down = Http2(port, "/stream.grpc", (*call, directory / "call"))
    process.up = Http2(port, "/one.grpc", (*call, pages / "stream.grpc"))
    return process


def certificate(directory):
    """both.pem: a self-signed certificate and its key, ECDSA P-256."""
    key, cert = directory / "key.pem", directory / "cert.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", cert,
                    "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
                   check=True, stderr=subprocess.DEVNULL)
    (directory / "both.pem").write_text(cert.read_text() + key.read_text())
