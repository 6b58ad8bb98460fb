"""A round is committed as a whole or not at all: interrupts at thousands of places of it, and at random times.

`python -m measure.interrupts`, in `tests`. After every interrupt the same generation goes on; what it has committed
then must equal, bit for bit, what an undisturbed one has, and its caches those of a fresh pass.
"""

import ctypes
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from tqdm import tqdm

import eagle_lab
from eagle_lab import Generation, Pair, load_pair

from checks import assert_rows, committed
from models import LLAMA, golden_pair

PACKAGE = str(Path(eagle_lab.__file__).parent)
SHAPE = {"top_k": 3, "depth": 3, "budget": 8}
ROUNDS = 6
WAYS = ("preview", "step")
POINTS, LAST, TIMED = 1_050, 12, 170  # of each pair: more than 3,000 and 500 in all; the last ones of every round


@contextmanager
def events(reach: int | None = None, error=KeyboardInterrupt, folder: str = PACKAGE):
    """Count the lines and the instructions that run in a folder's code, and raise `error` at the one numbered `reach`.

    Yields a list whose only number is the count so far. The interrupt of a notebook's stop button comes between two
    instructions, as this one does.
    """
    count = [0]

    def local(frame, event, _):
        if event in ("line", "opcode"):
            count[0] += 1
            if count[0] == reach:
                sys.settrace(None)
                raise error
        return local

    def trace(frame, event, _):
        if not frame.f_code.co_filename.startswith(folder):
            return None
        frame.f_trace_opcodes = True
        return local

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield count
    finally:
        sys.settrace(before)


def call_interrupted(call, seconds: float, error=KeyboardInterrupt) -> str:
    """Run `call` while another thread raises `error` in this one so many seconds from its start; where it came.

    "inside" the call or "behind" it; this returns only when the error has come.
    """
    gate, thread_id = threading.Event(), ctypes.c_ulong(threading.get_ident())

    def fire():
        gate.wait()
        time.sleep(seconds)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(thread_id, ctypes.py_object(error))

    thread = threading.Thread(target=fire)
    thread.start()
    place = "before"
    try:
        gate.set()
        place = "inside"
        call()
        place = "behind"
        while True:
            time.sleep(1e-4)
    except error:
        thread.join()
    return place


def pairs() -> dict[str, tuple[Pair, list[int]]]:
    """Three kinds of drafter, each with a prompt."""
    stories, rival = load_pair("stories"), load_pair("stories", drafter="draft_model")
    prompt = stories.encode(stories.prompts["zh"][0])
    return {"head": (stories, prompt), "golden": (golden_pair(*LLAMA), [7, 3, 60, 72]), "model": (rival, prompt)}


def undisturbed(pair: Pair, prompt: list[int], rounds: int = ROUNDS) -> tuple[list, list[dict[str, int]]]:
    """What is committed after each round where nothing comes between, and how many events each way has in it."""
    generation, states, sizes = Generation(pair, prompt), [], []
    for _ in range(rounds):
        size = {}
        for way in WAYS:
            with events() as count:
                getattr(generation, way)(**SHAPE)
            size[way] = count[0]
        sizes.append(size)
        states.append(committed(generation))
    return states, sizes


def go_through(pair: Pair, prompt: list[int], states: list, interrupted) -> Counter:
    """One generation, interrupted once in a preview and once in a step of every round; AssertionError if that shows.

    `interrupted(round, way, call)` runs `call` and says where the interrupt found it.
    """
    generation, text, seen = Generation(pair, prompt), list(prompt), Counter()
    text.append(generation.root)
    for number, state in enumerate(states):
        start = generation.committed.rows
        for way in WAYS:
            call = getattr(generation, way)
            place = interrupted(number, way, lambda call=call: call(**SHAPE))
            seen[place] += 1
            assert generation.committed.rows == start or way == "step", "a preview has committed something"
        if generation.committed.rows == start:
            generation.step(**SHAPE)
        elif place == "inside":
            seen["behind its commit"] += 1
        assert committed(generation) == state, f"round {number} goes on otherwise"
        text += generation.committed.following
    assert_caches_fresh(generation, text)
    return seen


def assert_caches_fresh(generation: Generation, text: list[int]) -> None:
    """The caches hold what one pass over the text writes, the target's and an independent model's alike."""
    fresh = generation.target.new_cache()
    generation.target.forward(text[:-1], fresh)
    generation.preview(**SHAPE)  # drops what an interrupt left behind
    assert_rows(generation.cache, fresh, "target cache")
    if not generation.drafter.layers:
        fresh = generation.drafter.model.new_cache()
        generation.drafter.model.forward(text[: generation.draft_cache.length], fresh)
        assert_rows(generation.draft_cache, fresh, "draft cache")


def at_every_place(pair: Pair, prompt: list[int], points: int) -> Counter:
    """Interrupts spread evenly over the lines and instructions of some rounds, `points` of them and the last ones."""
    states, sizes = undisturbed(pair, prompt)
    runs, seen = -(-points // (len(WAYS) * len(states))), Counter()
    for run in tqdm(range(runs + LAST), leave=False, disable=None):

        def interrupted(number: int, way: str, call, run=run) -> str:
            size = sizes[number][way]
            spread = 1 + (run * size + number * size // len(states)) // runs % size  # another phase in every round
            reach = spread if run < runs else size - (run - runs)
            try:
                with events(reach) as count:
                    call()
            except KeyboardInterrupt:
                return "inside"
            raise AssertionError(f"{way} of round {number} ended after {count[0]} of {size} events")

        seen += go_through(pair, prompt, states, interrupted)
    return seen


def at_random_times(pair: Pair, prompt: list[int], points: int, seed: int = 0) -> Counter:
    """Interrupts by a thread, some time within the length of a round."""
    states, _ = undisturbed(pair, prompt)
    rng, seen, generation = np.random.default_rng(seed), Counter(), Generation(pair, prompt)
    start = time.perf_counter()
    generation.preview(**SHAPE)
    length = time.perf_counter() - start

    def interrupted(number: int, way: str, call) -> str:
        return call_interrupted(call, rng.uniform(0, length))

    while seen["inside"] < points:
        seen += go_through(pair, prompt, states, interrupted)
    return seen


def main() -> None:
    whole = {"at a line or instruction": Counter(), "by a thread": Counter()}
    for name, (pair, prompt) in pairs().items():
        found = at_every_place(pair, prompt, POINTS), at_random_times(pair, prompt, TIMED)
        for kind, seen in zip(whole, found, strict=True):
            whole[kind] += seen
            print(f"{name}: {seen['inside']} interrupts {kind}, 0 of which show afterwards", flush=True)
    for kind, seen in whole.items():
        late = seen["behind its commit"]
        print(f"all: {seen['inside']} interrupts {kind}, {late} of them behind a round's commit; 0 went on otherwise")


if __name__ == "__main__":
    main()
