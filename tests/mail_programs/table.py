"""The table of programs and classes in docs/mail-programs.md, and the reasons of what is alive and reported."""

import collections
import re

START, END = "<!-- made by tests/run mail-programs -->\n", "<!-- end -->\n"
# Of what is shown, the part that may be alive and reported.
REPORTED = 0.01
# Extractors that guess at everything and show nothing to a reader: listed, and not counted in that part.
EXTRACTORS = {"munpack", "ripMIME"}


def reasons(path):
    """(class, program) → reason."""
    with open(path) as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines if line.strip() and not line.startswith("#")]
    return {(name, program): reason for name, program, reason in rows}


def made(index, before, rows, spoke, effective):
    classes = collections.Counter(entry["class"] for entry in index.values())
    seen = collections.Counter((index[name]["class"], program) for name, program in before)
    shown = collections.defaultdict(set)
    for name, _ in before:
        shown[index[name]["class"]].add(name)
    fates = collections.Counter((kind, fate) for fate, _, kind, _, _, _ in rows)
    head = ["class", "messages", "shown by some", *spoke, "defanged", "reported", "through"]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for name, count in classes.items():
        reported, through = fates[name, "reported"], fates[name, "through"]
        live = len(shown[name])
        cells = [name, count, live, *(seen[name, program] for program in spoke), live - reported - through, reported, through]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    reported = sum(count for (_, fate), count in fates.items() if fate == "reported")
    through = sum(count for (_, fate), count in fates.items() if fate == "through")
    summary = (
        f"Of {len(index)} messages {effective} are shown by some program: {effective - reported - through} defanged, "
        f"{reported} alive somewhere and reported, {through} through. A cell counts the messages whose link the program shows before the filter.\n"
    )
    return f"{START}\n{summary}\n" + "\n".join(lines) + f"\n\n{END}"


def check(options, index, before, rows, spoke, effective, write):
    """Compares; how many things are wrong."""
    wrong = 0
    reported = [row for row in rows if row[0] == "reported"]
    read = [row for row in reported if set(row[4].split(",")) - EXTRACTORS]
    print(f"{len(read)} of them for more than an extractor: {len(read) / effective:.2%}")
    if len(read) > REPORTED * effective:
        print(f"that is more than {REPORTED:.0%}")
        wrong += 1
    known = reasons(options["--reasons"])
    alive = {(row[2], program) for row in reported for program in row[4].split(",")}
    for name, program in sorted(alive - set(known)):
        print(f"no reason for: {name}\t{program}")
        wrong += 1
    heard = set(spoke)
    with open(options["--table"]) as file:
        page = file.read()
    head = re.search(r"(?m)^\| class \| messages \|(.*)", page.partition(START)[2])
    columns = {cell.strip() for cell in head[1].split("|")} if head else set()
    gone = sorted(columns - heard - {"shown by some", "defanged", "reported", "through", ""})
    if gone and not write:
        print(f"the machine: of the table not there: {', '.join(gone)}; it is not compared")
        return wrong + 1
    for name, program in sorted(pair for pair in set(known) - alive if pair[1] in heard):
        print(f"a reason too many: {name}\t{program}")
        wrong += 1
    table = made(index, before, rows, spoke, effective)
    anew = re.sub(re.escape(START) + ".*?" + re.escape(END), lambda _: table, page, flags=re.S)
    if anew != page and write:
        with open(options["--table"], "w") as file:
            file.write(anew)
        print(f"{options['--table']} is written anew")
    elif anew != page:
        print(f"{options['--table']} differs: tests/run mail-programs --write")
        wrong += 1
    return wrong
