"""``tilewright results``: a look into a store."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from tilewright._errors import InputError, Problem
from tilewright.sweeps.output import add_output, print_rows
from tilewright.sweeps.quantities import read_filter
from tilewright.sweeps.store import Store
from tilewright.sweeps.stored import stored_sweep, sweep_of_document


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="tilewright results", description="Look into a store of results.", allow_abbrev=False
    )
    made.add_argument("store", metavar="STORE")
    made.add_argument("action", nargs="?", default="list",
                        choices=("list", "export", "merge", "clean", "check", "sweeps"))  # fmt: skip
    made.add_argument("others", nargs="*", metavar="STORE", help="to be merged into the first")
    made.add_argument("--filter", action="append", default=[], help='such as "energy <= 1 mJ"')
    made.add_argument("--sweep", metavar="NUMBER",
                        help="list the results of one sweep, with their numbers")  # fmt: skip
    made.add_argument("--limit", type=int, default=40, help="rows of a list (default: 40)")
    add_output(made)
    return made


def look(arguments: argparse.Namespace) -> None:
    """Does what the words ask for."""
    with Store(arguments.store, create=arguments.action == "merge") as store:
        actions: dict[str, Callable[[Store, argparse.Namespace], None]] = {
            "list": _list, "export": _export, "merge": _merge, "clean": _clean, "check": _check,
            "sweeps": _sweeps,
        }  # fmt: skip
        actions[arguments.action](store, arguments)


def _list(store: Store, arguments: argparse.Namespace) -> None:
    if arguments.sweep is not None:
        found = stored_sweep(store, arguments.sweep)
        print_rows(found.rows, arguments, range(len(found)))
        return
    filters = [read_filter(text, "--filter") for text in arguments.filter]
    rows = list(store.rows(filters, max(0, arguments.limit)))
    print_rows(rows, arguments)
    if arguments.format == "table":
        print(f"{len(rows)} of {store.count(filters)} results")


def _export(store: Store, arguments: argparse.Namespace) -> None:
    filters = [read_filter(text, "--filter") for text in arguments.filter]
    if arguments.format == "table":
        arguments.format = "csv"
    print_rows(list(store.rows(filters)), arguments)


def _merge(store: Store, arguments: argparse.Namespace) -> None:
    for path in arguments.others:
        with Store(path, create=False) as other:
            print(f"{path}: {store.merge(other)} results taken over")


def _clean(store: Store, _: argparse.Namespace) -> None:
    print(f"{store.clean()} results of older models deleted")


def _check(store: Store, arguments: argparse.Namespace) -> None:
    problems = store.check()
    if problems:
        raise InputError([Problem(line, file=arguments.store) for line in problems])
    print(f"{len(store)} results, the file is sound")


def _sweeps(store: Store, _: argparse.Namespace) -> None:
    for number, (_key, name, document) in enumerate(store.sweeps()):
        sweep = sweep_of_document(document)
        designs = sum(1 for _ in sweep.designs())
        print(f"{number}: {name}: {designs} designs of {', '.join(sweep.architectures)}, "
              f"{', '.join(work.label for work in sweep.works)}; {', '.join(sweep.mapspaces)}; "
              f"{', '.join(sweep.mappers)}; {', '.join(sweep.objectives)}")  # fmt: skip
