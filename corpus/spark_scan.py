#!/usr/bin/env python3
"""Scans mail archives with linkmilter on Apache Spark and writes the records as Parquet.

    spark-submit corpus/spark_scan.py --output hdfs:///scan/2026 /mnt/mail/lists /mnt/mail/2019.mbox

Every executor must see the archives under the same paths (an NFS, HDFS or S3 mount) and have the
linkmilter binary. The paths are cut into files and ranges of mboxes (`scan --ranges`), the pieces
are piped through `scan --files0-from - --format jsonl --account` on the executors, and the lines
become rows. A piece whose executor dies is scanned again elsewhere; its first rows are dropped by
Spark's commit protocol, so the rows equal those of a single machine.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading

from pyspark.sql import SparkSession
from pyspark.sql.types import ArrayType, IntegerType, LongType, StringType, StructField, StructType

# The fields of docs/scan.md, `span` as two columns.
SCHEMA = StructType(
    [
        StructField("schema", IntegerType(), False),
        StructField("record", StringType(), False),
        StructField("source", StringType(), False),
        StructField("offset", LongType(), False),
        StructField("message_id", StringType()),
        StructField("date", StringType()),
        StructField("from_domain", StringType()),
        StructField("part", StringType()),
        StructField("place", StringType()),
        StructField("span_start", LongType()),
        StructField("span_end", LongType()),
        StructField("spelling", StringType()),
        StructField("ascii", StringType()),
        StructField("unicode", StringType()),
        StructField("verdict", StringType()),
        StructField("reasons", ArrayType(StringType())),
        StructField("target", StringType()),
        StructField("action", StringType()),
        StructField("edit", StringType()),
        StructField("why", StringType()),
    ]
)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", help="files and folders that every executor sees")
    parser.add_argument("--output", required=True, help="folder of the Parquet files")
    parser.add_argument("--binary", default="linkmilter", help="linkmilter on the executors")
    parser.add_argument("--range-mib", type=int, default=128, help="size of a piece of an mbox")
    parser.add_argument("--files", type=int, default=2000, help="files or ranges in a partition")
    parser.add_argument("--all-links", action="store_true", help="rows for good links as well")
    parser.add_argument("--config", help="linkmilter configuration on the executors")
    return parser.parse_args()


def pieces(binary, mib):
    """Cuts one path into entries of --files0-from, on an executor."""

    def cut(path):
        command = [binary, "scan", "--ranges", str(mib), path]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        return [entry for entry in done.stdout.split(b"\0") if entry]

    return cut


def scanner(command):
    """Pipes the entries of one partition through linkmilter; yields rows."""

    def feed(stdin, entries):
        # A process that ends early says why itself.
        try:
            for entry in entries:
                stdin.write(bytes(entry) + b"\0")
            stdin.close()
        except BrokenPipeError:
            pass

    def scan(entries):
        entries = list(entries)
        if not entries:
            return
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said
            )
            feeder = threading.Thread(target=feed, args=(process.stdin, entries), daemon=True)
            feeder.start()
            unread = 0
            try:
                for line in process.stdout:
                    record = json.loads(line)
                    unread += record["record"] == "unread"
                    yield row(record)
            finally:
                # Also when the rows are no longer wanted: the pipe breaks, the process ends.
                process.stdout.close()
                code = process.wait()
            # 0: nothing found, 1: findings, 2 with the sources named: unread rows tell.
            if code not in (0, 1) and not (code == 2 and unread):
                said.seek(0)
                raise RuntimeError(f"linkmilter ended with {code}: {said.read().decode()}")

    return scan


def row(record):
    start, end = record.pop("span", (None, None))
    record["span_start"], record["span_end"] = start, end
    return tuple(record.get(field.name) for field in SCHEMA.fields)


def partitions(entries, files):
    """Ranges are a partition each, files are bundled."""
    bundles, bundle = [], []
    for entry in entries:
        if entry.startswith(b"mbox:"):
            bundles.append([entry])
            continue
        bundle.append(entry)
        if len(bundle) >= files:
            bundles.append(bundle)
            bundle = []
    if bundle:
        bundles.append(bundle)
    return bundles


def main():
    options = arguments()
    spark = SparkSession.builder.appName("linkmilter scan").getOrCreate()
    context = spark.sparkContext
    entries = (
        context.parallelize(options.paths, len(options.paths))
        .flatMap(pieces(options.binary, options.range_mib))
        .collect()
    )
    bundles = partitions([bytes(entry) for entry in entries], options.files)
    command = [options.binary, "scan", "--files0-from", "-", "--format", "jsonl", "--account"]
    command += ["--jobs", str(spark.conf.get("spark.task.cpus", "1"))]
    command += ["--all-links"] if options.all_links else []
    command += ["--config", options.config] if options.config else []
    scan = scanner(command)
    rows = context.parallelize(bundles, max(1, len(bundles))).mapPartitions(
        lambda bundles: (found for bundle in bundles for found in scan(bundle))
    )
    spark.createDataFrame(rows, SCHEMA).write.mode("overwrite").parquet(options.output)
    spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
