"""What the programs in Python share."""


def decoded(data, charset):
    for name in [charset, "utf-8", "latin-1"]:
        try:
            text = data.decode(name, "replace")
            if isinstance(text, str):
                return text
        except (LookupError, TypeError, ValueError):
            pass
    return ""
