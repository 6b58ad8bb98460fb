"""Sets drafters side by side on held-out prompts: τ by domain, acceptance by level and by kind of token.

    python -m training.compare run [drafters] --work FOLDER      # decodes, resumable
    python -m training.compare tables --work FOLDER              # prints

Every prompt is continued by 128 tokens, greedily, by the library's own `speculative_decode` in float32; what each
round drafted and committed is kept. Every text is compared with plain decoding.
"""

import argparse
import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
from tqdm import tqdm

from eagle_lab import greedy_decode, load_pair, speculative_decode
from eagle_lab.checkpoints import load_drafter
from eagle_lab.pairs import ASSETS
from eagle_lab.rivals import PromptLookup
from eagle_lab.trials import first_gap
from training.blind import BlindHead
from training.prompts import read_prompts

SHIPPED = ASSETS / "smollm2"
CONSTANT = " the"  # what the head reads in place of every token


def drafters(pair) -> dict:
    """All drafters of the comparison, by name."""
    head = pair.drafter
    (the,) = pair.encode(CONSTANT)
    return {
        "head": head,
        "draft_model": load_drafter(SHIPPED / "draft_model", pair.target),
        "position_heads": load_drafter(SHIPPED / "position_heads", pair.target),
        "lookup": PromptLookup(),
        "features zeroed": BlindHead(head, features=None),
        "features of 8 tokens earlier": BlindHead(head, features=8),
        "constant token": BlindHead(head, token=the),
    }


def run(options) -> None:
    """Decode every prompt with every drafter that is asked for; what was done before is kept."""
    work = Path(options.work)
    work.mkdir(parents=True, exist_ok=True)
    pair = load_pair("smollm2", target=options.target)
    known = drafters(pair)
    prompts = read_prompts(options.split)
    for name in ["plain", *(options.drafters or known)]:
        file = work / f"{name.replace(' ', '_')}.json"
        done = json.loads(file.read_text()) if file.exists() else []
        for prompt in tqdm(prompts[len(done) :], desc=name, initial=len(done), total=len(prompts), mininterval=10):
            done.append(decode(pair, known.get(name), pair.chat(prompt.text), options.tokens))
            file.write_text(json.dumps(done))


def decode(pair, drafter, ids: list[int], tokens: int) -> dict:
    """The tokens behind a prompt, and (accepted, deepest level drafted) of each round; plain without a drafter."""
    if drafter is None:
        return {"tokens": greedy_decode(pair.target, ids, tokens, eos_id=pair.eos_ids)}
    found = speculative_decode(replace(pair, drafter=drafter), ids, tokens, eos_id=pair.eos_ids)
    rounds = [[len(r.verdict.accepted), int(r.tree.depths.max()) if r.tree is not None else 0] for r in found.rounds]
    return {"tokens": found.tokens, "rounds": rounds}


def tables(options) -> None:
    """Print what `run` left: τ with its standard error over prompts, levels, kinds of tokens, differing texts."""
    prompts, work = read_prompts(options.split), Path(options.work)
    found = {path.stem.replace("_", " "): json.loads(path.read_text()) for path in sorted(work.glob("*.json"))}
    plain = found.pop("plain")
    domains = list(dict.fromkeys(prompt.domain for prompt in prompts))
    taus = {
        name: np.array([np.mean([1 + accepted for accepted, _ in text["rounds"]]) for text in texts])
        for name, texts in found.items()
    }
    print(f"τ, mean over prompts ± its standard error; {len(prompts)} prompts, split {options.split}")
    for name in sorted(taus, key=lambda name: -taus[name].mean()):
        by_domain = [taus[name][[p.domain == domain for p in prompts]] for domain in domains]
        cells = [
            f"{d[:7]} {t.mean():.2f}±{t.std(ddof=1) / len(t) ** 0.5:.2f}"
            for d, t in zip(domains, by_domain, strict=True)
        ]
        print(
            f"  {name:30s} {taus[name].mean():.2f}±{taus[name].std(ddof=1) / len(prompts) ** 0.5:.2f}  "
            + "  ".join(cells)
        )
        if name != "head":
            ratio = taus["head"] / taus[name]
            print(f"  {'':30s} head / this: {ratio.mean():.2f}±{ratio.std(ddof=1) / len(ratio) ** 0.5:.2f}")
    print("share accepted at each level, given that all before it were")
    for name, texts in found.items():
        rounds = np.array([r for text in texts for r in text["rounds"]])
        levels = []
        for level in range(1, 6):
            reached = (rounds[:, 0] >= level - 1) & (rounds[:, 1] >= level)
            levels.append(f"{(rounds[reached, 0] >= level).mean():.2f}" if reached.any() else "–")
        print(f"  {name:30s} " + " ".join(levels))
    print("share of tokens that were accepted drafts: tokens that stood in the text before / others")
    for name, texts in found.items():
        print(f"  {name:30s} " + " / ".join(f"{share:.2f}" for share in kinds(prompts, texts, options)))
    for name, texts in found.items():
        differ = [n for n, (a, b) in enumerate(zip(texts, plain, strict=True)) if a["tokens"] != b["tokens"]]
        gaps = [
            first_gap(options.pair.target, options.encoded[n], plain[n]["tokens"], texts[n]["tokens"]) for n in differ
        ]
        parts = ", ".join(
            f"prompt {n} at token {place} (gap {gap:.0e})" for n, (place, gap) in zip(differ, gaps, strict=True)
        )
        print(f"{name}: {len(differ)} of {len(texts)} texts differ from plain decoding {parts}")


def kinds(prompts, texts, options) -> list[float]:
    """Of tokens that stand in prompt or text before, and of others: the share that was committed as accepted draft."""
    counts = defaultdict(list)
    for prompt, text in zip(options.encoded, texts, strict=True):
        place, tokens = 1, text["tokens"]
        seen = {*prompt, *tokens[:1]}
        for accepted, _ in text["rounds"]:
            for step in range(accepted + 1):
                if place < len(tokens):
                    counts[tokens[place] in seen].append(step < accepted)
                    seen.add(tokens[place])
                    place += 1
    return [float(np.mean(counts[kind])) for kind in (True, False)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["run", "tables"])
    parser.add_argument("drafters", nargs="*")
    parser.add_argument("--target", help="a Hugging Face folder of the target in place of the package")
    parser.add_argument("--split", default="held")
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--work", required=True)
    options = parser.parse_args()
    if options.what == "run":
        run(options)
    else:
        options.pair = load_pair("smollm2", target=options.target)
        options.encoded = [options.pair.chat(prompt.text) for prompt in read_prompts(options.split)]
        tables(options)


if __name__ == "__main__":
    main()
