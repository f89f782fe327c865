"""Thunderbird: the page that it makes of a message, in a program without a window. Paths in, JSON lines out.

It is started with a profile of its own and asked through Marionette: a length, a colon, a JSON array.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PROGRAM = shutil.which("thunderbird")
# Seconds for the program to come up, and for one batch of messages.
START, BATCH = 120, 600
MESSAGES = 20

SETTINGS = """user_pref("marionette.port", {port});
user_pref("mail.shell.checkDefaultClient", false);
user_pref("mailnews.start_page.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.update.auto", false);
user_pref("network.dns.disabled", true);
user_pref("extensions.autoDisableScopes", 15);
"""

# The converter that the program uses for a message of its own.
CONVERT = r"""
const [paths, done] = arguments;
const service = Cc["@mozilla.org/streamConverters;1"].getService(Ci.nsIStreamConverterService);
const shown = path => new Promise(resolve => {
  const uri = Services.io.newURI("file://" + encodeURI(path) + "?type=application/x-message-display");
  const channel = Services.io.newChannelFromURI(uri, null, Services.scriptSecurityManager.getSystemPrincipal(), null,
    Ci.nsILoadInfo.SEC_ALLOW_CROSS_ORIGIN_SEC_CONTEXT_IS_NULL, Ci.nsIContentPolicy.TYPE_OTHER);
  const chunks = [];
  const listener = {
    QueryInterface: ChromeUtils.generateQI(["nsIStreamListener", "nsIRequestObserver"]),
    onStartRequest() {},
    onDataAvailable(request, stream, offset, count) {
      const reader = Cc["@mozilla.org/binaryinputstream;1"].createInstance(Ci.nsIBinaryInputStream);
      reader.setInputStream(stream);
      chunks.push(reader.readBytes(count));
    },
    onStopRequest() { resolve(chunks.join("")); },
  };
  setTimeout(() => resolve(null), 15000);
  channel.asyncOpen(service.asyncConvertData("message/rfc822", "text/html", listener, channel));
});
(async () => {
  const pages = [];
  for (const path of paths) pages.push(await shown(path).catch(() => ""));
  done(pages);
})();
"""


class Program:
    def __init__(self, folder):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with open(f"{folder}/user.js", "w") as file:
            file.write(SETTINGS.format(port=port))
        command = [PROGRAM, "--headless", "--no-remote", "--marionette", "--remote-allow-system-access", "--profile", folder]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        # With a home of its own, and a group of its own to end with.
        self.process = subprocess.Popen(command, env={**os.environ, "HOME": folder}, start_new_session=True, **quiet)
        self.connection = self.connected(port)
        self.number, self.buffer = 0, b""
        self.read()
        self.ask("WebDriver:NewSession", {"capabilities": {}})
        self.ask("Marionette:SetContext", {"value": "chrome"})
        self.ask("WebDriver:SetTimeouts", {"script": BATCH * 1000})

    def connected(self, port):
        for _ in range(START * 2):
            try:
                connection = socket.create_connection(("127.0.0.1", port))
                connection.settimeout(BATCH)
                return connection
            except OSError:
                time.sleep(0.5)
        raise TimeoutError("Thunderbird does not answer")

    def read(self):
        while b":" not in self.buffer:
            self.buffer += self.received()
        length, _, rest = self.buffer.partition(b":")
        chunks, have = [rest], len(rest)
        while have < int(length):
            chunks.append(self.received())
            have += len(chunks[-1])
        whole = b"".join(chunks)
        self.buffer = whole[int(length) :]
        return json.loads(whole[: int(length)])

    def received(self):
        data = self.connection.recv(1 << 20)
        if not data:
            raise ConnectionError("Thunderbird is gone")
        return data

    def ask(self, command, arguments):
        self.number += 1
        packet = json.dumps([0, self.number, command, arguments]).encode()
        self.connection.sendall(b"%d:%s" % (len(packet), packet))
        _, _, fault, answer = self.read()
        if fault:
            raise ValueError(json.dumps(fault)[:500])
        return answer

    def pages(self, paths):
        arguments = {"script": CONVERT, "args": [paths], "sandbox": "system"}
        return self.ask("WebDriver:ExecuteAsyncScript", arguments)["value"]

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait(20)
        except ProcessLookupError:
            pass
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def main():
    if not PROGRAM:
        sys.exit("no Thunderbird")
    paths = [line.rstrip("\n") for line in sys.stdin]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        program = Program(folder)
        try:
            for at in range(0, len(paths), MESSAGES):
                batch = paths[at : at + MESSAGES]
                for path, page in zip(batch, program.pages([os.path.abspath(path) for path in batch])):
                    # One character a byte; null, where its time ran out.
                    text = (page or "").encode("latin-1", "replace").decode("utf-8", "replace")
                    # It has made the links itself: what is no attribute is none.
                    parts = [{"type": "text/html", "name": "", "text": text, "linked": True}]
                    print(json.dumps({"file": path, "program": "Thunderbird", "parts": parts, "late": page is None}))
        finally:
            program.end()


main()
