"""What somebody's own code hands in is checked before anything is committed; and no text outgrows its target."""

from dataclasses import replace

import numpy as np
import pytest
from test_rivals import Lookup

from eagle_lab import CandidateTree, Generation, Verdict, greedy_decode, speculative_decode, write_texts
from eagle_lab.benchmark import mean_tau, replay, tap_accuracy, tau_map
from eagle_lab.growth import MOST, MOST_DRAFTED, TreeShape
from eagle_lab.rivals import DraftModel

from checks import committed
from models import LLAMA, QWEN3, golden_pair, random_pair

SHAPE = {"top_k": 3, "depth": 3, "budget": 8}


def reading(**ways) -> Generation:
    generation = Generation(golden_pair(*LLAMA), [7, 3, 60, 72], **ways)
    generation.step(**SHAPE)
    return generation


def assert_refused(generation: Generation, error, message: str) -> None:
    """The round is refused with these words; what was committed stays, and the right way goes on from it."""
    before = committed(generation)
    for way in (generation.step, generation.preview):
        with pytest.raises(error, match=message):
            way(**SHAPE)
        assert committed(generation) == before
    right = reading()
    generation.verify, generation.mask, generation.drafter = right.verify, right.mask, right.drafter
    assert generation.step(**SHAPE).tokens == right.step(**SHAPE).tokens
    assert committed(generation) == committed(right)


# ── verdicts ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("verdict", "error", "message"),
    [
        (None, TypeError, "what verify returns must be a Verdict, not NoneType"),
        (((0,), 5), TypeError, "what verify returns must be a Verdict, not tuple"),
        (Verdict, TypeError, "what verify returns must be a Verdict, not the class Verdict"),
        (Verdict((), (), None), TypeError, "next_token is None: the vocabulary has ids 0 to 127"),
        (Verdict((), (), "5"), TypeError, "next_token is '5'"),
        (Verdict((), (), True), TypeError, "next_token is True"),
        (Verdict((), (), 1.5), ValueError, "next_token is 1.5: the vocabulary has ids 0 to 127"),
        (Verdict((), (), -5), ValueError, "next_token is -5"),
        (Verdict((), (), 10**6), ValueError, "next_token is 1000000"),
        (Verdict((), (), 128), ValueError, "next_token is 128: the vocabulary has ids 0 to 127"),
        (Verdict(None, (), 5), TypeError, "accepted must be a list, tuple"),
        (Verdict({0}, (), 5), TypeError, "accepted must be a list, tuple"),
        (Verdict((0.0,), (), 5), ValueError, r"accepted\[0\] is 0.0: the tree has nodes 0 to 7"),
        (Verdict(("0",), (), 5), TypeError, r"accepted\[0\] is '0': the tree has nodes 0 to 7"),
        (Verdict((8,), (), 5), ValueError, r"accepted\[0\] is 8: the tree has nodes 0 to 7"),
        (Verdict((-1,), (), 5), ValueError, r"accepted\[0\] is -1"),
        (Verdict((), (9,), 5), ValueError, r"rejected\[0\] is 9: the tree has nodes 0 to 7"),
        (Verdict((), None, 5), TypeError, "rejected must be a list, tuple"),
    ],
)
def test_a_verdict_is_checked_before_anything_is_committed(verdict, error, message):
    generation = reading()
    generation.verify = lambda tree, logits, **_: verdict
    assert_refused(generation, error, message)


def test_what_is_accepted_must_be_a_path_from_the_root():
    tree = reading().preview(**SHAPE).tree
    deep = int(np.flatnonzero(tree.depths == 3)[0])
    above, node = tree.path(deep)[:2]
    sibling = next(child for child in tree.children(-1) if child != above)
    for accepted, place in (
        ((node,), rf"accepted\[0\] is node {node}, a child of node {above} and not of the root"),
        ((above, deep), rf"accepted\[1\] is node {deep}, a child of node {node} and not of node {above}"),
        ((above, above), rf"accepted\[1\] is node {above}, a child of the root and not of node {above}"),
        ((above, sibling), rf"accepted\[1\] is node {sibling}, a child of the root and not of node {above}"),
        ((above, node, above), rf"accepted\[2\] is node {above}"),
    ):
        generation = reading()
        generation.verify = lambda tree, logits, accepted=accepted, **_: Verdict(accepted, (), 5)
        assert_refused(generation, ValueError, place)


def test_numbers_of_numpy_become_plain_ones():
    generation, right = reading(), reading().step(**SHAPE)
    right_way = generation.verify

    def in_numpy(tree, logits, **options):
        found = right_way(tree, logits, **options)
        return Verdict(np.array(found.accepted, dtype=int), list(found.rejected), np.int64(found.next_token))

    generation.verify = in_numpy
    round_ = generation.step(**SHAPE)
    assert round_.verdict == right.verdict and round_.tokens == right.tokens
    assert {type(value) for value in (*round_.verdict.accepted, *round_.tokens)} == {int}


# ── masks and drafts ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("mask", "error", "message"),
    [
        (lambda tree: None, TypeError, "what mask returns must be an array, not NoneType"),
        (lambda tree: tree.attention_mask().tolist(), TypeError, "what mask returns must be an array, not list"),
        (lambda tree: tree.attention_mask().astype(int), TypeError, "what mask returns must hold booleans, not int64"),
        (lambda tree: tree.attention_mask()[1:, 1:], ValueError, r"what mask returns must be \[9, 9\], not \[8, 8\]"),
        (lambda tree: tree.attention_mask()[0], ValueError, r"what mask returns must be \[9, 9\], not \[9\]"),
    ],
)
def test_a_mask_is_checked_before_the_target_reads_under_it(mask, error, message):
    generation = reading()
    generation.mask = mask
    assert_refused(generation, error, message)


class Proposes(Lookup):
    """Whatever it was given to propose."""

    def __init__(self, draft):
        self.proposed = draft

    def draft(self, features, tokens, cache, shape):
        return self.proposed


def chain(*tokens: int) -> CandidateTree:
    return CandidateTree(np.arange(len(tokens)) - 1, tokens, np.full(len(tokens), -0.5))


DRAFTS = [
    ([5, 6], TypeError, "the draft of Proposes must be a CandidateTree, not list"),
    (CandidateTree, TypeError, "the draft of Proposes must be a CandidateTree, not the class CandidateTree"),
    (chain(1, 2, 3, 4), ValueError, "the draft of Proposes is 4 levels deep: the depth is 3"),
    (chain(1, 128), ValueError, r"the draft of Proposes: tokens\[1\] is 128: the vocabulary has ids 0 to 127"),
    (chain(-1), ValueError, r"the draft of Proposes: tokens\[0\] is -1"),
    (CandidateTree([-1] * 9, range(9), [-1.0] * 9), ValueError, "the draft of Proposes has 9 nodes: the budget is 8"),
]


@pytest.mark.parametrize(("draft", "error", "message"), DRAFTS)
def test_a_draft_keeps_within_shape_and_vocabulary(draft, error, message):
    generation = reading()
    generation.drafter = Proposes(draft)
    assert_refused(generation, error, message)
    pair = replace(golden_pair(*LLAMA), drafter=Proposes(draft))
    with pytest.raises(error, match=message):
        replay(pair, [1, 2], list(range(20)), shape=TreeShape(**SHAPE))


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (None, TypeError, "what score returns must be an array, not NoneType"),
        ([[0.0] * 3], TypeError, "what score returns must be an array, not list"),
        (np.array([["a", "b", "c"]]), TypeError, "what score returns must hold real numbers"),
        (np.zeros((3, 1)), ValueError, r"what score returns must be \[1, 3\], not \[3, 1\]"),
    ],
)
def test_scores_of_ones_own_are_checked(answer, error, message):
    generation, before = reading(), committed(reading())
    with pytest.raises(error, match=message):
        generation.step(score=lambda *_: answer, **SHAPE)
    assert committed(generation) == before


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (None, TypeError, "what fuse returns must be an array, not NoneType"),
        ([[1.0]], TypeError, "what fuse returns must be an array, not list"),
        (np.zeros(3), ValueError, r"what fuse returns must be \[.*\], not \[3\]"),
    ],
)
def test_fused_features_of_ones_own_are_checked(answer, error, message):
    generation, before = reading(), committed(reading())
    with pytest.raises(error, match=message):
        generation.step(fuse=lambda *_: answer, **SHAPE)
    assert committed(generation) == before


# ── limits ───────────────────────────────────────────────────────────────────────────────────────

LIMITED = random_pair(3, vocab=8, positions=20)


@pytest.mark.parametrize("length", [1, 5, 19])
def test_a_text_may_fill_the_last_position_and_no_more(length):
    prompt = [1] * length
    plain = greedy_decode(LIMITED.target, prompt, 20 - length)
    free = random_pair(3, vocab=8)
    assert plain == greedy_decode(free.target, prompt, 20 - length), "a limit changes no token before it"
    assert speculative_decode(LIMITED, prompt, 20 - length, **SHAPE).tokens == plain
    words = f"prompt_ids has {length} tokens, which with {21 - length} new ones are more than the target's 20 positions"
    for call in (
        lambda: greedy_decode(LIMITED.target, prompt, 21 - length),
        lambda: speculative_decode(LIMITED, prompt, 21 - length),
        lambda: write_texts(LIMITED, [prompt], 21 - length),
        lambda: replay(LIMITED, prompt, [1] * (21 - length)),
    ):
        with pytest.raises(ValueError, match=words.replace("prompt_ids", r"prompt(_ids|s\[0\])")):
            call()


def test_a_generation_hands_out_no_token_beyond_the_last_position():
    generation = Generation(LIMITED, [1, 2])
    text = [1, 2, generation.root]
    while len(text) < 20:
        round_ = generation.step(top_k=4, depth=6, budget=40)
        assert round_.tokens == (*round_.tree.tokens[list(round_.verdict.accepted)].tolist(), round_.tokens[-1])
        text += round_.tokens
    assert text == [1, 2, *greedy_decode(LIMITED.target, [1, 2], 18)]
    for way in (generation.step, generation.preview):
        with pytest.raises(ValueError, match="the text has 20 tokens, as many as the target has positions"):
            way()


def test_a_prompt_leaves_room_for_a_token():
    with pytest.raises(ValueError, match="prompt_ids has 20 tokens, which with 1 new ones are more than"):
        Generation(LIMITED, [1] * 20)
    assert speculative_decode(LIMITED, [1] * 20, 0).tokens == []


@pytest.mark.parametrize("names", [LLAMA, QWEN3], ids=["llama", "qwen3"])
def test_a_walk_is_cut_at_the_last_position_for_every_room(names):
    """Wherever the limit falls within a round, the tokens before it are the same."""
    pair = golden_pair(*names)
    shape = {"top_k": 3, "depth": 6, "budget": 20}
    plain = greedy_decode(pair.target, [7, 3, 60, 72], 24)
    for new in range(1, 25):
        config = replace(pair.target.config, max_position_embeddings=4 + new)
        target = type(pair.target)(config, *(getattr(pair.target, n) for n in ("embedding", "layers", "norm", "head")))
        generation = Generation(replace(pair, target=target), [7, 3, 60, 72])
        text = [generation.root]
        while len(text) < new:
            text += generation.step(**shape).tokens
        assert text == plain[:new]


def test_the_largest_trees_are_grown_in_bounds():
    """The pool's bound is what memory and time follow."""
    for top_k in (1, 8, 22, 64, 100):
        depth = min(MOST["depth"], 1 + (MOST_DRAFTED - top_k) // top_k**2)
        shape = TreeShape(top_k, depth, MOST["budget"])
        assert shape.top_k + (shape.depth - 1) * shape.top_k**2 <= MOST_DRAFTED
        if depth < MOST["depth"]:
            with pytest.raises(ValueError, match=f"at most {MOST_DRAFTED:,} are grown"):
                TreeShape(top_k, depth + 1)


# ── measuring ────────────────────────────────────────────────────────────────────────────────────


def test_what_cannot_be_measured_is_refused_by_name():
    pair = random_pair(0, vocab=8)
    rival = replace(pair, drafter=DraftModel(pair.target))
    texts = write_texts(pair, [[1, 2, 3]], 12)
    for call, error, message in (
        (lambda: mean_tau(pair, []), ValueError, "texts is empty"),
        (lambda: tau_map(pair, []), ValueError, "prompts is empty"),
        (lambda: tap_accuracy(pair, []), ValueError, "texts is empty"),
        (lambda: tau_map(pair, [[1]], steps=0), ValueError, "steps must be a whole number of at least 1, not 0"),
        (lambda: tau_map(rival, [[1]]), ValueError, "DraftModel reads 0 layers"),
        (lambda: tap_accuracy(rival, texts), ValueError, "DraftModel reads no layer features"),
        (lambda: mean_tau(pair, texts, depth=11), ValueError, "a tree of 11 levels needs 13 written tokens"),
        (lambda: tap_accuracy(pair, write_texts(pair, [[1]], 1)), ValueError, "at least one must have two written"),
        (lambda: write_texts(pair, "Once"), TypeError, "prompts must be a list of texts or of token ids, not one text"),
        (lambda: tau_map(pair, "Once upon"), TypeError, "prompts must be a list of texts or of token ids"),
        (lambda: write_texts(pair, [1, 2, 3]), TypeError, r"prompts\[0\] must be a list, tuple or 1-D array, not int"),
        (lambda: write_texts(pair, [[1], []]), ValueError, r"prompts\[1\] is empty"),
    ):
        with pytest.raises(error, match=message):
            call()


def test_prompts_may_be_token_ids():
    pair = random_pair(0, vocab=8)
    assert pair.tokenizer is None
    (text,) = write_texts(pair, [np.array([1, 2, 3])], 12)
    assert text.prompt == [1, 2, 3] and text.written == greedy_decode(pair.target, [1, 2, 3], 12)
    assert mean_tau(pair, [text], depth=2) >= 1 and len(tap_accuracy(pair, [text])) == 3


def test_mean_tau_passes_over_a_text_too_short_for_a_round():
    pair = random_pair(0, vocab=8)
    texts = write_texts(pair, [[1, 2, 3]], 20)
    assert mean_tau(pair, [*texts, *write_texts(pair, [[4]], 2)], depth=3) == mean_tau(pair, texts, depth=3)
