#!/usr/bin/env python3
"""Writes the messages that the programs are shown: generate.py FOLDER [--quick] [--only WORD].

Each holds one deceptive link, in a way that mail programs and libraries read in different ways. The
class, the text or HTML form and the place of the part are drawn in turn, so that every run writes the
same ones: FOLDER/original/NNNNN.eml, and FOLDER/index.jsonl with the class of each. With --only those
classes are written whose name holds the word.
"""

import itertools
import json
import os
import random
import sys

import contents
import labels
import others
import strange
import structures
from carriers import HOSTS, PLACES, b64, message, part, shown

CLASSES = {
    "attachments": labels.attachments,
    "tokens of Content-Transfer-Encoding": labels.token_of_transfer,
    "tokens of Content-Type": labels.token_of_type,
    "duplicate and odd fields": labels.odd_fields,
    "other types and names": labels.read_as_another_type,
    "messages": labels.messages,
    "boundaries": structures.boundaries,
    "delimiters and line ends": structures.delimiters,
    "multipart/encrypted and signed": structures.encrypted,
    "PKCS#7": structures.secure_mime,
    "compressed pictures": structures.packed,
    "charsets": contents.charsets,
    "names of charsets, <meta>": contents.charset_fields,
    "base64": contents.base64s,
    "quoted-printable": contents.quoted,
    "uuencode and yEnc": contents.uuencoded,
    "running text": contents.running_text,
    "look-alikes of a slash": contents.slashes,
    "markup": contents.markup,
    "bases": contents.bases,
    "calendars and cards": contents.calendars,
    "redirectors": contents.redirectors,
    "letters by reference": others.references,
    "pages in pages": others.documents,
    "codecs that are no charsets": others.codecs,
    "headers that end early, few letters": others.headers,
    "types that are handed on": others.packed,
    "a stranger's charsets": strange.charsets,
    "a stranger's labels": strange.labels,
    "a stranger's structures": strange.structures,
    "a stranger's encodings": strange.transfers,
    "a stranger's running text": strange.running_text,
    "a stranger's markup": strange.markup,
}

# Of the quick form, every so many-th message.
QUICK = 11

# Messages in which several labels are odd at once.
COMBINED = 600


def combined(random_):
    """Odd type, odd encoding and odd boundary at once."""
    for _ in range(COMBINED):
        kind, host = random_.choice(["html", "plain"]), random_.choice(HOSTS)
        label = random_.choice(labels.TYPES[:40]).format(k=kind, K=kind.upper())
        transfer = random_.choice(labels.TRANSFERS)
        fields = f"Content-Type: {label}\r\nContent-Transfer-Encoding: {transfer}\r\n"
        parameters, first, second = random_.choice(structures.BOUNDARIES)
        multipart = random_.choice(structures.KINDS)
        yield structures.delimited(multipart, parameters, first, second, part(fields, b64(shown(kind, host))))


def generated():
    """Every class in both forms; places and hosts in turn."""
    places = itertools.cycle(PLACES.items())
    hosts = itertools.cycle(HOSTS)
    for name, make in CLASSES.items():
        seen = set()
        for kind in ["html", "plain"]:
            for inner in make(kind, next(hosts)):
                if inner in seen:
                    continue
                seen.add(inner)
                # Labels that have been tried everywhere need not be again.
                tops = [] if name.startswith("a stranger") else [("top", PLACES["top"])]
                for place, around in [*tops, next(places)]:
                    yield name, place, around(inner)
    for inner in combined(random.Random(58)):
        place, around = next(places)
        yield "several at once", place, around(inner)


def main():
    folder = sys.argv[1]
    every = QUICK if "--quick" in sys.argv else 1
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    os.makedirs(f"{folder}/original", exist_ok=True)
    written = set()
    with open(f"{folder}/index.jsonl", "w") as index:
        for name, place, inner in itertools.islice(generated(), 0, None, every):
            if (place, inner) in written or only not in name:
                continue
            written.add((place, inner))
            number = f"{len(written):05}"
            with open(f"{folder}/original/{number}.eml", "wb") as out:
                out.write(message(inner, number))
            print(json.dumps({"file": f"{number}.eml", "class": name, "place": place}), file=index)
    print(f"{len(written)} messages of {len(CLASSES) + 1} classes")


if __name__ == "__main__":
    main()
