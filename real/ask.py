"""Asks a server for a two-token answer; exits 0 when it gives one, else says why not.

Arguments: the base URL, the model, the key.
"""

import json
import sys
import urllib.request


def main():
    url, model, key = sys.argv[1:]
    body = {"model": model, "max_tokens": 2, "messages": [{"role": "user", "content": "hi"}]}
    request = urllib.request.Request(
        url + "/v1/chat/completions",
        data=json.dumps(body).encode(),
        headers={"content-type": "application/json", "authorization": "Bearer " + key},
    )
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(request, timeout=60) as response:
            json.load(response)["choices"][0]
    except (OSError, ValueError, KeyError, IndexError) as error:
        sys.exit(f"no answer yet: {error}")


main()
