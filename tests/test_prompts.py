"""What the target is asked: split by topic and by template, nothing twice, nothing left unfilled."""

import tomllib
from itertools import combinations

import pytest

from training.prompts import SPLITS, TABLES, read_prompts

TABLE = tomllib.loads(TABLES.read_text(encoding="utf-8"))


@pytest.mark.parametrize("domain", TABLE)
@pytest.mark.parametrize("part", ["topics", "templates"])
def test_no_topic_and_no_template_stands_in_two_splits(domain, part):
    found = {split: {text.casefold() for text in TABLE[domain][split][part]} for split in SPLITS}
    assert all(len(found[split]) == len(TABLE[domain][split][part]) for split in SPLITS), "one stands twice in a split"
    assert not any(found[one] & found[other] for one, other in combinations(SPLITS, 2))


def test_there_are_six_domains_and_as_many_prompts_as_the_plan_says():
    assert list(TABLE) == ["stories", "explanations", "howto", "questions", "code", "summaries"]
    assert [len(read_prompts(split)) for split in SPLITS] == [3040, 120, 60]
    held = [prompt.domain for prompt in read_prompts("held")]
    assert all(held.count(domain) == 10 for domain in TABLE)


def test_every_prompt_is_whole_and_asked_once():
    texts = [prompt.text for split in SPLITS for prompt in read_prompts(split)]
    assert len(set(texts)) == len(texts)
    assert not any(mark in text for text in texts for mark in "{}")
    assert read_prompts("held") == read_prompts("held"), "names and numbers are drawn by a seed"
