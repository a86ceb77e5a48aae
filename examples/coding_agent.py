"""Puts a question to the command line of a coding agent, for ``proofreel run --agent outside``.

Any program that takes a prompt and an MCP configuration will do. In its words ``{prompt}`` stands for the task and
``{mcp}`` for the file with the configuration of the video tools::

    proofreel run mini --agent outside --set keep_env=ANTHROPIC_API_KEY --set command="python examples/coding_agent.py \
        claude -p {prompt} --mcp-config {mcp} --allowedTools mcp__proofreel"

The agent answers with the tool ``cite``; what it says besides goes to standard error.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

TASK = """{prompt}

The video can only be seen through the tools of the server "proofreel". Call probe first, then search, transcript, \
watch and crop as you need them. When you know the answer, or are sure that the video does not show it, call cite once \
with the letter of the option (or the answer, or abstained) and the moments that prove it. Then stop."""


def main(words: list[str]) -> int:
    """Runs the agent once; its exit code is ours."""
    told = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "mcp.json"
        config.write_text(json.dumps(told["mcp"]), encoding="utf-8")
        filled = {"{prompt}": TASK.format(prompt=told["prompt"]), "{mcp}": str(config)}
        command = [filled.get(word, word) for word in words]
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
