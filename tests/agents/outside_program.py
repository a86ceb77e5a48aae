"""An agent of somebody else, as a program: it knows nothing of Proofreel but the message on its standard input."""

import base64
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path


def ask(told: dict, content: object, **more: object) -> dict:
    way = told["model"]
    body = {"model": way["name"], "messages": [{"role": "user", "content": content}], **more}
    request = urllib.request.Request(
        f"{way['base_url']}/chat/completions",
        json.dumps(body).encode(),
        {"authorization": f"Bearer {more.pop('key', way['api_key'])}", "content-type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return {"status": error.code, **json.load(error)}


def watched(told: dict, start: float, end: float, frames: int) -> tuple[list[str], str]:
    """Pictures as data addresses from the tool server, and what it said."""
    import anyio
    from mcp import Client, StdioServerParameters, stdio_client

    server = told["mcp"]["mcpServers"]["proofreel"]
    found: list[str] = []
    said: list[str] = []

    async def main() -> None:
        async with Client(stdio_client(StdioServerParameters(**server))) as client:
            arguments = {"start": start, "end": end, "frames": frames, "height": 48}
            seen = await client.call_tool("watch", arguments)
            found.extend(f"data:image/jpeg;base64,{c.data}" for c in seen.content if c.type == "image")
            said.append(seen.content[0].text)
            if told["limits"].get("tool_calls") != 1:
                looked = await client.call_tool(
                    "analyze", {"focus": "the animal", "start_time": 0, "end_time": 2}
                )
                said.append(looked.content[0].text)

    anyio.run(main)
    return found, "\n".join(said)


def main(way: str) -> None:
    told = json.load(sys.stdin)
    question = told["question"]
    if way == "whole":
        pictures, said = watched(told, 2, 4, 2)
        parts = [{"type": "text", "text": told["prompt"] + "\n" + said}]
        parts += [{"type": "image_url", "image_url": {"url": url}} for url in pictures]
        reply = ask(told, parts)["choices"][0]["message"]["content"]
        print("a line for people")
        print(json.dumps({"answer": reply, "reason": "seen", "evidence": [{"start": 2, "end": 4}]}))
    elif way == "own_picture":
        url = "data:image/png;base64," + base64.b64encode(Path(sys.argv[2]).read_bytes()).decode()
        outcome = [ask(told, [{"type": "image_url", "image_url": {"url": url}}]) for _ in range(2)]
        print(json.dumps({"answer": "B", "reason": str([o.get("error", {}).get("code") for o in outcome])}))
    elif way == "until_refused":
        codes = []
        while not codes or codes[-1] is None:
            codes.append(ask(told, "again?").get("error", {}).get("code"))
        print(json.dumps({"answer": "A", "reason": f"{len(codes) - 1} served, then {codes[-1]}"}))
    elif way == "strange_calls":
        calls = {
            "wrong key": ask(told, "hi", key="not-it"),
            "address": ask(told, [{"type": "image_url", "image_url": {"url": "http://127.0.0.1:9/x.png"}}]),
            "file": ask(told, [{"type": "image_url", "image_url": {"url": "file:///etc/passwd"}}]),
            "many": ask(told, "hi", n=4),
            "format": ask(told, "hi", response_format={"type": "json_object"}),
            "messages": ask(told, "hi", messages="hello"),
            "role": ask(told, "hi", messages=[{"role": "wizard", "content": "hi"}]),
            "tools": ask(told, "hi", tools=[{"type": "browser"}]),
        }
        print(
            json.dumps({"answer": "A", "reason": json.dumps({k: v.get("status") for k, v in calls.items()})})
        )
    elif way == "tools":
        tool = {
            "type": "function",
            "function": {"name": "zoom", "parameters": {"type": "object", "properties": {}}},
        }
        choice = ask(told, "look", tools=[tool], temperature=0.5)["choices"][0]
        (call,) = choice["message"]["tool_calls"]
        print(json.dumps({"answer": "C", "reason": f"{choice['finish_reason']} {call['function']}"}))
    elif way == "model_fails":
        outcome = ask(told, "hi")
        sys.exit(f"no model: {outcome['error']['message']}")
    elif way == "hangs":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        Path(sys.argv[2]).write_text(f"{os.getpid()} {child.pid}")
        time.sleep(600)
    elif way == "says_its_environment":
        print(json.dumps({"answer": "A", "reason": " ".join(sorted(os.environ))}))
    elif way == "crashes":
        print(json.dumps({"answer": "A"}))
        raise RuntimeError(f"could not make sense of {question['id']}")
    else:
        print(way)


if __name__ == "__main__":
    main(sys.argv[1])
