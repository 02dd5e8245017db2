"""The soak: a run of 200 streams against a server with random faults that is killed every minute. Looks at the run from
outside, counts its samples against the servers' ledgers, and fails where something leaked, drifted or was lost.

Arguments: the binary, seconds.
"""

import collections
import json
import os
import signal
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request

RUNGS, SECONDS = sys.argv[1], int(sys.argv[2])
PORT = 9310
STREAMS = 200
STAGES = 10
RESTART = 60.0
DOWN = 2.0
LOOK = 5.0
FOLDER = "target/soak"


class Server:
    """The built-in server, killed and started again; its ledgers are added up."""

    def __init__(self):
        self.requests = 0
        self.faults = collections.Counter()
        self.restarts = -1
        self.process = None
        self.start()

    def start(self):
        words = ["mock", "--port", str(PORT), "--ttft", "80ms~0.4", "--itl", "15ms~0.3", "--tokens", "40"]
        seed = ["--seed", str(self.restarts + 2), "--faults", "soak/faults.toml"]
        self.process = subprocess.Popen([RUNGS, *words, *seed], stderr=subprocess.DEVNULL)
        self.restarts += 1
        self.until = time.monotonic() + RESTART

    def kill(self):
        ledger = self.ledger()
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.requests += ledger["requests"]
        self.faults.update(ledger["faults"])

    def ledger(self):
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        for _ in range(50):
            try:
                with direct.open(f"http://127.0.0.1:{PORT}/ledger", timeout=5) as answer:
                    return json.load(answer)
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        sys.exit("soak: the server does not answer")


def look(pid):
    """Resident memory in MiB and open descriptors of a process."""
    with open(f"/proc/{pid}/status") as status:
        kib = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
    return kib / 1024, len(os.listdir(f"/proc/{pid}/fd"))


def soak():
    """Runs it; what was seen of the process, the exit code, and the server."""
    server, looks = Server(), []
    duration = f"{SECONDS / STAGES:.0f}s"
    words = ["run", "soak/soak.toml", "--quiet", "--set", f'load.stage_duration="{duration}"']
    run = subprocess.Popen([RUNGS, *words], stdout=subprocess.DEVNULL)
    try:
        while run.poll() is None:
            time.sleep(LOOK)
            try:
                looks.append((time.monotonic(), *look(run.pid)))
            except (FileNotFoundError, ProcessLookupError, StopIteration):
                break
            if time.monotonic() >= server.until:
                server.kill()
                time.sleep(DOWN)
                server.start()
        code = run.wait()
    finally:
        if run.poll() is None:
            run.kill()
        server.kill()
    return looks, code, server


def attempts():
    """Attempts of the samples by outcome, and those that went out a second time because a kept connection was dead."""
    outcomes, redials = collections.Counter(), 0
    with open(f"{FOLDER}/samples.ndjson") as samples:
        for line in samples:
            if line.startswith('{"type":"attempt"'):
                attempt = json.loads(line)
                outcomes[attempt["outcome"]] += 1
                redials += "redial" in attempt["flags"]
    return outcomes, redials


def main():
    looks, code, server = soak()
    with open(f"{FOLDER}/soak.json") as file:
        result = json.load(file)
    (outcomes, redials), stages = attempts(), result["stages"]
    problems = []

    def need(holds, what):
        if not holds:
            problems.append(what)

    need(code == 0, f"exit code {code}: {result['exit']['reasons']}")
    again = subprocess.run([RUNGS, "report", f"{FOLDER}/samples.ndjson", "--json", "-"], capture_output=True, check=True)
    need(json.loads(again.stdout) == result, "the samples do not give the result again")

    # What reached a server: everything but what found none. A server that is killed takes a few answers with it, which
    # were under way when its ledger was read.
    total = sum(outcomes.values())
    reached = total - outcomes["connect_failed"] - outcomes["timeout_connect"] + redials
    slack = STREAMS * (server.restarts + 1)
    need(abs(reached - server.requests) <= slack, f"{reached} attempts, {server.requests} in the ledgers")
    in_stages = sum(stage["counts"]["attempts"] for stage in stages)
    ramp = sum(stage["phase_counts"]["ramp"] for stage in stages)
    need(in_stages <= total and total - in_stages <= 2 * ramp, f"{total} attempts in the samples, {in_stages} in the stages")
    for stage in stages:
        counts = stage["counts"]
        need(counts["started"] == counts["ok"] + counts["failed"] + counts["cancelled"], f"{stage['name']}: {counts}")

    quarter = len(looks) // 4
    memory, descriptors = ([look[at] for look in looks] for at in (1, 2))
    early, late = (statistics.median(memory[part]) for part in (slice(quarter, 2 * quarter), slice(3 * quarter, None)))
    need(late <= 1.05 * early + 8, f"memory grew from {early:.0f} to {late:.0f} MiB")
    fds = [statistics.median(descriptors[part]) for part in (slice(quarter, 2 * quarter), slice(3 * quarter, None))]
    need(fds[1] <= fds[0] + 20 and max(descriptors) <= 2 * STREAMS + 100, f"descriptors: {fds}, at most {max(descriptors)}")
    lag = [stage["client"]["lag_ms"]["p99"] for stage in stages]
    drift = [statistics.median(lag[:3]), statistics.median(lag[-3:])]
    need(drift[1] <= 2 * drift[0] + 2, f"loop lag p99 went from {drift[0]} to {drift[1]} ms")

    print(f"{SECONDS} s, {STREAMS} streams, {server.restarts} restarts; exit code {code}")
    print(f"attempts {total}: " + ", ".join(f"{name} {n}" for name, n in outcomes.most_common()))
    print(f"in the ledgers {server.requests}, reached {reached} with {redials} redials; faults " + ", ".join(f"{name} {n}" for name, n in server.faults.items()))
    print(f"memory {early:.1f} -> {late:.1f} MiB (most {max(memory):.1f}); descriptors {fds[0]:.0f} -> {fds[1]:.0f} (most {max(descriptors)})")
    print("loop lag p99 by stage, ms: " + ", ".join(f"{value:.2f}" for value in lag))
    print("ok per stage: " + ", ".join(str(stage["counts"]["ok"]) for stage in stages))
    for problem in problems:
        print("FAIL " + problem)
    sys.exit(1 if problems else 0)


main()
