"""GMime (Geary, notmuch) and Camel (Evolution), by introspection. Paths in, JSON lines out."""

import json
import sys
import tempfile

import gi

from decoding import decoded


def gmime():
    gi.require_version("GMime", "3.0")
    from gi.repository import GMime

    GMime.init()

    def leaves(entity, depth=0):
        if depth > 60 or entity is None:
            return
        if isinstance(entity, GMime.Multipart):
            for index in range(entity.get_count()):
                yield from leaves(entity.get_part(index), depth + 1)
        elif isinstance(entity, GMime.MessagePart):
            message = entity.get_message()
            yield from leaves(message and message.get_mime_part(), depth + 1)
        elif isinstance(entity, GMime.Part):
            stream = GMime.StreamMem.new()
            content, label = entity.get_content(), entity.get_content_type()
            if content:
                content.write_to_stream(stream)
            data = bytes(stream.get_byte_array() or b"")
            text = decoded(data, label and label.get_parameter("charset"))
            yield {"type": label.get_mime_type() if label else "", "name": entity.get_filename() or "", "text": text}

    def read(path):
        with open(path, "rb") as file:
            stream = GMime.StreamMem.new_with_buffer(file.read())
        return list(leaves(GMime.Parser.new_with_stream(stream).construct_message(None).get_mime_part()))

    return read


def camel():
    gi.require_version("Camel", "1.2")
    from gi.repository import Camel

    Camel.init(tempfile.mkdtemp(), False)

    def leaves(part, depth=0):
        content = part.get_content() if depth <= 60 else None
        if isinstance(content, Camel.Multipart):
            for index in range(content.get_number()):
                yield from leaves(content.get_part(index), depth + 1)
        elif isinstance(content, Camel.MimeMessage):
            yield from leaves(content, depth + 1)
        elif content is not None:
            stream = Camel.StreamMem.new()
            content.decode_to_stream_sync(stream, None)
            label = part.get_content_type()
            text = decoded(bytes(stream.get_byte_array()), label and label.param("charset"))
            yield {"type": label.simple() if label else "", "name": part.get_filename() or "", "text": text}

    def read(path):
        message = Camel.MimeMessage.new()
        with open(path, "rb") as file:
            message.construct_from_stream_sync(Camel.StreamMem.new_with_buffer(file.read()), None)
        return list(leaves(message))

    return read


READERS = {}
for name, make in [("GMime", gmime), ("Camel", camel)]:
    try:
        READERS[name] = make()
    except (ImportError, ValueError) as missing:
        print(missing, file=sys.stderr)

for line in sys.stdin:
    path = line.rstrip("\n")
    for name, read in READERS.items():
        try:
            parts = read(path)
        except Exception:  # noqa: BLE001 whatever the library trips over is its own reading: nothing
            parts = []
        print(json.dumps({"file": path, "program": name, "parts": parts}))
