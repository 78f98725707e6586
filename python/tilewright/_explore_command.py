"""``tilewright explore``: a page that maps again with every change, from the command line."""

from __future__ import annotations

import argparse
import webbrowser
from collections.abc import Sequence

from tilewright._errors import InputError, Problem
from tilewright._explore import Questions
from tilewright._explore_export import Source
from tilewright._explore_server import Server, place_of
from tilewright._values import Architecture, Network, Workload
from tilewright.importers.command import exit_code_of

_START = "conv2d: in_channels=64 out_channels=64 p=56 q=56 r=3 s=3"


def main(words: Sequence[str]) -> int:
    """Runs the command with these words until Ctrl-C; gives its exit code."""
    arguments = _parser().parse_args(words)
    return exit_code_of(lambda: _explore(arguments))


def _questions(arguments: argparse.Namespace) -> Questions:
    """What can be asked about: the architecture and the work that were given, and all that ship."""
    arch = Source(arguments.arch, Architecture.load(arguments.arch))
    if arguments.model is None:
        text = arguments.workload or _START
        return Questions(arch, {text: Workload.load(text)})
    return Questions(arch, {}, {arguments.model: Network.load(arguments.model)})


def _explore(arguments: argparse.Namespace) -> None:
    port, token = arguments.port, ""
    if arguments.address is not None:
        port, token = place_of(arguments.address)
    questions = _questions(arguments)
    try:
        server = Server(questions, port, token)
    except (OSError, OverflowError) as error:
        name = "--port" if arguments.address is None else "--address"
        raise InputError([Problem(f"{error}", "name another port", name)]) from None
    print(server.address, flush=True)
    if not arguments.no_browser and arguments.address is None:
        webbrowser.open(server.address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tilewright explore",
        description="Open a page on this machine on which every change of the architecture or the "
        "workload shows the best mapping at once. Ctrl-C ends it.",
        allow_abbrev=False,
    )
    parser.add_argument("-a", "--arch", default="eyeriss", help="a built-in name or a file (default: eyeriss)")
    work = parser.add_mutually_exclusive_group()
    work.add_argument("-w", "--workload", help="a file, or a workload on one line")
    work.add_argument("--model", help="a network: all of it, and each of its layers")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--port", type=int, default=0, help="of the server (default: a free one)")
    where.add_argument("--address", help="that an earlier server had, so that a page of it goes on")
    parser.add_argument("--no-browser", action="store_true", help="print the address alone")
    return parser
