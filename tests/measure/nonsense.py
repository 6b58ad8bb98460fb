"""Nonsense at every public door: `python -m measure.nonsense`, in `tests`; what is no refusal by name is printed."""

import warnings

import test_nonsense_trials as trials
from tqdm import tqdm

import test_nonsense as engine
import test_nonsense_pictures as pictures


def main() -> None:
    warnings.simplefilter("error")  # a warning is an accident too
    tried, found = 0, []
    for room in (engine, trials):
        for name in tqdm(room.CALLS, desc=room.__name__, mininterval=10):
            count, accidents = room.accidents(name)
            tried, found = tried + count, found + [f"{name}: {accident}" for accident in accidents]
    for door, (function, arguments) in tqdm(pictures.DOORS.items(), desc=pictures.__name__, mininterval=10):
        for argument in arguments:
            for kind, value in pictures.NONSENSE.items():
                tried += 1
                wrong = pictures.judge(function, {**arguments, argument: value}, argument)
                found += [f"{door}: {argument} = {kind}: {wrong}"] if wrong else []
    doors = len(engine.CALLS) + len(trials.CALLS) + len(pictures.DOORS)
    print(*found, f"{tried:,} calls of {doors} doors, one argument of nonsense each: {len(found)} accidents", sep="\n")


if __name__ == "__main__":
    main()
