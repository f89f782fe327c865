"""Dovecot's IMAP server over a Maildir: the parts that it names, as it decodes them. Paths in, JSON lines out."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from decoding import decoded

IMAP = "/usr/lib/dovecot/imap"
# An account that is not root's: the server refuses to serve that one.
NOBODY = 65534

CONFIGURATION = """mail_location = maildir:{0}/Maildir
first_valid_uid = 1
first_valid_gid = 1
log_path = {0}/log
ssl = no
base_dir = {0}/run
mail_fsync = never
"""


class Server:
    def __init__(self, folder):
        command = [IMAP, "-c", f"{folder}/dovecot.conf"]
        if os.getuid() == 0:
            command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *command]
        environment = {"USER": "nobody", "HOME": folder, "PATH": "/usr/bin:/bin"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, env=environment, **pipes)
        self.process.stdout.readline()
        # Some messages are the end of it.
        self.gone = False

    def ask(self, command):
        """The untagged answers, each as lines and literals in turn."""
        self.process.stdin.write(b"t " + command.encode() + b"\r\n")
        self.process.stdin.flush()
        answers = []
        while line := self.process.stdout.readline():
            pieces = [line]
            while literal := re.search(rb"\{(\d+)\}\r\n$", line):
                pieces.append(self.process.stdout.read(int(literal.group(1))))
                line = self.process.stdout.readline()
                pieces.append(line)
            if pieces[0].startswith(b"t "):
                break
            answers.append(pieces)
        self.gone = not line
        return answers


TOKEN = re.compile(rb'"((?:[^"\\]|\\.)*)"|([()])|([^\s()"]+)', re.S)


def parsed(pieces):
    """The nested lists of an answer (RFC 9051 §9)."""
    stack = [[]]
    for index, piece in enumerate(pieces):
        if index % 2 == 1:
            stack[-1].append(piece)
            continue
        for quoted, bracket, atom in TOKEN.findall(re.sub(rb"~?\{\d+\}\r\n$", b"", piece)):
            if bracket == b"(":
                stack.append([])
            elif bracket == b")" and len(stack) > 1:
                inner = stack.pop()
                stack[-1].append(inner)
            elif atom:
                stack[-1].append(None if atom == b"NIL" else atom)
            elif not bracket:
                stack[-1].append(re.sub(rb"\\(.)", rb"\1", quoted))
    return stack[0]


def pairs(found):
    return {name.lower(): value or b"" for name, value in zip(found[::2], found[1::2]) if isinstance(name, bytes)} if found else {}


def leaves(structure, path=()):
    """Number, type, charset and name of each leaf of a BODYSTRUCTURE."""
    if isinstance(structure[0], list):
        for index, inner in enumerate(one for one in structure if isinstance(one, list) and one and isinstance(one[0], (bytes, list))):
            if index < len(structure) and structure[index] is inner:
                yield from leaves(inner, (*path, index + 1))
        return
    kind = b"/".join((word or b"").lower() for word in structure[:2]).decode("latin-1")
    path = path or (1,)
    if kind == "message/rfc822" and len(structure) > 8 and isinstance(structure[8], list):
        inner = structure[8]
        yield from leaves(inner, path if isinstance(inner[0], list) else (*path, 1))
        return
    said = pairs(structure[2])
    name = said.get(b"name", b"")
    for extra in structure[7:]:
        if isinstance(extra, list) and len(extra) == 2 and isinstance(extra[1], list):
            name = pairs(extra[1]).get(b"filename", name)
    yield ".".join(map(str, path)), kind, said.get(b"charset", b"").decode("latin-1"), name.decode("latin-1")


def content(server, number, section):
    for what in [f"BINARY.PEEK[{section}]", f"BODY.PEEK[{section}]"]:
        for answer in server.ask(f"FETCH {number} ({what})"):
            found = parsed(answer)
            if len(found) > 3 and found[2] == b"FETCH" and isinstance(found[3], list) and len(found[3]) > 1:
                if isinstance(found[3][1], bytes) and found[3][1]:
                    return found[3][1]
    return b""


def shown(server, number):
    for answer in server.ask(f"FETCH {number} (BODYSTRUCTURE)"):
        found = parsed(answer)
        if len(found) < 4 or found[2] != b"FETCH":
            continue
        for section, kind, charset, name in list(leaves(found[3][1]))[:200]:
            yield {"type": kind, "name": name, "text": decoded(content(server, number, section), charset)}


def main():
    if not os.path.exists(IMAP):
        sys.exit("no Dovecot")
    paths = [line.rstrip("\n") for line in sys.stdin]
    with tempfile.TemporaryDirectory() as folder:
        for name in ["cur", "new", "tmp", "run"]:
            os.makedirs(f"{folder}/Maildir/{name}" if name != "run" else f"{folder}/run")
        for index, path in enumerate(paths):
            shutil.copy(path, f"{folder}/Maildir/cur/{1_000_000 + index}.M1.program:2,S")
        with open(f"{folder}/dovecot.conf", "w") as file:
            file.write(CONFIGURATION.format(folder))
        if os.getuid() == 0:
            subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", folder], check=True)
        server = Server(folder)
        server.ask("SELECT INBOX")
        for number, path in enumerate(paths, 1):
            parts = []
            try:
                for part in shown(server, number):
                    parts.append(part)
            except (IndexError, TypeError, BrokenPipeError):
                pass
            print(json.dumps({"file": path, "program": "Dovecot", "parts": parts}))
            if server.gone:
                server = Server(folder)
                server.ask("SELECT INBOX")
        server.ask("LOGOUT")


main()
