"""What tests read of files."""


def read(path):
    """The text of a file; bytes that are no UTF-8 are replaced."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def read_if_there(path):
    """The same, and "" for a file that is not there (yet)."""
    try:
        return read(path)
    except FileNotFoundError:
        return ""
