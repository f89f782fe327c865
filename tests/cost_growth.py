"""Runs the families of tests/cost under callgrind and prints what each costs (see tests/extras/cost)."""

import math
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BINARY = os.environ["COST_BINARY"]
BASE = int(os.environ.get("COST_BASE", 16384))
POLICIES = os.environ.get("COST_POLICIES", "default report-only strict defang-all").split()
# Families of one process, which takes longer to start than most of them.
GROUP = 8
# Seconds after which a group counts as without end, for each KiB of the base.
PATIENCE = 120
# Instructions that ordinary mail takes a byte, and how many times that a family may. Where every link is defanged,
# ordinary mail is edited and read again as well.
ORDINARY, TIMES = 72, 20
ORDINARY_DEFANGED = 150
# A step is a bounded piece of work.
STEP = 200
GROWTH = 1.1
# Looked at up to eight megabytes when all families are: a family of every kind.
LARGE_BASE = 1 << 20
LARGE = [
    "prose",
    "lying links, quoted-printable in one line",
    "lying hrefs, padded base64",
    "one lying run of UTF-7",
    "five charsets, lying",
    "alternatives",
    "lying parts",
    "our own names",
]


def sizes(base):
    return [base, 2 * base, 4 * base, 8 * base]


def counts(families, policy, base):
    """Bytes, steps and instructions of each family at each size; fewer when it had to be ended."""
    wanted = " ".join(map(str, sizes(base)))
    environment = dict(os.environ, COST_POLICY=policy, COST_SIZES=wanted)
    with tempfile.TemporaryDirectory() as place:
        command = [
            "valgrind",
            "--tool=callgrind",
            "--toggle-collect=cost::counted",
            "--dump-after=cost::counted",
            f"--callgrind-out-file={place}/out",
            BINARY,
        ]
        names = "".join(f"{family}\n" for family in families)
        patience = PATIENCE * len(families) * max(1, base // 16384)
        with open(f"{place}/said", "w+") as said:
            try:
                subprocess.run(
                    command,
                    env=environment,
                    input=names.encode(),
                    stdout=said,
                    stderr=subprocess.PIPE,
                    timeout=patience,
                    check=True,
                )
            except subprocess.TimeoutExpired:
                pass
            said.seek(0)
            lines = [tuple(map(int, line.split())) for line in said]
        dumps = [Path(f"{place}/out.{number + 1}").read_text() for number in range(len(lines))]
    instructions = [int(re.search(r"^(?:summary|totals): (\d+)", dump, re.M)[1]) for dump in dumps]
    return [(size, steps, count) for (size, steps), count in zip(lines, instructions)]


def measure(case):
    """For each family: instructions a byte and a step of the largest message, and growth."""
    families, policy, base = case
    lines = []
    while len(lines) < len(families):
        rest = families[len(lines) :]
        found = counts(rest, policy, base)
        runs = [found[at : at + 4] for at in range(0, len(found) - 3, 4)]
        lines += [figures(family, policy, base, run) for family, run in zip(rest, runs)]
        # One that came to no end keeps the others of its group waiting, not out.
        if len(runs) < len(rest):
            lines.append((rest[len(runs)], policy, base, math.inf, math.inf, math.inf))
    return lines


def figures(family, policy, base, runs):
    size, steps, count = runs[3]
    # What does not grow with the message does not count: from the largest to a quarter of it.
    growth = math.log(count / runs[1][2]) / math.log(size / runs[1][0])
    return family, policy, base, count / size, count / max(steps, 1), growth


def main():
    listed = subprocess.run(
        [BINARY], env=dict(os.environ, COST_LIST="1"), capture_output=True, text=True, check=True
    ).stdout.splitlines()
    wanted = sys.argv[1:] or listed
    # A file holds the plan of a family that is none of the list.
    unknown = [name for name in wanted if name not in listed and not Path(name).is_file()]
    if unknown:
        sys.exit(f"cost: no family {unknown[0]!r}; there are: {', '.join(listed)}")
    groups = [wanted[at : at + GROUP] for at in range(0, len(wanted), GROUP)]
    cases = [(group, policy, BASE) for policy in POLICIES for group in groups]
    if not sys.argv[1:]:
        cases += [([family], "default", LARGE_BASE) for family in LARGE]
    count = worst = 0
    with ThreadPoolExecutor(int(os.environ.get("COST_JOBS", os.cpu_count() or 1))) as pool:
        print(f"{'a byte':>8} {'a step':>8} {'growth':>7}  family, policy, bytes of the largest")
        for lines in pool.map(measure, cases):
            for family, policy, base, cost, step, growth in lines:
                ordinary = ORDINARY_DEFANGED if policy == "defang-all" else ORDINARY
                dear = cost > TIMES * ordinary
                grows = growth > GROWTH and cost > ordinary
                bad = dear or grows or step > STEP
                count += 1
                worst += bad
                what = f"{family}, {policy}, {8 * base}{'  ABOVE' if bad else ''}"
                print(f"{cost:8.1f} {step:8.1f} {growth:7.2f}  {what}", flush=True)
    print(
        f"{count} cases, {worst} above {TIMES} × {ORDINARY} instructions a byte "
        f"({ORDINARY_DEFANGED} with defang-all), {STEP} a step or n^{GROWTH}"
    )
    sys.exit(worst > 0)


main()
