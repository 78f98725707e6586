"""``tilewright sweep``, ``codesign``, ``results`` and ``compare`` of results, from the command line."""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

from tilewright._errors import Error, Infeasible, InputError, Problem
from tilewright.sweeps import compare, results, results_command
from tilewright.sweeps.codesign import Chosen, State, codesign
from tilewright.sweeps.expect import Left
from tilewright.sweeps.output import Line, add_output, duration, print_rows, write
from tilewright.sweeps.read import load_sweep, sweep_of
from tilewright.sweeps.remarks import remarks_on
from tilewright.sweeps.results import SweepResult
from tilewright.sweeps.runner import Progress, Solver, default_workers, run, solve_here
from tilewright.sweeps.spec import Sweep
from tilewright.sweeps.store import Store

_BAD_INPUT, _INFEASIBLE, _INTERRUPTED = 2, 3, 130
_WELL_KNOWN = 0.8  # the share of what is left from which on an estimate is no guess


def main(command: str, words: Sequence[str]) -> int:
    """Runs one of the four commands; gives the exit code."""
    commands: dict[str, tuple[Callable[[], argparse.ArgumentParser],
                              Callable[[argparse.Namespace], int | None]]] = {
        "sweep": (_sweep_parser, _sweep), "codesign": (_codesign_parser, _codesign),
        "results": (results_command.parser, results_command.look),
        "compare": (compare.parser, compare.compare),
    }  # fmt: skip
    parser, work = commands[command]
    arguments = parser().parse_args(words)
    try:
        return work(arguments) or 0
    except Infeasible as error:
        print(error, file=sys.stderr)
        return _INFEASIBLE
    except Error as error:
        print(error, file=sys.stderr)
        return _BAD_INPUT
    except KeyboardInterrupt:
        print("\ninterrupted; what was finished is stored, and the same command goes on from there",
              file=sys.stderr)  # fmt: skip
        return _INTERRUPTED
    except BrokenPipeError:
        sys.stdout = None
    return 0


# --- what both sweep and codesign take -------------------------------------------------


def _asking_parser(name: str, description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"tilewright {name}", description=description, allow_abbrev=False
    )
    add = parser.add_argument
    add("file", nargs="?", metavar="FILE", help="what to look at, in YAML; or use the options")
    add("-a", "--arch", action="append", default=[], help="an architecture; may stand several times")
    add("--model", action="append", default=[], help="a network; may stand several times")
    add("--set", action="append", default=[], metavar="PATH=VALUES",
        help="values of a parameter: 8,16 or 8..32 or 8..32 step 8 or 32..256 x2 KiB")  # fmt: skip
    add("--size", action="append", default=[], metavar="NAME=VALUES", help="sizes of networks")
    add("--mapspace", action="append", default=[])
    add("--mapper", action="append", default=[])
    add("-o", "--objective", action="append", default=[])
    add("--filter", action="append", default=[], help='such as "area <= 2 mm2" or "MACs <= 1024"')
    add("--constrain", action="append", default=[])
    add("--option", action="append", default=[], metavar="NAME=VALUE", help="as time=10s, gap=0.01")
    add("--store", metavar="STORE", help="where results are kept (default: FILE.db or sweep.db)")
    add("--workers", type=int, default=default_workers(), help="threads (default: one per core)")
    add("--quiet", action="store_true", help="no progress")
    return parser


def _given(words: Sequence[str], option: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for word in words:
        name, equals, values = word.partition("=")
        if not equals or not name:
            raise InputError([Problem(f'"{word}" gives nothing a value',
                                      "write PATH=VALUES", option)])  # fmt: skip
        found[name.strip()] = [values] if "[" in values else [v.strip() for v in values.split(",")]
    return found


def _asked(arguments: argparse.Namespace) -> Sweep:
    """The sweep of the file or of the options."""
    options: dict[str, Any] = {
        "architecture": arguments.arch, "networks": arguments.model,
        "parameters": _given(arguments.set, "--set"), "sizes": _given(arguments.size, "--size"),
        "mapspaces": arguments.mapspace, "mappers": arguments.mapper,
        "objectives": arguments.objective, "filters": arguments.filter,
        "constrain": arguments.constrain,
        "options": {k: v[0] for k, v in _given(arguments.option, "--option").items()},
        **getattr(arguments, "more", {}),
    }  # fmt: skip
    given = {name: value for name, value in options.items() if value}
    if arguments.file is None:
        return sweep_of(given)
    if given:
        raise InputError([Problem("a file and options of a sweep exclude each other",
                                  "write them into the file", arguments.file)])  # fmt: skip
    return load_sweep(arguments.file)


def _store_of(arguments: argparse.Namespace) -> str:
    if arguments.store:
        return str(arguments.store)
    return str(pathlib.Path(arguments.file).with_suffix(".db")) if arguments.file else "sweep.db"


def _solver_of(arguments: argparse.Namespace) -> Solver:
    if arguments.workers < 1:
        raise InputError([Problem("there is at least one worker", "write --workers 1", "--workers")])
    return solve_here(arguments.workers)


# --- sweep ----------------------------------------------------------------------------


def _sweep_parser() -> argparse.ArgumentParser:
    parser = _asking_parser("sweep", "Map networks on many designs. What the store has is not "
                            "computed again: after an interruption the same command goes on.")  # fmt: skip
    add = parser.add_argument
    add("--each-layer", action="store_true", help="every layer at its own lowest EDP")
    add("--sample", help="grid, random:100 or sobol:100 (default: grid)")
    add("--seed", type=int, default=1, help="of a random sample")
    add("--resume", action="store_true", help="only go on: refuse to begin a new store")
    add("--cluster", nargs="?", const="local", metavar="WHERE",
        help="run on Dask: local, an address, slurm, pbs or kubernetes")  # fmt: skip
    add("--shards", metavar="FOLDER", help="with --cluster: workers store what they find here, in "
        "a folder that all of them see, and it is merged at the end")  # fmt: skip
    add_output(parser)
    add("--pareto", metavar="A,B", help="only results that no other beats in all of these")
    add("--best", metavar="QUANTITY", help="the best design per network, and over all of them")
    add("--weight", action="append", default=[], metavar="NETWORK=NUMBER")
    add("--sensitivity", metavar="QUANTITY", help="what each parameter matters")
    return parser


def _sweep(arguments: argparse.Namespace) -> None:
    more: dict[str, Any] = {"each_layer": arguments.each_layer}
    if arguments.sample and arguments.sample != "grid":
        kind, _, count = arguments.sample.partition(":")
        more["sample"] = {kind: count} | ({"seed": arguments.seed} if kind == "random" else {})
    arguments.more = more
    sweep = _asked(arguments)
    line = Line(arguments.quiet)
    for remark in remarks_on(sweep):
        line.say(remark)
    path = _store_of(arguments)
    with Store(path, create=not arguments.resume) as store:
        solver, finish = _cluster_of(arguments, store, line)
        finish()
        try:
            rows = run(sweep, store, solver, lambda now: line.write(_words(now)), finish)
        finally:
            line.end()
    _show(SweepResult(sweep, rows), arguments)


def _cluster_of(
    arguments: argparse.Namespace, store: Store, line: Line
) -> tuple[Solver, Callable[[], None]]:
    """Who solves, and what brings in the results that workers have stored themselves."""
    here = _solver_of(arguments)
    if arguments.cluster is None:
        if arguments.shards:
            raise InputError([Problem("workers of this process write one store", "add --cluster",
                                      "--shards")])  # fmt: skip
        return here, lambda: None
    from tilewright.sweeps.cluster import Shards, solve_on

    shards = Shards(arguments.shards) if arguments.shards else None
    solver = solve_on(arguments.cluster, arguments.workers, shards, line.say)
    return solver, (lambda: shards.merge_into(store)) if shards else (lambda: None)


def _words(now: Progress) -> str:
    before = f", {now.stored_before} of {now.points} results were stored before"
    return (f"{now.done} of {now.tasks} mapped{before if now.stored_before else ''}"
            f"{_left_words(now.left)}")  # fmt: skip


def _left_words(left: Left | None) -> str:
    if left is None:
        return ""
    if left.known < _WELL_KNOWN:
        return f", perhaps {duration(left.seconds)} left (many layers are yet to be measured)"
    return f", about {duration(left.seconds)} left"


def _show(found: SweepResult, arguments: argparse.Namespace) -> None:
    if arguments.best:
        _show_best(found, arguments)
    if arguments.sensitivity:
        for one in found.sensitivity(arguments.sensitivity):
            print(f"{one.parameter}: changes {arguments.sensitivity} by a factor of "
                  f"{one.mean_ratio:.4g} (at most {one.largest_ratio:.4g})")  # fmt: skip
    if arguments.best or arguments.sensitivity:
        return
    if arguments.format == "json" and not arguments.pareto:
        write(json.dumps(found.to_dict(), indent=1) + "\n", arguments.out)
    else:
        names = str(arguments.pareto or "").split(",")
        rows = found.pareto(*names) if arguments.pareto else found.rows
        print_rows(rows, arguments, found.numbers(rows))


def _show_best(found: SweepResult, arguments: argparse.Namespace) -> None:
    weights = _weights(arguments)
    best = found.best(arguments.best)
    rows = list(best.values())
    print(results.table_text(rows, found.numbers(rows)))
    overall = found.best_overall(arguments.best, weights or None)
    if len(best) > 1 and overall:
        print(f"\nover all networks: {overall[0].design} ({arguments.best} {overall[0].mean:.6g})")


def _weights(arguments: argparse.Namespace) -> dict[str, float]:
    weights: dict[str, float] = {}
    for word in arguments.weight:
        name, _, number = word.rpartition("=")
        try:
            weights[name] = float(number)
        except ValueError:
            raise InputError([Problem(f'"{word}" gives no weight', "write resnet50=2",
                                      "--weight")]) from None  # fmt: skip
    return weights


# --- codesign ---------------------------------------------------------------------------


def _codesign_parser() -> argparse.ArgumentParser:
    parser = _asking_parser("codesign", "Find the best design of a space and prove it: bounds on "
                            "boxes of designs exclude most of them without mapping.")  # fmt: skip
    parser.add_argument("--weight", action="append", default=[], metavar="NETWORK=NUMBER")
    parser.add_argument("--trials", default="100", metavar="NUMBER",
                        help="where no bound holds: designs that Optuna may try, or all (default: 100)")  # fmt: skip
    parser.add_argument("--seed", type=int, default=1, help="of these trials")
    parser.add_argument("--json", action="store_true")
    return parser


def _trials(text: str) -> int | None:
    if text == "all":
        return None
    if not text.isdigit() or int(text) < 1:
        raise InputError([Problem(f'"{text}" is no number of designs', "write 100 or all",
                                  "--trials")])  # fmt: skip
    return int(text)


def _codesign(arguments: argparse.Namespace) -> None:
    sweep = _asked(arguments)
    line = Line(arguments.quiet)
    for remark in remarks_on(sweep):
        line.say(remark)
    with Store(_store_of(arguments)) as store:
        try:
            chosen = codesign(sweep, store, _solver_of(arguments), _weights(arguments) or None,
                              lambda now: line.write(_codesign_words(now)),
                              trials=_trials(arguments.trials), seed=arguments.seed)  # fmt: skip
        finally:
            line.end()
    print(json.dumps(_codesign_document(chosen), indent=1) if arguments.json
          else _codesign_text(chosen))  # fmt: skip


def _codesign_words(now: State) -> str:
    gap = "" if now.gap is None else f", gap {100 * now.gap:.3g} %"
    return f"{now.mapped} of {now.designs} designs mapped, {now.excluded} excluded{gap}"


def _codesign_document(chosen: Chosen) -> dict[str, Any]:
    return {"schema": "tilewright.codesign.v1", "architecture": chosen.design.base,
            "settings": dict(chosen.design.settings), "value": chosen.value,
            "proven": chosen.proven, "method": chosen.method, "why_no_bound": chosen.why or None,
            **chosen.state._asdict(), "gap": chosen.state.gap,
            "results": results.documents_of(chosen.rows)}  # fmt: skip


def _codesign_text(chosen: Chosen) -> str:
    state = chosen.state
    claim = "proven: no design is better" if chosen.proven else "not proven: a limit came first"
    how = (f"of {state.designs} designs {state.mapped} were mapped and {state.excluded} excluded, "
           f"by bounds of {state.boxes} boxes")  # fmt: skip
    if chosen.method == "all":
        how = f"all {state.designs} designs were mapped, since no bound holds: {chosen.why}"
        claim = claim if chosen.proven else "the best of all, with mappings that are not proven"
    elif chosen.method == "optuna":
        how = (f"no bound holds: {chosen.why}; of {state.designs} designs Optuna has tried "
               f"{state.mapped}")  # fmt: skip
        claim = "not proven: the best that was tried"
    best = f"best design: {chosen.design.label or chosen.design.base} ({claim})"
    return "\n".join([results.table_text(chosen.rows), "", best, how])


