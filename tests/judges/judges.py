"""What the rules of browsers and of ICU would not show as it stands, of the hosts of `figures_hosts`.

judges.py DATA PAGE [--write]

Browsers are not asked: their rules are written down here as their own pages say them, on Debian's ICU.
Chromium: docs/idn.md of its source, steps 2 to 8, 10 and 13. Step 9 holds of no label that passed step 5; the
sets of steps 11 and 12 stand in no page. Its list of top domains is not published by itself: the names here
are the built-in ones and the 10,000 looked up most, so that no name is missed for want of a list.
Firefox: wiki.mozilla.org/IDN_Display_Algorithm.
"""

import sys
from pathlib import Path

import icu

BEGIN, END = "<!-- tests/run judges -->", "<!-- end -->"
MIMICS = ("mimic-shamfinder", "mimic-blocklists")
BENIGN = ("benign-lists", "benign-nrd-ee", "benign-nrd-se-nu")

# The sets of ICU are frozen, and so are copies of them; to a browser the hyphen is a letter.
ALLOWED = icu.UnicodeSet("[-]")
ALLOWED.addAll(icu.SpoofChecker().getRecommendedUnicodeSet())
ALLOWED.addAll(icu.SpoofChecker().getInclusionUnicodeSet())
# Step 4.
REFUSED = icu.UnicodeSet(
    r"[\u01CD-\u01DC\u1C80-\u1C8F\u1E90-\u1E9B\u1F00-\u1FFF\uA640-\uA69F\uA720-\uA72F"
    r"\u0338\u058A\u2010\u2019\u2027\u30A0\u02BB\u02BC]")
# Step 10: the letters of the example on the page.
CYRILLIC = set("асԁеһіјӏорԛѕԝхуъЬҽпгѵѡ")
# Where a script is read: country codes, and whatever is spelled in it.
HOMES = {"Cyrl": "bg by kz mk mn pyc rs ru su ua uz", "Grek": "gr", "Armn": "am", "Geor": "ge",
         "Hebr": "il", "Thai": "th", "Ethi": "er et"}
PLAIN = icu.Transliterator.createInstance("NFD; [:Nonspacing Mark:] Remove; NFC")


def checker(level):
    one = icu.SpoofChecker()
    one.setRestrictionLevel(level)
    one.setAllowedUnicodeSet(ALLOWED)
    one.setChecks(icu.USpoofChecks.RESTRICTION_LEVEL | icu.USpoofChecks.CHAR_LIMIT
                  | icu.USpoofChecks.MIXED_NUMBERS | icu.USpoofChecks.INVISIBLE)
    return one


HIGH = checker(icu.URestrictionLevel.HIGHLY_RESTRICTIVE)
MODERATE = checker(icu.URestrictionLevel.MODERATELY_RESTRICTIVE)
DEFAULT = icu.SpoofChecker()


def labels(host):
    for label in host.lower().split("."):
        yield label[4:].encode().decode("punycode") if label.startswith("xn--") else label


def scripts(label):
    codes = {icu.Script.getScript(c).getShortName() for c in label}
    return codes - {"Zyyy", "Zinh"}


def skeleton(text):
    return DEFAULT.getSkeleton(icu.USpoofChecks.ANY_CASE, PLAIN.transliterate(text))


def refuses_by_chromium(label, tld):
    if HIGH.check(label) or any(REFUSED.contains(c) for c in label):
        return True
    used = scripts(label)
    beyond = any(ord(c) > 127 and icu.Script.getScript(c).getShortName() == "Latn" for c in label)
    if beyond and used != {"Latn"}:
        return True
    if any(label[max(at - 1, 0):at + 2] != "l·l" for at, c in enumerate(label) if c == "·"):
        return True
    if len(used) == 1 and not used & {"Latn"}:
        script = next(iter(used))
        home = tld in HOMES.get(script, "").split() or script in scripts(tld)
        letters = [c for c in label if c.isalpha()]
        whole = set(letters) <= CYRILLIC if script == "Cyrl" else (
            script in HOMES and all(skeleton(c).isascii() for c in letters))
        return whole and not home
    return False


class Chromium:
    name = "Chromium's policy (its page `docs/idn.md`, steps 2–8, 10, 13)"

    def __init__(self, names):
        # Registrable parts: the hosts here are such, most under a suffix of one label.
        self.tops = {skeleton(name): name for name in names}

    def marks(self, host):
        parts = list(labels(host))
        foreign = [part for part in parts if not part.isascii()]
        if any(refuses_by_chromium(part, parts[-1]) for part in foreign):
            return True
        ends = (".".join(parts[-count:]) for count in (2, 3))
        return bool(foreign) and any(skeleton(end) in self.tops for end in ends)


class Firefox:
    name = "Firefox's (IDN display algorithm: Identifier_Status, Moderately Restrictive)"

    def __init__(self, _):
        pass

    def marks(self, host):
        return any(MODERATE.check(part) for part in labels(host) if not part.isascii())


class Icu:
    name = "ICU's spoof checker as it comes"

    def __init__(self, _):
        pass

    def marks(self, host):
        return any(DEFAULT.check(part) for part in labels(host) if not part.isascii())


def rows(path):
    lines = (line for line in path.read_text().splitlines() if line and not line.startswith("#"))
    return [line.split("\t") for line in lines]


def names(path):
    lines = (line.split("#")[0].strip().lstrip("=") for line in path.read_text().splitlines())
    return [line for line in lines if line]


def snapshot():
    """Hosts, and marked ones, by the names of the sets."""
    found = {}
    for line in Path("tests/snapshots/figures_hosts.txt").read_text().splitlines():
        name, _, rest = line.partition(" hosts,")
        *name, hosts = name.split()
        found[" ".join(name)] = (int(hosts), int(rest.split()[0]))
    return found


def main():
    data, page = Path(sys.argv[1]), Path(sys.argv[2])
    builtin = names(Path("crates/homograph/src/protected/names.txt"))
    listed = names(data / "opendns-top10k.txt")
    ours, theirs = ({name.split(".")[0] for name in some} for some in (builtin, listed))
    sets = {"built": [], "listed": [], "benign": []}
    for file in MIMICS:
        for host, _, target, *_ in rows(data / "wild" / f"{file}.tsv"):
            brand = (target.split(":") + [""])[1].split(".")[0]
            if brand in ours:
                sets["built"].append(host)
            elif brand in theirs:
                sets["listed"].append(host)
    for file in BENIGN:
        sets["benign"] += [row[0] for row in rows(data / "wild" / f"{file}.tsv")]

    known = snapshot()
    counts = {"built": known["mimics built in"], "listed": known["mimics listed"]}
    benign = [known[file] for file in BENIGN]
    counts["benign"] = tuple(map(sum, zip(*benign)))
    for key, hosts in sets.items():
        assert len(hosts) == counts[key][0], (key, len(hosts), counts[key])
    alone = {"built": known["mimics built in, UTS #39 alone"],
             "listed": known["mimics listed, UTS #39 alone"]}

    def share(marked, hosts):
        return f"{100 * marked / hosts:.1f}"

    def line(name, cells):
        return "| " + " | ".join([name, *cells]) + " |"

    head = [f"{title} ({len(sets[key]):,})" for key, title in
            (("built", "mimics of built-in names"), ("listed", "of listed names"),
             ("benign", "benign registrations"))]
    table = [line("rules; marked, per cent, of", head), line("---", ["---"] * 3)]
    table.append(line("linkmilter", [share(counts[k][1], counts[k][0]) for k in sets]))
    for judge in (Chromium, Firefox, Icu):
        one = judge(builtin + listed)
        table.append(line(judge.name, [
            share(sum(map(one.marks, hosts)), len(hosts)) for hosts in sets.values()]))
    table.append(line("UTS #39 alone: Identifier_Status, and Highly Restrictive",
                      [share(alone[k][1], alone[k][0]) for k in ("built", "listed")] + ["–"]))
    said = (f"By ICU {icu.ICU_VERSION} (Unicode {icu.UNICODE_VERSION}) of Debian.")
    fresh = "\n".join([BEGIN, *table, "", said, END])
    print("\n".join(table), said, sep="\n")

    text = page.read_text()
    before, _, rest = text.partition(BEGIN)
    old, _, after = rest.partition(END)
    if BEGIN + old + END == fresh:
        return
    if "--write" not in sys.argv:
        sys.exit(f"judges: {page} says otherwise; tests/run judges --write writes it anew")
    page.write_text(before + fresh + after)


main()
