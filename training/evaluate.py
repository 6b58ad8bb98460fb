"""Measures the shipped pair `stories` with the library itself, on held-out prompts.

    python -m training.evaluate [tau] [lesson] [rivals] [map] [quality] [stories]

τ is the mean number of tokens a round commits: accepted drafts + 1. Everything is greedy at top_k 4, depth 5,
budget 16; a story runs to its end token or to `--tokens` new tokens.
"""

import argparse

import numpy as np

from eagle_lab import decode, greedy_decode, load_pair, speculative_decode
from training import grammar

END_ID = 1
EQUAL = (1, 1, 1)
CORNERS = {"low": (1, 0, 0), "mid": (0, 1, 0), "high": (0, 0, 1)}


def decode_all(pair, prompts, weights, options):
    """All rounds over the prompts under some layer weights."""
    rounds = []
    for prompt in prompts:
        ids = pair.tokenizer.encode(prompt).ids
        rounds += speculative_decode(pair, ids, options.tokens, layer_weights=weights, eos_id=END_ID).rounds
    return rounds


def tau(rounds):
    return decode.tau([len(r.tokens) for r in rounds])


def print_lesson(pair, prompts, options):
    """How often drafts fail, and where acceptance ends, at equal weights."""
    print("equal weights: τ, rounds that end before the deepest kept level, best leaf elsewhere, nothing accepted")
    for language in grammar.LANGUAGES:
        rounds = decode_all(pair, prompts[language], EQUAL, options)
        early = np.mean([len(r.verdict.accepted) < max(r.tree.depths) for r in rounds])
        elsewhere = np.mean([(r.verdict.accepted or (-1,))[-1] != r.tree.best_leaf for r in rounds])
        nothing = np.mean([not r.verdict.accepted for r in rounds])
        print(f"  {language}: τ {tau(rounds):.2f}, {early:.0%}, {elsewhere:.0%}, {nothing:.0%} of {len(rounds)} rounds")


def print_rivals(prompts, options):
    """τ of the three shipped drafters at equal weights."""
    for name in ("drafter", "drafter_equal_weights", "draft_model"):
        pair = load_pair("stories", drafter=name)
        taus = [f"{language} τ {tau(decode_all(pair, prompts[language], None, options)):.2f}" for language in prompts]
        print(f"{name}: {', '.join(taus)}")


def print_rays(pair, prompts, options):
    """τ on the way from equal weights to each corner, and at the middle of each edge."""
    for language in grammar.LANGUAGES:
        centre = tau(decode_all(pair, prompts[language], EQUAL, options))
        print(f"{language}: equal weights τ {centre:.2f}; change at 1/4, 1/2, 3/4 and all of the way to a corner")
        for name, corner in CORNERS.items():
            ways = [(1 - t) / 3 + t * np.array(corner) for t in (0.25, 0.5, 0.75, 1.0)]
            taus = [tau(decode_all(pair, prompts[language], way, options)) for way in ways]
            print(f"  {name:5s}" + "".join(f"{t / centre - 1:+8.1%}" for t in taus) + f"   τ {taus[-1]:.2f}")
        for name, middle in (("low+mid", (1, 1, 0)), ("low+high", (1, 0, 1)), ("mid+high", (0, 1, 1))):
            print(f"  {name:9s}{tau(decode_all(pair, prompts[language], middle, options)) / centre - 1:+8.1%}")


def print_map(pair, prompts, options):
    """τ over the whole weight simplex, mean of both languages: rows by mid weight, columns by high weight."""
    n, table = options.grid, {}
    for mid in range(n + 1):
        for high in range(n + 1 - mid):
            weights = (n - mid - high, mid, high)
            table[weights] = np.mean(
                [tau(decode_all(pair, prompts[language], weights, options)) for language in prompts]
            )
    centre = np.mean([tau(decode_all(pair, prompts[language], EQUAL, options)) for language in prompts])
    best = max(table, key=table.get)
    print(
        f"map of τ in steps of 1/{n} (mid downwards, high to the right, low is the rest); equal weights {centre:.2f}, "
        f"best grid point {best} {table[best]:.2f} ({centre / table[best] - 1:+.1%})"
    )
    for mid in range(n + 1):
        print(
            f"  mid {mid}/{n} " + " ".join(f"{table[(n - mid - high, mid, high)]:5.2f}" for high in range(n + 1 - mid))
        )


def recall(pair, stories):
    """Top-1 accuracy where a name, and where the object, recurs in these stories; and their loss."""
    hits, losses, space = {"name": [], "object": []}, [], " " if stories[0].language == "en" else ""
    for story in stories:
        ids = [*pair.tokenizer.encode(story.text).ids, END_ID]
        hidden, _ = pair.target.forward(ids[:-1], pair.target.new_cache())
        logits = pair.target.logits(hidden).astype(np.float64)
        chosen = logits[np.arange(len(ids) - 1), ids[1:]]
        losses.append(np.mean(np.log(np.exp(logits - logits.max(-1, keepdims=True)).sum(-1)) + logits.max(-1) - chosen))
        kinds = {
            pair.tokenizer.encode(space + word).ids[0]: kind
            for kind, words in (("name", story.names), ("object", [story.noun]))
            for word in words
        }
        for at, token in enumerate(ids[1:], 1):
            if token in kinds and token in ids[:at]:
                hits[kinds[token]].append(logits[at - 1].argmax() == token)
    return np.mean(hits["name"]), np.mean(hits["object"]), np.mean(losses)


def continuation(pair, prompt, limit=240):
    """(the greedy continuation of a prompt, whether it reached its end token)."""
    tokens = greedy_decode(pair.target, pair.tokenizer.encode(prompt).ids, limit, eos_id=END_ID)
    ended = bool(tokens) and tokens[-1] == END_ID
    return pair.tokenizer.decode(tokens[:-1] if ended else tokens), ended


def kept(story, text):
    """(both names come back and no third one does, the title's object comes back) in a continuation."""
    data = grammar.LANGUAGES[story.language]
    words = grammar.words_of(story.language, text)
    names = {name for name in data.GIRLS + data.BOYS if name in words}
    return names == set(story.names), story.noun in words


def print_quality(pair, options):
    """The target as a story teller, on held-out stories and prompts."""
    for language in grammar.LANGUAGES:
        stories = grammar.held_out_stories(language, options.prompts)
        told = [continuation(pair, story.prompt) for story in stories]
        marks = np.array([kept(story, text) for story, (text, _) in zip(stories, told, strict=True)])
        two, object_, both = marks[:, 0].mean(), marks[:, 1].mean(), marks.all(1).mean()
        ends = np.mean([end for _, end in told])
        for split, name in (("opening", "held-out openings, told on as in training"), ("held", "held-out to the end")):
            names, things, loss = recall(pair, grammar.held_out_stories(language, options.prompts, split=split))
            print(f"{language}, {name}: names recur {names:.1%}, object {things:.1%}, loss {loss:.3f}")
        print(f"  of {len(told)} stories {two:.0%} keep two characters, {object_:.0%} the object, {both:.0%} both;")
        print(f"  {ends:.0%} end by themselves")


def print_stories(pair, count=20):
    for language in grammar.LANGUAGES:
        for prompt in grammar.held_out_prompts(language, count):
            text, ended = continuation(pair, prompt)
            print(f"{prompt}【…】{text}{'' if ended else ' (cut)'}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", nargs="*", help="tau, lesson, rivals, map, quality, stories; all if none is named")
    parser.add_argument("--prompts", type=int, default=40, help="held-out prompts per language")
    parser.add_argument("--map-prompts", type=int, default=12, help="the same for the map")
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--grid", type=int, default=6)
    parser.add_argument("--target", help="another target folder (with --drafter)")
    parser.add_argument("--drafter", help="another drafter folder")
    options = parser.parse_args()
    what = options.what or ["quality", "lesson", "rivals", "tau", "map", "stories"]
    pair = load_pair(target=options.target, drafter=options.drafter) if options.drafter else load_pair("stories")
    prompts = {language: grammar.held_out_prompts(language, options.prompts) for language in grammar.LANGUAGES}
    if "quality" in what:
        print_quality(pair, options)
    if "lesson" in what:
        print_lesson(pair, prompts, options)
    if "rivals" in what:
        print_rivals(prompts, options)
    if "tau" in what:
        print_rays(pair, prompts, options)
    if "map" in what:
        print_map(pair, {language: rows[: options.map_prompts] for language, rows in prompts.items()}, options)
    if "stories" in what:
        print_stories(pair)


if __name__ == "__main__":
    main()
