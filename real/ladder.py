"""Runs the ladder against the real model and through the real gateway, and holds the result against the servers' own words."""
import json
import pathlib
import subprocess
import sys

from proxy import Witness

HERE = pathlib.Path(__file__).resolve().parent
MODEL, GATEWAY = int(sys.argv[2]), int(sys.argv[3])
RUNGS = sys.argv[1]
OUT = HERE.parent / "target" / "real" / "out"
KEY = "sk-gateway-test"

COMPLETIONS = ["data.body={ prompt = '<query>', max_tokens = 16 }"]
RESPONSES = ["data.body={ input = '<query>', max_output_tokens = 16 }"]
# The model server's own protocol, which rungs does not know.
DESCRIBED = [
    "target.api_path=/completion",
    "target.response={ format = 'sse', text = '/content', done = { pointer = '/stop', equals = true },"
    " usage_output = '/tokens_predicted', usage_input = '/tokens_evaluated' }",
    "data.body={ prompt = '<query>', n_predict = 16, stream = true }",
]
CASES = [
    ("model, OpenAI protocol", MODEL, "openai-chat", None, []),
    ("model, OpenAI completions", MODEL, "openai-completions", None, COMPLETIONS),
    ("model, OpenAI responses", MODEL, "openai-responses", None, RESPONSES),
    ("model, Anthropic protocol", MODEL, "anthropic-messages", None, []),
    ("model, its own protocol", MODEL, "custom", None, DESCRIBED),
    ("gateway, OpenAI protocol", GATEWAY, "openai-chat", KEY, []),
    ("gateway, Anthropic protocol", GATEWAY, "anthropic-messages", KEY, []),
]


def rungs(port, api, key, out, changes=()):
    words = [RUNGS, "run", str(HERE / "ladder.toml"), "--json", "-", "--quiet", "--out", str(out)]
    words += ["--set", f"target.port={port}", "--set", f"target.api={api}"]
    for change in changes:
        words += ["--set", change]
    if key:
        words += ["--set", f"target.api_key={key}"]
    return subprocess.run(words, capture_output=True, text=True, timeout=600)


def attempts(out):
    for path in out.glob("*.samples.ndjson"):
        for line in path.read_text().splitlines():
            record = json.loads(line)
            if record["type"] == "attempt":
                yield record


def climb(name, port, api, key, changes):
    witness = Witness(port)
    out = OUT / name.replace(",", "").replace(" ", "-")
    for old in out.glob("*"):
        old.unlink()
    done = rungs(witness.port, api, key, out, changes)
    witness.close()
    assert done.returncode == 0, (name, done.returncode, done.stderr, done.stdout[-3000:])
    result = json.loads(done.stdout)
    assert [stage["concurrency"] for stage in result["stages"]] == [1, 2, 4]
    seen = 0
    for attempt in attempts(out):
        assert attempt["outcome"] == "ok", (name, attempt)
        said = witness.usage[attempt["request_id"]]
        assert said and attempt["tokens"]["output"] == said, (name, attempt["tokens"], said)
        at = attempt["at"]
        assert at["sent"] <= at["headers"] <= at["first_token"] <= at["last_token"] <= at["end"], (name, at)
        assert at["first_token"] < at["end"], (name, at)
        seen += 1
    assert seen == 1 + 3 * 6 == len(witness.usage), (name, seen, len(witness.usage))
    for stage in result["stages"]:
        assert stage["counts"]["ok"] == stage["counts"]["planned"] == 6, (name, stage["counts"])
        assert stage["ttft_ms"]["p50"] < stage["e2e_ms"]["p50"]
        shown = [stage["concurrency"], stage["qps"], stage["output_tokens_per_s"], stage["ttft_ms"]["p50"]]
        shown += [stage["tpot_ms"]["p50"], stage["e2e_ms"]["p50"]]
        print("{:28} {:>3} users {:8.2f} req/s {:8.1f} tok/s  TTFT {:8.1f}  TPOT {:7.2f}  E2E {:8.1f} ms".format(name, *shown))


def wrong_key(api):
    done = rungs(GATEWAY, api, "sk-wrong-key-12345", OUT / "wrong-key")
    result = json.loads(done.stdout)
    assert done.returncode == 4, (done.returncode, done.stderr)
    error = result["preflight"]["error"]
    assert error["status"] in (400, 401) and error["message"], error
    assert f"HTTP {error['status']}" in done.stderr and error["message"] in done.stderr, done.stderr
    assert "sk-wrong" not in done.stdout + done.stderr
    assert all(stage["status"] == "skipped" for stage in result["stages"])
    print(f"gateway, {api}, wrong key: exit 4, HTTP {error['status']}: {error['message']}")


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    for case in CASES:
        climb(*case)
    for api in ("openai-chat", "anthropic-messages"):
        wrong_key(api)
    print(f"{len(CASES) + 2} passed, 0 failed")


main()
