"""How often the gate is red, undecided or green over real sockets: the second table of docs/gate.md.

    real/power.py RUNGS              ten pairs of runs and ten A/B runs a row; 25 minutes
    real/power.py RUNGS --quick      one of each, small and fast, only unchanged and too slow; under 15 s

Each server is a process of its own with a seed of its own, the same whenever this runs. Exit 1 when the gate erred.
"""
import collections
import contextlib
import dataclasses
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RUNGS = str(pathlib.Path(sys.argv[1]).resolve())
TOKENS, SIGMA = 64, 0.3
PAIR, BY_TURNS = "two runs", "one A/B run"
RED, OPEN, GREEN = "fail", "inconclusive", "pass"
# The check that so many answers decide; what the tail of the first token shows may be left open.
SURE = "tpot.p95 <= baseline + 20%"
# So often is a run made again in which this machine was too busy to measure.
AGAIN = 4


@dataclasses.dataclass(frozen=True)
class Form:
    """How much is measured: how often, how much slower, with how many users and requests, and median times in ms."""

    times: int
    slower: tuple
    users: int
    requests: int
    ttft: float
    itl: float
    # Share of the runs of a server that is slower than allowed.
    least_red: float

    def server(self, slower, seed):
        """The words of a server that is so many times slower."""
        pace = {"--ttft": self.ttft, "--itl": self.itl}
        words = [f"{option}={median * slower * 1e3:.0f}us~{SIGMA}" for option, median in pace.items()]
        return [RUNGS, "mock", "--port=0", f"--seed={seed}", f"--tokens={TOKENS}", *words]


# A third of the times of the model in docs/gate.md and twice its users, so that a run has some ten blocks of a second.
WHOLE = Form(times=10, slower=(1.0, 1.2, 1.3), users=20, requests=400, ttft=100, itl=20 / 3, least_red=0.95)
# Five blocks of each side, the least that an A/B run is judged by. One pair may be left open by a busy machine.
QUICK = Form(times=1, slower=(1.0, 1.3), users=10, requests=100, ttft=20, itl=4 / 3, least_red=0)


@contextlib.contextmanager
def server(words):
    """The address of a server, which is ended with the block."""
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    try:
        said = process.stderr.readline()
        assert said.startswith("mock server on "), said
        yield said.removeprefix("mock server on ").partition(": POST")[0]
    finally:
        process.kill()
        process.communicate(timeout=10)


class Study:
    """The runs of one form, in a folder of their own, and how often each check came out how."""

    def __init__(self, form, folder):
        self.form, self.folder = form, folder
        self.seeds = random.Random(1)
        # Neither a proxy nor a language of the machine's is any of this study's business.
        environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        self.environment = environment | {"LC_ALL": "C", "USERS": str(form.users), "REQUESTS": str(form.requests)}
        self.counts = collections.Counter()
        self.again = 0

    def measure(self):
        """So often: a baseline, then of each server a run against it, and one by turns with the unchanged one."""
        for _ in range(self.form.times):
            with self.server(1.0) as unchanged:
                self.run(unchanged)
            baseline = self.accept()
            for slower in self.form.slower:
                with self.server(slower) as url:
                    self.count(PAIR, slower, self.run(url, "--baseline", baseline))
                with self.server(slower) as url, self.server(1.0) as other:
                    self.count(BY_TURNS, slower, self.run(url, "--against", other))

    def server(self, slower):
        return server(self.form.server(slower, self.seeds.getrandbits(63)))

    def run(self, url, *words):
        """The result of a run in which this machine kept up."""
        words = ["--json", "-", "--quiet", "--out", self.folder, "--set", f'target.base_url="{url}"', *words]
        for _ in range(1 + AGAIN):
            done = self.rungs("run", HERE / "power.toml", *words)
            assert done.stdout.startswith("{"), (done.returncode, done.stderr)
            result = json.loads(done.stdout)
            if "saturated" not in [warning["code"] for warning in result["warnings"]]:
                return result
            self.again += 1
        sys.exit(f"real/power.py: this machine is too busy to measure: {1 + AGAIN} runs in a row were saturated")

    def accept(self):
        """The newest run as a baseline."""
        baseline = self.folder / "baseline.json"
        done = self.rungs("baseline", "accept", self.folder / "latest.json", baseline)
        assert done.returncode == 0, done.stderr
        return baseline

    def rungs(self, *words):
        return subprocess.run([RUNGS, *map(str, words)], capture_output=True, text=True, env=self.environment, timeout=300)

    def count(self, way, slower, result):
        lines = result["gate"]["checks"]
        assert all(line["result"] in (RED, OPEN, GREEN) for line in lines), lines
        for line in lines:
            self.counts[way, line["check"], slower, line["result"]] += 1
        said = [f"{line['check'].split()[0]} {line['result']} {line['change']}" for line in lines]
        print(f"{way}, {slower} times as slow, {result['stages'][0]['window_s']:.1f} s: {', '.join(said)}", file=sys.stderr)

    def counted(self, way, check, slower):
        """How often it was red, undecided, green."""
        return [self.counts[way, check, slower, result] for result in (RED, OPEN, GREEN)]

    def rows(self):
        """Check and server of each row of the table, in the order in which they were counted."""
        return dict.fromkeys(key[1:3] for key in self.counts)

    def table(self):
        yield f"| check | the server is | {PAIR}: red | undecided | green | {BY_TURNS}: red | undecided | green |"
        yield "| --- | --- |" + " ---: |" * 6
        for check, slower in self.rows():
            server = f"{(slower - 1) * 100:.0f} % slower" if slower > 1 else "unchanged"
            cells = [f"`{check}`", server, *self.counted(PAIR, check, slower), *self.counted(BY_TURNS, check, slower)]
            yield f"| {' | '.join(map(str, cells))} |"

    def erred(self):
        """What must not be, in sentences."""
        for way, (check, slower) in itertools.product((PAIR, BY_TURNS), self.rows()):
            red, undecided, green = self.counted(way, check, slower)
            counts = f"{way}: `{check}` was red {red}, undecided {undecided} and green {green} times"
            if slower == 1.0 and red:
                yield f"{counts} on an unchanged server; expected: never red"
            if check == SURE and slower == 1.2 and undecided <= self.form.times / 2:
                yield f"{counts} on one that is as slow as allowed; expected: mostly undecided"
            if check == SURE and slower == 1.3 and (green or red < self.form.least_red * self.form.times):
                yield f"{counts} on one that is slower than allowed; expected: red, never green"


def main():
    form = {(): WHOLE, ("--quick",): QUICK}.get(tuple(sys.argv[2:]))
    if form is None:
        sys.exit(f"real/power.py: found {' '.join(sys.argv[2:])}, expected nothing or --quick after the binary")
    with tempfile.TemporaryDirectory(prefix="rungs-power-") as folder:
        study = Study(form, pathlib.Path(folder))
        study.measure()
    print(*study.table(), sep="\n")
    print(f"{study.again} runs made again, because this machine was too busy in them", file=sys.stderr)
    sys.exit("\n".join(study.erred()) or None)


main()
