"""Runs the families of tests/cost under callgrind and prints what each costs (see tests/extras/cost)."""

import math
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

BINARY = os.environ["COST_BINARY"]
BASE = int(os.environ.get("COST_BASE", 16384))
POLICIES = os.environ.get("COST_POLICIES", "default report-only strict defang-all").split()
# Seconds after which a run counts as without end.
PATIENCE = 900
# Instructions that ordinary mail takes a byte (docs/threats.md), and how many times that a family may.
ORDINARY, TIMES = 56, 20
GROWTH = 1.1


def instructions(family, policy, size):
    """Instructions of one run, or None when it had to be ended."""
    environment = dict(os.environ, COST_FAMILY=family, COST_POLICY=policy, COST_SIZE=str(size))
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", BINARY]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=True
        )
    except subprocess.TimeoutExpired:
        return None
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def measure(case):
    family, policy = case
    # What it takes to start, and to make an empty message.
    start = instructions(family, policy, 0)
    counts = []
    for size in (BASE, 2 * BASE, 4 * BASE, 8 * BASE):
        count = instructions(family, policy, size)
        if count is None or start is None:
            return family, policy, math.inf, math.inf
        counts.append(max(count - start, 1))
    # What does not grow with the message does not count: from the largest to a quarter of it.
    growth = math.log(counts[3] / counts[1]) / math.log(4)
    return family, policy, counts[3] / (8 * BASE), growth


def main():
    listed = subprocess.run(
        [BINARY], env=dict(os.environ, COST_LIST="1"), capture_output=True, text=True, check=True
    ).stdout.splitlines()
    wanted = sys.argv[1:] or listed
    unknown = [name for name in wanted if name not in listed]
    if unknown:
        sys.exit(f"cost: no family {unknown[0]!r}; there are: {', '.join(listed)}")
    cases = [(family, policy) for policy in POLICIES for family in wanted]
    worst = 0
    with ThreadPoolExecutor(int(os.environ.get("COST_JOBS", os.cpu_count() or 1))) as pool:
        print(f"{'instructions/byte':>18} {'growth':>7}  family, policy")
        for family, policy, cost, growth in pool.map(measure, cases):
            bad = cost > TIMES * ORDINARY or (growth > GROWTH and cost > ORDINARY)
            worst += bad
            print(f"{cost:18.1f} {growth:7.2f}  {family}, {policy}{'  ABOVE' if bad else ''}", flush=True)
    print(f"{len(cases)} cases, {worst} above {TIMES} × {ORDINARY} instructions a byte or n^{GROWTH}")
    sys.exit(worst > 0)


main()
