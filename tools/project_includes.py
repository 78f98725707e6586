"""The #include lines of the project's own files, and where they lead."""

import pathlib
import re

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def project_files(root):
    """Headers and sources of the library, the tool, `reproduce` and the Python package, sorted."""
    root = pathlib.Path(root)
    public = (root / "include" / "tilewright").glob("**/*.h")
    private = (path for folder in ("src", "reproduce", "python/src") for path in (root / folder).glob("**/*")
               if path.suffix in (".h", ".cc"))
    return sorted([*public, *private])


def includes_of(path):
    """(line number, text between the quotes or brackets) of each include."""
    found = []
    text = path.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), start=1):
        match = INCLUDE.match(line)
        if match:
            found.append((number, match.group(1) or match.group(2)))
    return found


def resolve(root, including, target):
    """The project's file that an include means; None for any other library's."""
    root = pathlib.Path(root)
    for folder in (including.parent, root / "include", root / "src", root):
        candidate = (folder / target).resolve()
        if candidate.is_file() and candidate.is_relative_to(root.resolve()):
            return candidate
    return None


def reachable(root, path):
    """A file and every file of the project that it includes, however indirectly."""
    seen = set()
    pending = [path.resolve()]
    while pending:
        current = pending.pop()
        if current in seen:
            continue
        seen.add(current)
        targets = (resolve(root, current, target) for _, target in includes_of(current))
        pending.extend(target for target in targets if target)
    return sorted(seen)
