"""Asks a program what it shows, and knows when it did not answer.

A busy machine makes programs late. What a program said nothing of, or not in its time, it is asked again, alone:
when nothing else runs. What it owes then is no reading of the message, and is said as a fault of the machine.
"""

import json
import shlex
import subprocess


class Asked:
    """One command (it may speak for several programs) and what it says of these paths."""

    def __init__(self, command, paths):
        self.command, self.paths = command, paths
        # (path, program) → the parts that it shows.
        self.shown = {}
        self.ask(paths)

    def ask(self, paths):
        text = "".join(f"{path}\n" for path in paths).encode()
        run = subprocess.run(shlex.split(self.command), input=text, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        self.ended = run.returncode
        for line in run.stdout.decode("utf-8", "replace").split("\n"):
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if not entry.get("late"):
                self.shown[entry["file"], entry["program"]] = entry["parts"]

    def programs(self):
        return {program for _, program in self.shown}

    def owed(self):
        """The paths of which some of its programs said nothing; none where the program is not there."""
        spoke = self.programs()
        if not spoke:
            return self.paths if self.ended < 0 else []
        return [path for path in self.paths if any((path, program) not in self.shown for program in spoke)]

    def again(self):
        """Asks once more, alone. What it still owes, in words."""
        # Once more as well where nothing was heard: it may not have come up in time.
        again = self.owed() or ([] if self.shown or self.ended == 0 else self.paths)
        if again:
            self.ask(again)
        owed = self.owed()
        if not owed:
            return []
        return [f"{self.command}: no answer, twice, to {len(owed)} messages ({owed[0]} …); it ended with {self.ended}"]
