"""What is measured over HTTP/2, as in scenarios.py: {proxy: [one dict of figures a round]}."""
import load
import peers
from scenarios import with_cpu

HELD = {"held by the service": "/held", "its answer not read": "/big/100"}  # how the hundredth stream is held: its path


def names(bench, http2):
    return [name for name in peers.HTTP2 if name in bench.wanted and (http2.http1 or name not in peers.ASKS_IN_HTTP1)]


def many(bench, scenario, http2, tls=False):
    """CPU a request, and requests a second, with 64 streams on 4 connections."""
    figures = lambda at, process: with_cpu(process, lambda: load.streams(at.port, http2, bench.seconds, tls))
    return bench.interleaved(scenario, ([] if tls else ["direct"]) + names(bench, http2), figures, tls, http2=http2)


def held(bench, how):
    """The latency of 99 streams beside one that is held, over what it is without; one connection, by turns in one run."""
    http2 = bench.service.http2

    def figures(at, process):
        found = load.beside_held(bench.tools / "retrial_streams", at.port, HELD[how], 2 * bench.seconds)
        alone, beside = found["alone"], found["held"]
        return {"alone_50": alone["p50"], "alone_99": alone["p99"], "beside_50": beside["p50"], "beside_99": beside["p99"],
                "over_50": beside["p50"] / alone["p50"], "over_99": beside["p99"] / alone["p99"], "failed": found["failed"]}

    also = ["retrial, held by a rule"] if how == "held by the service" and "retrial" in bench.wanted else []
    return bench.interleaved(f"one stream of 100 {how}", ["direct"] + also + names(bench, http2), figures, http2=http2)


def messages(bench, mib, up):
    """MiB a second of one call that streams messages of 16 KiB one way, and the most memory there ever was."""
    http2 = bench.calls.up if up else bench.calls.down

    def figures(at, process):
        found = with_cpu(process, lambda: load.h2load(at.port, http2, ["-c1", "-m1", "-n1"], count=1))
        if not up and found["data"] != mib << 20:
            raise load.NotMeasured(f"{found['data']} bytes of {mib} MiB came")
        more = {"peak": process.memory_mib("VmHWM"), "cpu_s": found["cpu"] / 1e6} if process else {}
        return {"mib_s": mib / found["seconds"], "failed": found["failed"], **more}

    return bench.interleaved(f"messages, {mib} MiB {'up' if up else 'down'}", ["direct"] + names(bench, http2), figures, http2=http2)
