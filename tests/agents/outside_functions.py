"""Agents of somebody else, as Python functions: they get the message and return the object with the answer."""

import time

import openai


def client_of(told: dict) -> openai.OpenAI:
    return openai.OpenAI(api_key=told["model"]["api_key"], base_url=told["model"]["base_url"])


def broken(told: dict) -> dict:
    return {"answer": 1 / 0}


def slow(told: dict) -> dict:
    time.sleep(3)
    return {"answer": "A"}


async def bridged(told: dict) -> dict:
    """Knows no address: the engine's bridge takes the call."""
    client = openai.AsyncOpenAI(api_key="none", base_url="http://127.0.0.1:9")
    messages = [{"role": "user", "content": told["prompt"]}]
    said = await client.chat.completions.create(model="inspect", messages=messages)
    return {"answer": said.choices[0].message.content.strip()[-1]}


def served(told: dict) -> dict:
    """Streams."""
    messages = [{"role": "user", "content": told["prompt"]}]
    parts = client_of(told).chat.completions.create(model="inspect", stream=True, messages=messages)
    return {"answer": "".join(p.choices[0].delta.content or "" for p in parts)}


def responding(told: dict) -> dict:
    """Speaks the responses form, with a tool call in between; tries what is not served."""
    create = client_of(told).responses.create
    tool = {"type": "function", "name": "zoom", "parameters": {"type": "object", "properties": {}}}
    first = create(model="inspect", instructions="Be brief.", input=told["prompt"], tools=[tool])
    (call,) = first.output
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "nothing there"}
    items = [{"role": "user", "content": told["prompt"]}, call.model_dump(), result]
    last = create(model="inspect", input=items, tools=[tool])
    refused = 0
    for more in (
        {"stream": True},
        {"previous_response_id": "x"},
        {"input": []},
        {"tools": [{"type": "web_search"}]},
    ):
        try:
            create(**{"model": "inspect", "input": "hi", **more})
        except openai.BadRequestError:
            refused += 1
    return {"answer": last.output_text, "reason": f"{call.name} {refused}"}
