"""Programs of the command line: mblaze, reformime (maildrop), ripMIME, munpack. Paths in, JSON lines out."""

import json
import os
import shutil
import subprocess
import sys
import tempfile


# Commands whose time ran out on this message.
LATE = []


def decoded(data):
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def run(*command, data=None):
    try:
        done = subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=10, check=False)
        return done.stdout
    except subprocess.TimeoutExpired:
        LATE.append(command)
        return b""


def files(folder):
    # A name may be one of a folder to an extractor.
    for name in sorted(name for name in os.listdir(folder) if os.path.isfile(f"{folder}/{name}")):
        with open(f"{folder}/{name}", "rb") as file:
            yield {"type": "", "name": name, "text": decoded(file.read())}


def reformime(data, _):
    sections = []
    for line in run("reformime", "-i", data=data).decode("latin-1").split("\n"):
        name, _, value = line.partition(": ")
        if name == "section":
            sections.append({"section": value})
        elif sections:
            sections[-1].setdefault(name, value)
    for section in sections:
        kind = section.get("content-type", "text/plain")
        if not kind.startswith(("multipart/", "message/rfc822")):
            body = run("reformime", "-e", "-s", section["section"], data=data)
            name = section.get("content-disposition-filename") or section.get("content-name") or ""
            yield {"type": kind, "name": name, "text": decoded(body)}


def mblaze(_, path):
    for line in run("mshow", "-t", path).decode("latin-1").split("\n"):
        number, _, rest = line.strip().partition(":")
        kind = (rest.split() or [""])[0]
        if number.isdigit() and "/" in kind and not kind.startswith("multipart"):
            yield {"type": kind, "name": "", "text": decoded(run("mshow", "-O", path, number))}


def into_folder(*command):
    def extract(data, path):
        with tempfile.TemporaryDirectory() as folder:
            run(*[word.format(folder=folder, path=path) for word in command], data=data)
            yield from files(folder)

    return extract


TOOLS = {
    "mblaze": ("mshow", mblaze),
    "reformime": ("reformime", reformime),
    "ripMIME": ("ripmime", into_folder("ripmime", "-i", "{path}", "-d", "{folder}", "--overwrite")),
    "munpack": ("munpack", into_folder("munpack", "-q", "-t", "-C", "{folder}")),
}
TOOLS = {name: tool for name, (command, tool) in TOOLS.items() if shutil.which(command)}

for line in sys.stdin:
    path = line.rstrip("\n")
    with open(path, "rb") as file:
        data = file.read().replace(b"\r\n", b"\n")
    for name, tool in TOOLS.items():
        LATE.clear()
        parts = []
        try:
            for part in tool(data, path):
                parts.append(part)
        except (OSError, ValueError) as fault:
            # What was shown so far counts.
            print(f"{name}: {path}: {fault}", file=sys.stderr)
        print(json.dumps({"file": path, "program": name, "parts": parts, "late": bool(LATE)}))
