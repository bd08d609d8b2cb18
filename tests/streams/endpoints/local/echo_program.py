"""A program for the tests of `command:` addresses; run as `echo_program.py MODE [IN OUT]`."""

# ruff: noqa: T201
from __future__ import annotations

import json
import shutil
import sys
import time

mode, *paths = sys.argv[1:]
if mode == "once":
    print("loading ...")
    shutil.copyfile(*paths)
elif mode == "fails":
    print("a warning\nRuntimeError: no weights", file=sys.stderr)
    sys.exit(3)
elif mode == "nothing":
    pass
elif mode == "text":
    with open(paths[1], "w") as file:
        file.write("no sound")
elif mode == "hangs":
    time.sleep(60)  # noqa: TID251 - a program that hangs
elif mode == "kept":
    print("loading ...")
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        print("[chatter]")
        if request["turn"] == 2:
            print(json.dumps({"error": "out of memory"}), flush=True)
            continue
        shutil.copyfile(request["input"], request["output"])
        print(json.dumps({"output": request["output"], "text": f"turn {request['turn']}"}), flush=True)
elif mode == "dies":
    print(json.dumps({"ready": True}), flush=True)
    sys.stdin.readline()
    sys.exit("Killed: out of memory")
