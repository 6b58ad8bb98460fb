"""What the target is asked to write, in six domains, split by topic and by template.

    python -m training.prompts         # prints some of each domain and split

A prompt is a template with a topic in it, from `smollm2/prompts.toml`. Held-out prompts share neither with those of
training and validation; the passages that are to be summarised also take names, places and numbers into their slots.
"""

import random
import tomllib
from pathlib import Path
from typing import NamedTuple

TABLES = Path(__file__).parent / "smollm2" / "prompts.toml"
SPLITS = ("train", "validation", "held")
SEVERAL = {"train": (5, 3), "validation": (2, 2), "held": (1, 1)}  # templates for each topic, fillings for each passage


class Prompt(NamedTuple):
    """What one text begins with."""

    domain: str
    split: str
    text: str


def read_prompts(split: str, path=TABLES) -> list[Prompt]:
    """All prompts of a split in a fixed order: domain by domain, topic by topic."""
    with open(path, "rb") as file:
        tables = tomllib.load(file)
    return [Prompt(domain, split, text) for domain in tables for text in _texts(tables[domain], domain, split)]


def _texts(table: dict, domain: str, split: str):
    templates, slots = table[split]["templates"], table.get("slots")
    each, fillings = SEVERAL[split]
    for place, topic in enumerate(table[split]["topics"]):
        for filling in range(fillings if slots else 1):
            filled = _fill(topic, slots, f"{domain}/{split}/{place}/{filling}") if slots else topic
            for step in range(each):
                template = templates[(place + filling * each + step) % len(templates)]
                yield template.replace("{topic}", filled)


def _fill(passage: str, slots: dict, seed: str) -> str:
    """A passage with a name, a place and a number in it; all names that are the same stay the same."""
    rng = random.Random(seed)
    name, place, number = rng.choice(slots["names"]), rng.choice(slots["places"]), rng.randint(3, 90)
    return passage.replace("{name}", name).replace("{place}", place).replace("{n}", str(number))


def main():
    for split in SPLITS:
        prompts = read_prompts(split)
        print(f"{split}: {len(prompts)} prompts")
        for domain in dict.fromkeys(prompt.domain for prompt in prompts):
            found = [prompt.text for prompt in prompts if prompt.domain == domain]
            print(f"  {domain}: {len(found)}, such as {found[0]!r}")


if __name__ == "__main__":
    main()
