"""Spark's rows equal one machine's, although an executor is killed in the middle."""

import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import duckdb
import pyspark

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("LINKMILTER_TESTDATA", ROOT / "../shared")).resolve()
LIMIT = 500  # seconds for the whole of Spark


def main(binary):
    if not (DATA / "mail").is_dir():
        print("not run: no mail in the test data (LINKMILTER_TESTDATA)")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        archive = make_archive(folder)
        paths = [str(archive), str(DATA / "mail/mimekit"), str(DATA / "mail/ponymail")]
        begin = time.monotonic()
        alone = one_machine(binary, paths)
        single = time.monotonic() - begin
        begin = time.monotonic()
        killed, log = spark(slowed(binary, folder), paths, folder)
        cluster = time.monotonic() - begin
        rows = parquet(folder)
        lost = len(re.findall(r"Lost executor \d+", log))
        print(f"one machine: {sum(alone.values())} rows in {single:.1f} s")
        print(f"Spark {pyspark.__version__}: {sum(rows.values())} rows in {cluster:.1f} s, ", end="")
        print(f"executor {killed} killed, {lost} loss(es) in the log")
        assert killed, "no executor was killed"
        assert lost, "Spark did not notice the kill"
        assert sum(alone.values()) > 100, "too few rows to tell anything"
        missing, extra = alone - rows, rows - alone
        assert not missing and not extra, f"missing {len(missing)}, extra {len(extra)}"
        print("the rows are equal")
        queries(folder)
        one_file(binary, folder)
    return 0


def make_archive(folder):
    """One mbox (mboxrd) of real messages, so that ranges are scanned as well."""
    archive = folder / "archive.mbox"
    with archive.open("wb") as out:
        for path in sorted((DATA / "mail/phishing_pot").iterdir())[:700]:
            text = path.read_bytes().replace(b"\r\n", b"\n")
            text = re.sub(rb"^(>*From )", rb">\1", text, flags=re.MULTILINE)
            out.write(b"From a@example.org Thu Aug 22 12:36:23 2024\n" + text.rstrip(b"\n") + b"\n\n")
    return archive


def one_machine(binary, paths):
    command = [binary, "scan", "--format", "jsonl", "--account", *paths]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    assert done.returncode in (0, 1, 2), done.returncode
    return collections.Counter(key(json.loads(line)) for line in done.stdout.splitlines())


def key(record):
    start, end = record.pop("span", None) or (None, None)
    record.setdefault("span_start", start)
    record.setdefault("span_end", end)
    kept = {name: value for name, value in record.items() if value is not None}
    return json.dumps(kept, sort_keys=True, ensure_ascii=True)


def slowed(binary, folder):
    """The binary behind a pause, so that there is a middle to kill in."""
    wrapper = folder / "linkmilter-slow"
    wrapper.write_text(f'#!/bin/sh\nsleep 1\nexec "{binary}" "$@"\n')
    wrapper.chmod(0o755)
    return wrapper


def spark(binary, paths, folder):
    home = pathlib.Path(pyspark.__file__).parent
    command = [
        str(home / "bin/spark-submit"), "--master", "local-cluster[2,1,1024]",
        "--conf", "spark.executor.memory=768m", "--conf", "spark.ui.enabled=false",
        "--conf", "spark.driver.bindAddress=127.0.0.1", "--conf", "spark.driver.host=127.0.0.1",
        str(ROOT / "corpus/spark_scan.py"), "--binary", str(binary), "--range-mib", "1",
        "--files", "40", "--output", str(folder / "rows.parquet"), *paths,
    ]
    environment = dict(
        os.environ, SPARK_HOME=str(home), PYSPARK_PYTHON=sys.executable,
        SPARK_LOCAL_IP="127.0.0.1", SPARK_WORKER_DIR=str(folder / "work"),
    )
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        killed = None
        end = time.monotonic() + LIMIT
        while process.poll() is None and time.monotonic() < end:
            if killed is None:
                killed = kill_busy_executor(process.pid)
            time.sleep(0.2)
        if process.poll() is None:
            process.kill()
    text = (folder / "log").read_text(errors="replace")
    assert process.wait() == 0, text[-5000:]
    return killed, text


def kill_busy_executor(root):
    """Kills the executor below `root` that runs the second scan or later, by its id."""
    children, command = processes()
    below = descendants(root, children)
    executors = [pid for pid in below if "CoarseGrainedExecutorBackend" in command[pid]]
    for pid in executors:
        busy = [child for child in descendants(pid, children) if "files0-from" in command[child]]
        if busy and len(executors) > 1:
            os.kill(pid, signal.SIGKILL)
            return pid
    return None


def processes():
    children, command = collections.defaultdict(list), collections.defaultdict(str)
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            status = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            command[int(entry.name)] = (entry / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
        children[int(status[1])].append(int(entry.name))
    return children, command


def descendants(pid, children):
    found, todo = [], [pid]
    while todo:
        for child in children[todo.pop()]:
            found.append(child)
            todo.append(child)
    return found


def parquet(folder):
    found = duckdb.sql(f"SELECT * FROM '{folder}/rows.parquet/*.parquet'")
    names = found.columns
    return collections.Counter(key(dict(zip(names, row))) for row in found.fetchall())


def statements():
    """Those of the page, in order; the first makes Parquet of lines."""
    page = (ROOT / "docs/duckdb.md").read_text()
    blocks = re.findall(r"```sql\n(.*?)```", page, flags=re.DOTALL)
    found = [it for block in blocks for it in block.split(";") if it.strip()]
    assert len(found) > 6 and found[0].startswith("COPY"), found
    return found


def queries(folder):
    """Every query of the page runs over Spark's Parquet and answers."""
    os.chdir(folder)
    for query in statements()[1:]:
        rows = duckdb.execute(query.replace("scan.parquet", "rows.parquet")).fetchall()
        title = " ".join(query.split())[:70]
        print(f"{len(rows):6} rows: {title}")
        assert rows or query.lstrip().startswith("CREATE"), query


def one_file(binary, folder):
    """And over the lines of one machine, also where the archive has nothing of a kind."""
    os.chdir(folder)
    for paths in ([ROOT / "corpus"], [ROOT / "corpus/01-clean-ascii.eml"]):
        with open("scan.jsonl", "wb") as out:
            command = [binary, "scan", "--account", *map(str, paths)]
            subprocess.run(command, stdout=out, check=False)
        rows = pathlib.Path("scan.jsonl").read_bytes().count(b"\n")
        for query in statements():
            duckdb.execute(query.replace("scan.parquet/*.parquet", "scan.parquet"))
        kept = duckdb.sql("SELECT * FROM 'scan.parquet'")
        assert len(kept.fetchall()) == rows
        kept = {name: str(kind) for name, kind in zip(kept.columns, kept.types)}
        spark_kept = duckdb.sql("SELECT * FROM 'rows.parquet/*.parquet'")
        assert kept == {name: str(kind) for name, kind in zip(spark_kept.columns, spark_kept.types)}
    print("the page holds for the lines of one machine")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
