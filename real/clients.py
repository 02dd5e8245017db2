"""Official Python clients against `rungs mock`, streamed and not: they must read it without complaint, agree on the text, and count what the ledger counts."""
import json
import subprocess
import sys
import urllib.request
import warnings

import anthropic
import ollama
import openai

RUNGS = sys.argv[1]
TOKENS = 24
ASK = "Say something about a river."
MESSAGES = [{"role": "user", "content": ASK}]


def main():
    warnings.simplefilter("error")
    # The connections end with this script.
    warnings.simplefilter("ignore", ResourceWarning)
    mock = subprocess.Popen(
        [RUNGS, "mock", "--port", "0", "--ttft", "5ms", "--itl", "1ms", "--tokens", str(TOKENS), "--models", "mock,other"],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        # The first line says where it listens; port 0 is any free one.
        url = next(word for word in mock.stderr.readline().split() if word.startswith("http://")).rstrip(":")
        compare(url)
        refuse(url)
        list_models(url)
    finally:
        mock.terminate()
        mock.wait(10)
        mock.stderr.close()


def compare(url):
    """Every client, streamed and whole, brings the same text, and as many tokens as the ledger says were sent."""
    texts = {}
    for name, protocol, ask in clients(url):
        text, output, inputs = ask()
        row = ledger(url)
        sent = len(row["tokens"]) or row["whole_tokens"]
        assert row["protocol"] == protocol and row["status"] == 200, (name, row)
        assert output == sent == TOKENS, (name, output, sent)
        assert inputs > 0, (name, inputs)
        texts[name] = text
        print(f"ok  {name}: {output} tokens")
    assert len(set(texts.values())) == 1, texts


def clients(url):
    chat = openai.OpenAI(base_url=f"{url}/v1", api_key="sk-test", max_retries=0)
    claude = anthropic.Anthropic(base_url=url, api_key="sk-test", max_retries=0)
    llama = ollama.Client(host=url)
    yield "openai chat, streamed", "openai-chat", lambda: chat_streamed(chat)
    yield "openai chat, whole", "openai-chat", lambda: chat_whole(chat)
    yield "openai completions, streamed", "openai-completions", lambda: completions_streamed(chat)
    yield "openai completions, whole", "openai-completions", lambda: completions_whole(chat)
    yield "openai responses, streamed", "openai-responses", lambda: responses_streamed(chat)
    yield "openai responses, whole", "openai-responses", lambda: responses_whole(chat)
    yield "anthropic, streamed", "anthropic-messages", lambda: anthropic_streamed(claude)
    yield "anthropic, whole", "anthropic-messages", lambda: anthropic_whole(claude)
    yield "ollama chat, streamed", "ollama-chat", lambda: ollama_streamed(llama)
    yield "ollama chat, whole", "ollama-chat", lambda: ollama_whole(llama)
    yield "ollama generate, streamed", "ollama-generate", lambda: generate_streamed(llama)
    yield "ollama generate, whole", "ollama-generate", lambda: generate_whole(llama)


def chat_streamed(client):
    options = {"include_usage": True}
    chunks = strict(client.chat.completions.create(model="mock", messages=MESSAGES, stream=True, stream_options=options))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    usage = chunks[-1].usage
    return text, usage.completion_tokens, usage.prompt_tokens


def chat_whole(client):
    [answer] = strict([client.chat.completions.create(model="mock", messages=MESSAGES)])
    return answer.choices[0].message.content, answer.usage.completion_tokens, answer.usage.prompt_tokens


def completions_streamed(client):
    options = {"include_usage": True}
    chunks = list(client.completions.create(model="mock", prompt=ASK, stream=True, stream_options=options))
    text = "".join(chunk.choices[0].text for chunk in chunks if chunk.choices)
    usage = chunks[-1].usage
    return text, usage.completion_tokens, usage.prompt_tokens


def completions_whole(client):
    [answer] = strict([client.completions.create(model="mock", prompt=ASK)])
    return answer.choices[0].text, answer.usage.completion_tokens, answer.usage.prompt_tokens


def responses_streamed(client):
    with client.responses.stream(model="mock", input=ASK) as stream:
        events = list(stream)
        [answer] = strict([stream.get_final_response()])
    text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert [event.sequence_number for event in events] == list(range(len(events))), "events are numbered through"
    assert events[-1].type == "response.completed" and text == answer.output_text
    return text, answer.usage.output_tokens, answer.usage.input_tokens


def responses_whole(client):
    [answer] = strict([client.responses.create(model="mock", input=ASK)])
    return answer.output_text, answer.usage.output_tokens, answer.usage.input_tokens


def anthropic_streamed(client):
    with client.messages.stream(model="mock", max_tokens=100, messages=MESSAGES) as stream:
        text = "".join(stream.text_stream)
        answer = stream.get_final_message()
    strict([answer])
    assert text == answer.content[0].text and answer.stop_reason == "end_turn"
    return text, answer.usage.output_tokens, answer.usage.input_tokens


def anthropic_whole(client):
    [answer] = strict([client.messages.create(model="mock", max_tokens=100, messages=MESSAGES)])
    return answer.content[0].text, answer.usage.output_tokens, answer.usage.input_tokens


def ollama_streamed(client):
    parts = list(client.chat(model="mock", messages=MESSAGES, stream=True))
    assert [part.done for part in parts] == [False] * TOKENS + [True]
    return "".join(part.message.content for part in parts), parts[-1].eval_count, parts[-1].prompt_eval_count


def ollama_whole(client):
    answer = client.chat(model="mock", messages=MESSAGES)
    return answer.message.content, answer.eval_count, answer.prompt_eval_count


def generate_streamed(client):
    parts = list(client.generate(model="mock", prompt=ASK, stream=True))
    assert [part.done for part in parts] == [False] * TOKENS + [True]
    return "".join(part.response for part in parts), parts[-1].eval_count, parts[-1].prompt_eval_count


def generate_whole(client):
    answer = client.generate(model="mock", prompt=ASK)
    return answer.response, answer.eval_count, answer.prompt_eval_count


def strict(objects):
    """The clients build their objects without a look at the types; this takes the look."""
    objects = list(objects)
    for one in objects:
        type(one).model_validate(one.to_dict())
    return objects


def refuse(url):
    """A model that is not served is each client's own kind of not found."""
    chat = openai.OpenAI(base_url=f"{url}/v1", api_key="sk-test", max_retries=0)
    claude = anthropic.Anthropic(base_url=url, api_key="sk-test", max_retries=0)
    for create in (
        lambda: chat.chat.completions.create(model="nobody", messages=MESSAGES, stream=True),
        lambda: chat.completions.create(model="nobody", prompt=ASK),
        lambda: chat.responses.create(model="nobody", input=ASK),
    ):
        error = refusal(openai.NotFoundError, create)
        assert error.code == "model_not_found", error
    refusal(anthropic.NotFoundError, lambda: claude.messages.create(model="nobody", max_tokens=1, messages=MESSAGES))
    error = refusal(ollama.ResponseError, lambda: ollama.Client(host=url).chat(model="nobody", messages=MESSAGES))
    assert error.status_code == 404 and "nobody" in error.error, error
    print("ok  an unknown model is refused")


def refusal(kind, create):
    try:
        create()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def list_models(url):
    chat = openai.OpenAI(base_url=f"{url}/v1", api_key="sk-test", max_retries=0)
    claude = anthropic.Anthropic(base_url=url, api_key="sk-test", max_retries=0)
    expected = ["mock", "other"]
    assert [model.id for model in strict(chat.models.list())] == expected
    assert [model.id for model in claude.models.list()] == expected
    assert [model.model for model in ollama.Client(host=url).list().models] == expected
    print("ok  the list of models")


def ledger(url):
    with urllib.request.urlopen(f"{url}/ledger?rows=1", timeout=10) as answer:
        return json.load(answer)["rows"][0]


if __name__ == "__main__":
    main()
