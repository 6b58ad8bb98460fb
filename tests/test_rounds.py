"""The round player's frames and the stepped verification, against the decoding that they show."""

import re
from dataclasses import replace

import numpy as np
import pytest

from eagle_lab import Verdict, greedy_decode, load_pair, record, round_view, use_language, walk_view
from eagle_lab.decode import Decoding, Generation, Round
from eagle_lab.language import word
from eagle_lab.pictures.ink import WARNING
from eagle_lab.pictures.rounds import origin_html
from eagle_lab.pictures.tables import plain
from eagle_lab.pictures.text import display_token
from eagle_lab.trials import Recording, first_round, origin_text, origins

PROMPTS = [(language, text) for language, texts in load_pair("stories").prompts.items() for text in texts[:2]]


@pytest.fixture(scope="module")
def pair():
    return load_pair("stories")


@pytest.fixture(autouse=True)
def chinese():
    yield
    use_language("zh")


@pytest.mark.parametrize(("language", "prompt"), PROMPTS)
def test_origins_are_marked_in_text_as_well_as_in_colour(pair, language, prompt):
    recording = record(pair, prompt, 40)
    plain = origin_text(recording)
    drafts = re.findall("〔(.*?)〕", plain, re.DOTALL)
    spans = re.findall("background:[^>]*>〔(.*?)〕</span>", origin_html(recording), re.DOTALL)
    assert len(drafts) == len(spans) == sum(origin == "draft" for origin, _ in origins(recording))
    whole = plain.replace("〔", "").replace("〕", "")
    tokens = [token for origin, run in origins(recording) if origin != "prompt" for token in run]
    assert whole == "".join(pair.token_text(token) for token in tokens)


def test_typed_text_reads_as_it_was_typed(pair):
    assert "🐱 &lt;b&gt; 你好" in origin_html(record(pair, "🐱 <b> 你好", 4), 1)


def test_rounds_add_up(pair):
    recording = record(pair, pair.prompts["zh"][0], 40)
    rounds = recording.decoding.rounds
    use_language("en")
    for number, round_ in enumerate(rounds, start=1):
        view = round_view(recording, number)
        accepted = len(round_.verdict.accepted)
        page = view.to_html()
        assert f"round {number} of {len(rounds)}" in page
        rows = re.search(
            r"(\d+) rows before; this round computed (\d+) \(root \+ (\d+) nodes\): "
            r"(\d+) kept, (\d+) dropped; (\d+) rows now",
            page,
        )
        before, computed, nodes, kept, dropped, after = map(int, rows.groups())
        assert (before, nodes, kept) == (round_.start, len(round_.tree), 1 + accepted)
        assert computed == 1 + nodes == kept + dropped and after == before + kept
        if number < len(rounds):
            assert after == rounds[number].start
        written = 1 + sum(len(r.tokens) for r in rounds[:number])
        assert f"{1 + number} target passes (one of them read the opening), {written} tokens written" in page
        assert f"{np.mean([len(r.tokens) for r in rounds[:number]]):.2f} (mean tokens committed per round" in page
        assert before + 1 == len(recording.prompt) + written - len(round_.tokens), "all but the newest token are cached"


@pytest.mark.parametrize("number", [0, -1, 99])
def test_rounds_that_are_not_there(pair, number):
    recording = record(pair, pair.prompts["zh"][0], 8)
    with pytest.raises(ValueError, match=f"number is {number}: the recording has rounds 1 to"):
        round_view(recording, number)


def test_a_round_or_step_is_a_whole_number(pair):
    recording = record(pair, pair.prompts["zh"][0], 8)
    for wrong in ("1", None, [1], True):
        with pytest.raises(TypeError, match=r"number (is|must be)"):
            round_view(recording, wrong)
        with pytest.raises(TypeError, match="step must be a whole number"):
            walk_view(pair, recording.decoding.rounds[0], wrong)
    for wrong in (0, -1, 1.5):
        with pytest.raises(ValueError, match="step must be a whole number of at least 1"):
            walk_view(pair, recording.decoding.rounds[0], wrong)
    with pytest.raises(TypeError, match="recording must be a Recording, not list"):
        round_view(recording.decoding.rounds, 1)


@pytest.mark.parametrize(("language", "prompt"), PROMPTS)
def test_the_walk_goes_node_by_node_to_the_verdict(pair, language, prompt):
    use_language("en")
    reading = Generation(pair, pair.encode(prompt))
    whole = walk_view(pair, reading, 99)
    verdict = whole.round.verdict
    assert whole.steps == 1 + len(verdict.accepted) == len(whole.sentences)
    for step, node in enumerate(verdict.accepted, start=1):
        view = walk_view(pair, reading, step)
        assert view.sentences == whole.sentences[:step]
        assert f"on to node {node}" in view.sentences[-1]
    ending = "correction token" if verdict.rejected else "bonus token"
    assert ending in whole.sentences[-1] and not any(ending in line for line in whole.sentences[:-1])


def first_child(tree, logits, **_) -> Verdict:
    """A walk that takes the first child, whatever the target chooses."""
    path = [0]
    while children := tree.children(path[-1]):
        path.append(children[0])
    return Verdict(tuple(path), (), int(np.argmax(logits[1 + path[-1]])))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_text_that_strays_is_told_from_its_round_on(pair, language):
    use_language(language)
    prompt = pair.prompts[language][0]
    ours, theirs = record(pair, prompt), record(pair, prompt, verify=first_child)
    told = [round_view(theirs, number).to_html() for number in range(1, 1 + len(theirs.decoding.rounds))]
    first = next(number for number in range(len(told)) if theirs.strayed[0] < theirs.end_of(1 + number))
    for number, page in enumerate(told):
        after = number >= first
        assert ("✗〔〕 = " + word("strayed") in page) == (WARNING in page) == (word("no_tau") in plain(page)) == after
        row = plain(page).split(word("choices") + " | ")[1].splitlines()[0]
        places = range(theirs.end_of(number), theirs.end_of(number + 1))
        wrong = [place for place in places if place in theirs.strayed]
        assert row.count("✗") == len(wrong) and row.count("→") == len(places)
        for place in wrong:
            choice, token = (display_token(pair.token_text(text[place])) for text in (theirs.choices, theirs.text))
            assert word("chosen_otherwise", choice=choice, token=token) in row
    assert not any("✗" in round_view(ours, number).to_html() for number in range(1, 1 + len(ours.decoding.rounds)))


def test_a_walk_commits_nothing(pair):
    reading = Generation(pair, pair.encode("Once upon a time"))
    rows = reading.cache.length, reading.draft_cache.length
    first = walk_view(pair, reading)
    assert (reading.cache.length, reading.draft_cache.length) == rows
    assert walk_view(pair, reading).png == first.png


def test_a_round_once_drafted_is_walked_without_drafting_again(pair):
    reading = Generation(pair, pair.encode("Once upon a time"))
    round_ = first_round(pair, reading, budget=8)
    for step in range(1, len(round_.tokens) + 1):
        ours, again = walk_view(pair, round_, step), walk_view(pair, reading, step, budget=8)
        assert ours.png == again.png and ours.sentences == again.sentences and ours.steps == again.steps


FIRST, SECOND = greedy_decode(load_pair("stories").target, [100, 200, 300], 2)
PLAIN = Round(root=FIRST, start=3, tree=None, verdict=Verdict((), (), SECOND), tokens=(SECOND,))


@pytest.mark.parametrize(("language", "said"), [("zh", "没有草稿"), ("en", "no draft")])
def test_a_plain_pass_is_shown_as_one(pair, language, said):
    use_language(language)
    recording = Recording(pair, [100, 200, 300], Decoding([FIRST, SECOND], [PLAIN], "length"))
    view = round_view(recording, 1)
    assert repr(view) == "round 1 of 1: 0 nodes, 0 accepted, cache 3 -> 4 rows" and view.png.startswith(b"\x89PNG")
    page = view.to_html()
    assert said in page and re.search(r"\b1 .*(根|root) \+ 0", page) and "1.00" in page
    walk = walk_view(pair, PLAIN)
    assert (walk.step, walk.steps) == (1, 1) and said in walk.to_html()


def test_a_text_that_ends_at_once_has_no_round_to_show(pair):
    opening = pair.prompts["zh"][0]
    first = record(pair, opening, 1).decoding.tokens[0]
    recording = record(replace(pair, eos_ids=(first,)), opening)
    assert recording.decoding.rounds == [] and recording.decoding.tokens == [first]
    with pytest.raises(ValueError, match="没有轮次"):
        round_view(recording, 1)


def test_a_page_ends_with_the_text(pair):
    opening = pair.prompts["zh"][0]
    tokens = record(pair, opening).decoding.tokens
    end = next(token for token in tokens[9:] if token not in tokens[:9])
    recording = record(replace(pair, eos_ids=(end,)), opening)
    use_language("en")
    page = round_view(recording, len(recording.decoding.rounds)).to_html()
    assert f" {1 + tokens.index(end)} tokens written" in page
