"""Run by tests as a process of its own: prepares a video and prints the index as JSON."""

import sys

from proofreel.perception import prepare

if __name__ == "__main__":
    print(prepare(sys.argv[1], speech="--no-speech" not in sys.argv).to_json())
