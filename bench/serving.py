"""The server under load: 50 clients, 500 questions, `/health` all the while.

    python -m bench.serving

A real server in a separate process, on the bundled papers, with the extractive LM and the real embedding model. Every
answer is compared with the one that a single client got. `/health` is asked by a separate process, so that nothing
but the server can delay it; it asks over one connection, ten times a second. Another such process asks a server that
does nothing else: what that one takes is the machine's own delay, which no server can be quicker than. On a busy
machine the processor time that the server took while `/health` waited bounds what the server itself is to blame for; it
also counts what the server did once it had answered, before the asking process got its turn.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import http.client
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import numpy as np

from bench.gates import Gate, load, report

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "datasets" / "space_biology"
PROBE_SECONDS = 0.1
HEALTH_LIMIT = 0.05
PROGRAMS = ("multi_signal", "rag_fusion")


@dataclass(frozen=True)
class Asked:
    """A question and what came back; ``content`` is what must not depend on who else asks."""

    status: int
    content: Any
    seconds: float


def questions(number: int) -> list[str]:
    rows = [json.loads(line) for line in (DATA / "questions" / "train.jsonl").read_text("utf-8").splitlines()]
    found = list(dict.fromkeys(row["question"] for row in rows))
    return found[:number]


@contextlib.contextmanager
def serving(index: Path, *options: str) -> Iterator[tuple[str, int]]:
    """A server's address and process id."""
    command = [sys.executable, "-m", "programs", "serve", "--index", str(index), "--port", "0", *options]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        for line in server.stderr:
            if found := re.search(r"http://\S+", line):
                break
        else:
            raise RuntimeError("the server did not start")
        try:
            yield found.group(), server.pid
        finally:
            server.terminate()


def memory(pid: int) -> float:
    """Resident memory in MiB."""
    status = Path(f"/proc/{pid}/status").read_text("utf-8")
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024


async def ask(client: httpx.AsyncClient, question: str, program: str) -> Asked:
    started = time.perf_counter()
    response = await client.post("/api/ask", json={"question": question, "program": program})
    seconds = time.perf_counter() - started
    result = response.json()
    return Asked(response.status_code, {key: result.get(key) for key in ("question", "answer", "passages")}, seconds)


async def asked_by(address: str, clients: int, work: list[tuple[str, str]]) -> list[Asked]:
    """All the work, shared among clients with a connection each; in its order."""
    places = iter(range(len(work)))
    done: dict[int, Asked] = {}

    async def one() -> None:
        async with httpx.AsyncClient(base_url=address, timeout=600) as client:
            for place in places:
                done[place] = await ask(client, *work[place])

    await asyncio.gather(*(one() for _ in range(clients)))
    return [done[place] for place in range(len(work))]


class _Nothing(http.server.BaseHTTPRequestHandler):
    """Answers at once."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


def control() -> None:
    """Serve nothing, in a separate process."""
    server = http.server.HTTPServer(("127.0.0.1", 0), _Nothing)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


@contextlib.contextmanager
def controlled() -> Iterator[tuple[str, int]]:
    """Address and process id of a server that does nothing."""
    command = [sys.executable, "-m", "bench.serving", "--control"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        yield server.stdout.readline().strip(), server.pid
        server.terminate()


def processor_seconds(pid: int) -> float:
    """What all threads of a process have run so far."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text("utf-8").split()[0]) for task in tasks) / 1e9


def probe(address: str, pid: int) -> None:
    """Ask `/health` until stdin closes; then print every latency, and the server's processor time in it."""
    os.set_blocking(sys.stdin.fileno(), False)
    connection = http.client.HTTPConnection(urlsplit(address).netloc)
    found = []
    while sys.stdin.buffer.read() is None:
        before, started = processor_seconds(pid), time.perf_counter()
        connection.request("GET", "/health")
        response = connection.getresponse()
        response.read()
        assert response.status == 200
        found.append((time.perf_counter() - started, processor_seconds(pid) - before))
        time.sleep(PROBE_SECONDS)
    print(json.dumps(found))


@dataclass
class Probes:
    """Seconds that `/health` took, and that the server computed meanwhile."""

    waited: list[float] = field(default_factory=list)
    computed: list[float] = field(default_factory=list)


@contextlib.contextmanager
def probed(address: str, pid: int) -> Iterator[Probes]:
    """Ask `/health` all through the block; the probes are there after it."""
    probes = Probes()
    command = [sys.executable, "-m", "bench.serving", "--probe", address, str(pid)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as prober:
        time.sleep(2)
        yield probes
        for waited, computed in json.loads(prober.communicate()[0]):
            probes.waited.append(waited)
            probes.computed.append(computed)


def milliseconds(latencies: list[float], percentile: float) -> float:
    return float(np.percentile(latencies, percentile)) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--requests", type=int, default=500)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--probe", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--control", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.control:
        control()
    if options.probe:
        probe(options.probe[0], int(options.probe[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder) / "papers.idx"
        command = ["index", str(DATA / "papers"), "--metadata", str(DATA / "metadata.csv"), "--index", str(index)]
        subprocess.run([sys.executable, "-m", "programs", *command], cwd=ROOT, check=True, capture_output=True)
        sys.exit(not measured(index, options.clients, options.requests, options.workers))


def measured(index: Path, clients: int, requests: int, workers: int) -> bool:
    distinct = [(question, program) for question in questions(25) for program in PROGRAMS]
    work = [distinct[place % len(distinct)] for place in range(requests)]
    with serving(index, "--workers", str(workers)) as (address, pid), controlled() as nothing:
        alone = dict(zip(distinct, asyncio.run(asked_by(address, 1, distinct)), strict=True))
        with probed(address, pid) as idle:
            time.sleep(3)
        before = memory(pid)
        started = time.perf_counter()
        with probed(address, pid) as busy, probed(*nothing) as machine:
            first = asyncio.run(asked_by(address, clients, work))
        seconds = time.perf_counter() - started
        after = memory(pid)
        asyncio.run(asked_by(address, clients, work))
        again = memory(pid)
    print(f"{load()}; {clients} clients, {requests} requests, {workers} workers: {requests / seconds:.1f} a second")
    waits = [each.seconds for each in first]
    print(f"an answer waits {np.median(waits):.2f} s (median), {max(waits):.2f} s at most; {len(busy.waited)} probes")
    return report(
        [
            Gate("failed requests", sum(each.status != 200 for each in first), at_most=0),
            Gate(
                "answers that differ from a single client's",
                sum(got.content != alone[asked].content for asked, got in zip(work, first, strict=True)),
                at_most=0,
            ),
            Gate("memory before, MiB", before),
            Gate("memory growth over the first round, MiB", after - before),
            Gate("memory growth over a second round, MiB", again - after, at_most=20),
            Gate("/health idle p50, ms", milliseconds(idle.waited, 50)),
            *(
                Gate(
                    f"{name} {statistic}, ms",
                    milliseconds(seconds, percentile),
                    at_most=limit if statistic == "max" else None,
                )
                for name, seconds, limit in (
                    ("/health under load", busy.waited, HEALTH_LIMIT * 1000),
                    ("the server's own part of it, at most,", busy.computed, None),
                    ("a server that does nothing", machine.waited, None),
                )
                for statistic, percentile in (("p50", 50), ("p99", 99), ("max", 100))
            ),
        ]
    )


if __name__ == "__main__":
    main()
