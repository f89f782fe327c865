"""Words of many languages, as packages carry them, glued to legitimate hosts: how many are edited.

Usage: words.py EXAMPLE WORK OUT, where EXAMPLE is tests/clients/clients.rs as a program. Every word
stands before a host, with a hyphen, before `www.`, behind a host and behind a path. What is edited goes
to OUT, a line each; more than LIMIT of a language's sentences is an error.
"""
import glob
import gzip
import pathlib
import struct
import subprocess
import sys

import wordfreq

# Of a hundred sentences. Words whose letters are all twins of Latin ones make one Latin name with the
# host: one in a hundred in Ukrainian, which has most of them.
LIMIT = 1.5
WORDS = 2000
FREQUENT = "ar bg bn el fa he hi ja ko mk ru ta uk ur zh cs de fr pl tr vi".split()
# Debian packages of dictionaries for what wordfreq lacks.
DICTIONARIES = {
    "be": "hunspell-be", "bo": "hunspell-bo", "gu": "hunspell-gu", "hy": "myspell-hy", "kk": "hunspell-kk",
    "lo": "hunspell-lo", "ml": "hunspell-ml", "mn": "hunspell-mn", "si": "hunspell-si", "sr": "hunspell-sr",
    "te": "hunspell-te", "th": "hunspell-th",
}
HOSTS = ["example.com", "github.com", "en.wikipedia.org", "paypal.com", "ya.ru", "t.me", "amazon.co.jp", "my-site.io", "bbc.co.uk"]
SHAPES = {
    "before": "{word}{host}", "before with a hyphen": "{word}-{host}", "before www": "{word}www.{host}",
    "behind": "{host}{word}", "behind a path": "https://{host}/a{word}",
}


def main():
    example, work, out = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    wrong = []
    with open(out, "w") as file:
        for language in sorted([*FREQUENT, *DICTIONARIES]):
            words = frequent(language) if language in FREQUENT else dictionary(language, work)
            if len(words) < 200:
                wrong.append(f"{language}: expected a list of words, found {len(words)}")
                continue
            asked = [
                (shape, word, form.format(word=word, host=HOSTS[(at + turn) % len(HOSTS)]))
                for turn, (shape, form) in enumerate(SHAPES.items()) for at, word in enumerate(words)
            ]
            edited = [row for row, changed in zip(asked, rewritten(example, [text for _, _, text in asked])) if changed]
            for shape, word, text in edited:
                file.write(f"{language}\t{shape}\t{word}\t{text}\n")
            share = 100 * len(edited) / len(asked)
            before = [word for shape, word, _ in edited if shape == "before"]
            print(f"{language}: {len(edited)} of {len(asked)} sentences edited ({share:.2f} %), by {len(set(word for _, word, _ in edited))} of {len(words)} words: {' '.join(before[:12])}")
            if share > LIMIT:
                wrong.append(f"{language}: {share:.2f} % edited, {LIMIT} % at most")
    for what in wrong:
        print(what)
    sys.exit(1 if wrong else 0)


def frequent(language):
    return spelled(wordfreq.top_n_list(language, 4 * WORDS))


# The dictionary of a Debian package, unpacked aside: every so many words of it.
def dictionary(language, work):
    folder = work / language
    if not folder.exists():
        subprocess.run(["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", DICTIONARIES[language]], cwd=work, check=True)
        package = next(work.glob(f"{DICTIONARIES[language]}_*.deb"))
        subprocess.run(["dpkg", "-x", package, folder], check=True)
    words = []
    for path in glob.glob(f"{folder}/usr/share/**/*.dic*", recursive=True):
        if "hyph" in path:
            continue
        raw = gzip.open(path).read() if path.endswith(".gz") else open(path, "rb").read()
        words += [line.split("/")[0].split("\t")[0].strip() for line in raw.decode("utf-8", "replace").splitlines()[1:]]
    words = spelled_all(words)
    return words[:: max(1, len(words) // WORDS)][:WORDS]


def spelled(words):
    return spelled_all(words)[:WORDS]


# Words with letters beyond ASCII, and nothing that is no letter or mark.
def spelled_all(words):
    return [word for word in words if not word.isascii() and all(c.isalpha() or not c.isascii() for c in word) and "\ufffd" not in word]


def rewritten(example, texts):
    head = b"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
    messages = [head + f"- {text} -\r\n".encode() for text in texts]
    packed = b"".join(struct.pack(">I", len(message)) + message for message in messages)
    out = subprocess.run([example, "rewrite"], input=packed, stdout=subprocess.PIPE, check=True).stdout
    at = 0
    for message in messages:
        length = struct.unpack(">I", out[at:at + 4])[0]
        yield out[at + 4:at + 4 + length] != message
        at += 4 + length


main()
