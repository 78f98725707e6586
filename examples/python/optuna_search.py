"""A search with Optuna, held against the proven optimum.

Optuna places every prime factor of every dimension at a level and chooses the loop order of
each memory; Tilewright says what such a mapping costs. Needs `pip install optuna`.

usage: python optuna_search.py [TRIALS]
"""

import sys

import optuna

import tilewright as tw

ARCH = tw.Architecture("toy_array")
WORK = tw.Workload("gemm: m=32 n=24 k=16")


def prime_factors(number):
    prime = 2
    while number > 1:
        while number % prime == 0:
            yield prime
            number //= prime
        prime += 1


def places(arch):
    """Where loops can stand: the memories, and the axes of fan-outs."""
    for level in arch.to_dict()["levels"]:
        if "memory" in level:
            yield level["memory"], "loops"
        for axis in ("y", "x"):
            if "fanout" in level and axis in level:
                yield level["fanout"], axis


def suggest(trial):
    """A mapping as a dictionary with the keys of a file."""
    all_places = list(places(ARCH))
    bounds = {place: dict.fromkeys(WORK.dims, 1) for place in all_places}
    for dim, size in WORK.dims.items():
        for number, prime in enumerate(prime_factors(size)):
            where = trial.suggest_int(f"{dim}{number}", 0, len(all_places) - 1)
            bounds[all_places[where]][dim] *= prime
    levels = {}
    for (level, kind), loops in bounds.items():
        turn = {dim: trial.suggest_float(f"{level}.{kind}.{dim}", 0, 1) for dim in loops}
        order = sorted((dim for dim in loops if loops[dim] > 1), key=turn.__getitem__)
        levels.setdefault(level, {})[kind] = [f"{dim} {loops[dim]}" for dim in order]
    return {"levels": levels}


def objective(trial):
    try:
        return tw.evaluate(ARCH, WORK, suggest(trial)).edp
    except tw.Infeasible:
        return float("inf")


def main(trials):
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1))
    study.optimize(objective, n_trials=trials)
    optimum = tw.map(ARCH, WORK)
    print(f"Optuna, {trials} trials: {study.best_value:.4g} pJ*cycles")
    print(f"optimum, proven: {optimum.value:.4g} pJ*cycles")
    return study.best_value / optimum.value


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
