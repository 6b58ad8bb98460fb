"""What must hold, as functions: the tests call them on the engine, test_mutants calls them on broken engines."""

import json
from dataclasses import dataclass, field

import numpy as np
import pytest
from safetensors.numpy import load_file

from eagle_lab import decode, growth, tree, verification
from eagle_lab.decode import Generation, greedy_decode, speculative_decode
from eagle_lab.drafter import EagleHead
from eagle_lab.growth import TreeShape
from eagle_lab.llama import Llama, causal_mask, rope_tables
from eagle_lab.pairs import load_pair
from eagle_lab.sampling import ROUNDING
from eagle_lab.tree import ROOT, CandidateTree

from models import GOLDEN, golden_pair

CLOSE = 1e-4  # float32 against another float32 implementation
TIE = ROUNDING  # the target's own top1-top2 gap below which two orders of addition may choose differently


def assert_close(ours, theirs, what: str, tolerance: float = CLOSE) -> None:
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape, f"{what}: shape {ours.shape}, not {theirs.shape}"
    worst = float(np.abs(ours - theirs).max(initial=0))
    assert worst <= tolerance, f"{what}: off by {worst}"


def assert_same(ours, theirs, what: str) -> None:
    assert np.asarray(ours).tolist() == np.asarray(theirs).tolist(), what


# ── trees ────────────────────────────────────────────────────────────────────────────────────────


def naive_path(parents, node: int) -> list[int]:
    return [] if node == ROOT else [*naive_path(parents, int(parents[node])), node]


def assert_mask_is_ancestry(candidates: CandidateTree) -> None:
    """Row by row the transitive closure of the parent links, with the root and the node itself."""
    mask = candidates.attention_mask()
    expected = np.zeros((1 + len(candidates), 1 + len(candidates)), dtype=bool)
    for node in range(-1, len(candidates)):
        expected[1 + node, [0, *(1 + n for n in naive_path(candidates.parents, node))]] = True
    assert mask.dtype == bool and mask.shape == expected.shape
    assert np.array_equal(mask, expected), "the mask is not the ancestry"
    assert_same(mask.sum(axis=1), [1, *(1 + candidates.depths)], "a row sees the root and as many nodes as it is deep")


def assert_rerank(candidates: CandidateTree, budget: int) -> None:
    """The best nodes of the whole tree, no orphan among them, in level order."""
    kept = tree.rerank(candidates, budget)
    assert len(kept) == min(budget, len(candidates)), "budget not used up"
    whole = [tuple(candidates.tokens[naive_path(candidates.parents, n)].tolist()) for n in range(len(candidates))]
    paths = [tuple(kept.tokens[naive_path(kept.parents, n)].tolist()) for n in range(len(kept))]
    assert set(paths) <= set(whole) and len(set(paths)) == len(paths), "a kept node has lost its parent"
    places = [whole.index(path) for path in paths]
    assert_same(kept.log_scores, candidates.log_scores[places], "edges")
    assert_same(kept.scores, candidates.scores[places], "scores")
    assert sorted(kept.scores, reverse=True) == sorted(candidates.scores, reverse=True)[: len(kept)], "not the best"
    assert (np.diff(kept.depths) >= 0).all(), "not in level order"
    assert all(a < b or da < db for a, b, da, db in zip(places, places[1:], kept.depths, kept.depths[1:], strict=False))


# ── verification ─────────────────────────────────────────────────────────────────────────────────


def naive_prefix(draft_tokens, target_tokens) -> int:
    for place, pair in enumerate(zip(draft_tokens, target_tokens, strict=False)):
        if pair[0] != pair[1]:
            return place
    return min(len(draft_tokens), len(target_tokens))


def assert_prefix(draft_tokens, target_tokens) -> None:
    assert verification.accepted_prefix(draft_tokens, target_tokens) == naive_prefix(draft_tokens, target_tokens)


def golden_verify_cases() -> list[dict]:
    return json.loads((GOLDEN / "verify_cases" / "greedy.json").read_text())["cases"]


def assert_verify_case(case: dict) -> None:
    """One recorded `evaluate_posterior`; their node 0 is the root, which ours does not count."""
    parents = np.array(case["parents"][1:]) - 1
    candidates = CandidateTree(parents, case["draft_tokens"][1:], np.full(len(parents), -1.0))
    verdict = decode.verify(candidates, np.array(case["node_logits"], dtype=np.float32))
    assert_same(verdict.accepted, np.array(case["accepted_node_path"][1:], dtype=int) - 1, f"{case['name']}: path")
    assert len(verdict.accepted) == case["accept_length"]
    assert verdict.next_token == case["next_token"], f"{case['name']}: next token"
    last = verdict.accepted[-1] if verdict.accepted else ROOT
    assert_same(verdict.rejected, np.flatnonzero(parents == last), f"{case['name']}: rejected")


# ── forward passes ───────────────────────────────────────────────────────────────────────────────


def assert_tree_pass_equals_path_passes(target: Llama, prefix: list[int], root: int, candidates: CandidateTree) -> None:
    """One pass with the tree mask = every root-to-node path run on its own."""
    cache = target.new_cache()
    target.forward(prefix, cache)
    positions = cache.length + np.array([0, *candidates.depths])
    hidden, features = target.forward([root, *candidates.tokens], cache, positions, candidates.attention_mask())
    for node in range(-1, len(candidates)):
        path = candidates.tokens[naive_path(candidates.parents, node)].tolist()
        alone, tapped = target.forward([*prefix, root, *path], target.new_cache())
        assert_close(hidden[1 + node], alone[-1], f"hidden of node {node}")
        assert_close(features[:, 1 + node], tapped[:, -1], f"features of node {node}")


def assert_draft_extends_its_own_path(pair, prompt: list[int], shape: dict) -> None:
    """Every edge of a drafted tree = the log-probability that the head gives along that path run on its own."""
    head = pair.drafter
    hidden, features = pair.target.forward(prompt, pair.target.new_cache())
    root = int(np.argmax(pair.target.logits(hidden[-1])))
    drafted = head.draft(features, [*prompt[1:], root], head.new_cache(), TreeShape(**shape))
    committed = head.project(features).mean(axis=0)
    draft_ids = {int(token): place for place, token in enumerate(head.token_ids)}
    for node in range(len(drafted)):
        cache, tokens, states = head.new_cache(), [*prompt[1:], root], committed
        for token in drafted.tokens[naive_path(drafted.parents, node)].tolist():
            positions = cache.length + np.arange(len(tokens))
            out = head.forward(np.array(tokens), states, cache, positions, causal_mask(len(tokens)))
            log_prob = head.log_probs(out[-1:])[0, draft_ids[token]]
            tokens, states = [token], out[-1:]
        assert_close(drafted.log_scores[node], log_prob, f"edge of node {node}")


def assert_layer_weights_count(pair, prompt: list[int]) -> None:
    """Layer weights reach the head: with (0, 1, 0) it reads 3·W_1·f_1 and nothing else."""
    _, features = pair.target.forward(prompt, pair.target.new_cache())
    for weights in ([1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 2, 5]):
        with pytest.MonkeyPatch.context() as patch:
            calls = spy_on_draft(patch)
            head = pair.drafter.configured(layer_weights=weights)
            head.draft(features, prompt, head.new_cache(), TreeShape(depth=1))
        shares = np.array(weights) / sum(weights)
        expected = sum(3 * share * f @ w for share, f, w in zip(shares, features, pair.drafter.weights.fc, strict=True))
        assert_close(calls[0].hidden, expected, f"weights {weights}")


def assert_draft_ids(names: tuple[str, str]) -> None:
    """The loaded head names exactly the target's ids that `t2d` marks, in order."""
    target, draft = (GOLDEN / "models" / name for name in names)
    kept = np.flatnonzero(load_file(draft / "model.safetensors")["t2d"])
    assert_same(load_pair(target=target, drafter=draft).drafter.token_ids, kept, "draft ids")


# ── decoding ─────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Report:
    """What a comparison of speculative with plain decoding has seen."""

    prompts: int = 0
    tokens: int = 0
    rounds: int = 0
    lucky: int = 0  # rounds that accepted something
    accepted: int = 0
    ties: list = field(default_factory=list)  # (prompt, shape, place, gap)

    def add(self, other: "Report") -> None:
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))


def compare_with_greedy(pair, prompts, shapes: list[dict], new_tokens: int) -> Report:
    """Identical ids for every prompt and shape; a divergence is a tie only where the target itself is undecided."""
    report = Report(prompts=len(prompts))
    for prompt in prompts:
        plain = greedy_decode(pair.target, prompt, new_tokens)
        for shape in shapes:
            found = speculative_decode(pair, prompt, new_tokens, **shape)
            assert len(found.tokens) == new_tokens and found.stop_reason == "length"
            report.tokens += new_tokens
            report.rounds += len(found.rounds)
            report.lucky += sum(bool(r.verdict.accepted) for r in found.rounds)
            report.accepted += sum(len(r.verdict.accepted) for r in found.rounds)
            place = naive_prefix(found.tokens, plain)
            if place < new_tokens:
                gap = top_gap(pair.target, [*prompt, *plain[:place]])
                assert gap < TIE, f"prompt {prompt}, {shape}: token {place} differs at a gap of {gap}"
                report.ties.append((prompt, shape, place, gap))
    return report


def top_gap(target: Llama, tokens: list[int]) -> float:
    hidden, _ = target.forward(tokens, target.new_cache())
    second, first = np.sort(target.logits(hidden[-1]))[-2:]
    return float(first - second)


def assert_caches_hold(pair, prompt: list[int], rounds: int, shape: dict) -> int:
    """After every round both caches hold exactly what a fresh pass over the committed tokens writes.

    Returns the number of accepted drafts, so that a caller can tell that rows were really moved.
    """
    generation, text = Generation(pair, prompt), list(prompt)
    accepted = 0
    for _ in range(rounds):
        round_ = generation.step(layer_weights=[1, 2, 1], **shape)
        assert round_.start == len(text), "the cache holds every committed token but the root"
        text += [round_.root, *round_.tokens[:-1]]
        accepted += len(round_.verdict.accepted)
        assert generation.root == round_.tokens[-1]
        assert generation.cache.length == len(text), "rows of tokens that were never committed"
        assert generation.draft_cache.length == round_.start, "the draft cache holds more or less than it has read"
        target, features = pair.target.new_cache(), []
        features = pair.target.forward(text, target).features
        assert_rows(generation.cache, target, "target cache")
        draft = pair.drafter.new_cache()
        states = np.average(pair.drafter.project(features[:, : round_.start]), axis=0, weights=[1, 2, 1])
        tokens, n = np.array(text[1 : 1 + round_.start]), round_.start
        pair.drafter.forward(tokens, states.astype(np.float32), draft, np.arange(n), causal_mask(n))
        assert_rows(generation.draft_cache, draft, "draft cache")
        assert_close(generation.features, features[:, round_.start :], "features that the next draft reads")
        assert list(generation.committed.following) == [*text[1 + round_.start :], generation.root]
    return accepted


def committed(generation: Generation) -> tuple:
    """What a generation has committed, bit for bit; the caches' rows beyond it are scaffolding."""
    found = generation.committed
    caches = (generation.cache, found.rows), (generation.draft_cache, found.drafted)
    assert all(rows <= cache.length for cache, rows in caches)
    rows = [array[:, :, :n].tobytes() for cache, n in caches for array in (cache.keys, cache.values)]
    return rows, found.rows, found.drafted, found.features.tobytes(), found.following, found.root


def assert_rows(ours, fresh, what: str) -> None:
    assert ours.length == fresh.length, f"{what}: {ours.length} rows, not {fresh.length}"
    rows = slice(0, fresh.length)
    assert_close(ours.keys[:, :, rows], fresh.keys[:, :, rows], f"{what}: keys", 1e-3)
    assert_close(ours.values[:, :, rows], fresh.values[:, :, rows], f"{what}: values", 1e-3)


# ── golden runs ──────────────────────────────────────────────────────────────────────────────────


@dataclass
class Call:
    """One recorded forward pass, of the head or of the target."""

    tokens: list
    positions: list
    past: int
    hidden: np.ndarray | None
    mask: np.ndarray | None
    result: object


def spy_on_draft(patch) -> list[Call]:
    calls, original = [], EagleHead.forward

    def forward(self, tokens, hidden, cache, positions, mask):
        past = cache.length
        out = original(self, tokens, hidden, cache, positions, mask)
        calls.append(Call(list(map(int, tokens)), list(map(int, positions)), past, hidden, mask, out))
        return out

    patch.setattr(EagleHead, "forward", forward)
    return calls


def spy_on_target(patch) -> list[Call]:
    calls, original = [], Llama.forward

    def forward(self, tokens, cache, positions=None, mask=None):
        past, rotated = cache.length, []
        with pytest.MonkeyPatch.context() as inner:  # the positions that really turn the heads

            def tables(where, config):
                rotated.append(where)
                return rope_tables(where, config)

            inner.setattr("eagle_lab.llama.rope_tables", tables)
            out = original(self, tokens, cache, positions, mask)
        calls.append(Call(list(map(int, tokens)), list(map(int, rotated[0])), past, None, mask, out))
        return out

    patch.setattr(Llama, "forward", forward)
    return calls


def spy(patch, owner, name: str, results: bool = True) -> list:
    """Every result (or every tuple of arguments) of `owner.name`, in order."""
    seen, original = [], getattr(owner, name)

    def wrapper(*args, **options):
        result = original(*args, **options)
        seen.append(result if results else args)
        return result

    patch.setattr(owner, name, wrapper)
    return seen


def golden_traces() -> list[str]:
    return sorted(path.stem for path in (GOLDEN / "traces").glob("g*.json"))


def assert_replays(name: str, draft: str | None = None) -> int:
    """Replay one recorded greedy run, every number of it; returns how many rounds were excepted for their margins."""
    trace = json.loads((GOLDEN / "traces" / f"{name}.json").read_text())
    arrays = np.load(GOLDEN / "traces" / f"{name}.npz")
    pair = golden_pair(trace["target"].split("/")[1], draft or trace["draft"].split("/")[1])
    shape = {"top_k": trace["top_k"], "depth": trace["depth"] + 1, "budget": trace["total_token"] - 1}
    prompt, excepted = trace["prompt_ids"], 0
    with pytest.MonkeyPatch.context() as patch:
        target_calls = spy_on_target(patch)
        generation = Generation(pair, prompt)
    prefill = target_calls[0].result
    assert generation.root == trace["prefill"]["sampled_root"]
    assert_close(_flat(prefill.features), arrays["prefill_features"], "prefill features")
    assert_close(pair.target.logits(prefill.hidden[-1]), arrays["prefill_logits_last"], "prefill logits")
    for number, record in enumerate(trace["round_data"]):
        excepted += _margin(record) < CLOSE
        _assert_round(generation, shape, record, arrays, f"r{number}", loose=_margin(record) < CLOSE)
    _assert_output(pair, trace, shape)
    return excepted


def _margin(record: dict) -> float:
    margins = record["tree"]["rank_margin"], record["tree"]["beam_margin"], record["target_argmax_margin_min"]
    return min(margin for margin in margins if margin is not None)


def _flat(features: np.ndarray) -> np.ndarray:
    """`[taps, n, H]` in the official layout `[n, taps·H]`."""
    return features.transpose(1, 0, 2).reshape(features.shape[1], -1)


def _assert_round(generation: Generation, shape: dict, record: dict, arrays, key: str, loose: bool) -> None:
    features = _flat(generation.features)
    with pytest.MonkeyPatch.context() as patch:
        drafted, verified = spy_on_draft(patch), spy_on_target(patch)
        steps = spy(patch, EagleHead, "candidates")
        pools = spy(patch, growth, "keep_nodes", results=False)
        round_ = generation.step(layer_weights=[1, 1, 1], **shape)
    _assert_commit(generation, round_, record)
    if loose:  # two scores are nearer than float32 can tell apart: the order of the tree may differ
        assert len(round_.tree) == shape["budget"]
        return
    target = generation.target
    _assert_tree(round_, record, key)
    assert_same(verified[0].positions, record["target_position_ids"], f"{key}: target positions")
    logits = target.logits(verified[0].result.hidden)
    assert_same(logits.argmax(axis=1), record["target_argmax"], f"{key}: argmax")
    if f"{key}_node_logits" in arrays:
        assert_close(logits, arrays[f"{key}_node_logits"], f"{key}: node logits")
    if f"{key}_node_features" in arrays:
        assert_close(_flat(verified[0].result.features), arrays[f"{key}_node_features"], f"{key}: node features")
    if "draft_forward_calls" in record["tree"]:
        _assert_draft_calls(drafted, record["tree"]["draft_forward_calls"], arrays, key, features)
        _assert_expansion(steps, pools[0][0], drafted, record["tree"], generation.drafter, shape["top_k"], key)


def _assert_commit(generation: Generation, round_, record: dict) -> None:
    assert round_.root == record["tree"]["root_token"]
    assert round_.start == record["kv_len_before"]
    assert generation.cache.length == record["kv_len_after"]
    assert len(round_.verdict.accepted) == record["accept_length"]
    assert [round_.root, *round_.tokens[:-1]] == record["committed_tokens"]
    assert round_.tokens[-1] == record["bonus_token"] == round_.verdict.next_token


def _assert_tree(round_, record: dict, key: str) -> None:
    theirs = record["tree"]
    assert_same(round_.tree.tokens, theirs["draft_tokens"][1:], f"{key}: tokens")
    assert_same(round_.tree.parents, np.array(theirs["parents"][1:]) - 1, f"{key}: parents")
    assert_same([0, *round_.tree.depths], theirs["tree_position_ids"], f"{key}: tree positions")
    assert_close(round_.tree.scores, theirs["node_cum_logprob"][1:], f"{key}: cumulative scores")
    paths = {tuple(1 + n for n in round_.tree.path(leaf)) for leaf in round_.tree.leaves}
    assert paths == {tuple(n for n in row[1:] if n >= 0) for row in theirs["retrieve_indices"]}, f"{key}: leaf paths"
    assert_same([1 + n for n in round_.verdict.accepted], record["accepted_node_path"][1:], f"{key}: accepted nodes")
    if "tree_mask" in theirs:
        assert_same(round_.tree.attention_mask().astype(int), theirs["tree_mask"], f"{key}: mask")


def _assert_draft_calls(calls: list[Call], theirs: list[dict], arrays, key: str, features: np.ndarray) -> None:
    assert len(calls) == len(theirs), f"{key}: {len(calls)} passes of the head, not {len(theirs)}"
    for number, (call, record) in enumerate(zip(calls, theirs, strict=True)):
        place = f"{key}_fwd{number}"
        assert call.tokens == record["input_ids"], f"{place}: tokens"
        assert call.positions == record["position_ids"], f"{place}: positions"
        assert call.past == record["past_len"], f"{place}: rows in the draft cache"
        assert record["fc_applied"] == (number == 0)
        fed = features if number == 0 else call.hidden  # the committed tokens' pass starts from raw features
        assert_close(fed, arrays[f"{place}_hidden_in"], f"{place}: hidden in")
        assert_close(call.result, arrays[f"{place}_hidden_out"], f"{place}: hidden out")


def _assert_expansion(steps, pool, calls, theirs: dict, head: EagleHead, k: int, key: str) -> None:
    end = 0
    for level, (step, record) in enumerate(zip(steps, theirs["expansion_steps"], strict=True)):
        assert_same(step[0], head.token_ids[np.array(record["topk_index"])], f"{key} level {level}: top-k ids")
        assert_close(step[1], record["topk_logprob"], f"{key} level {level}: log-probabilities")
        rows, (start, end) = np.array(record["topk_index"]).size, (end, end + np.array(record["topk_index"]).size)
        if level:
            assert_close(pool.scores[start:end], np.ravel(record["cum_scores"]), f"{key} level {level}: scores")
        if 0 < level < len(steps) - 1:
            beam = np.array(record["next_beam_flat_index"])
            assert rows == k * k and calls[level + 1].tokens == np.ravel(step[0])[beam].tolist(), f"{key}: next beam"
            assert_close(pool.scores[start + beam], record["next_beam_scores"], f"{key}: next beam's scores")
    assert len(pool.tokens) == end
    selected = np.array(theirs["selected_flat_index"])
    assert_same(pool.tokens[selected], theirs["draft_tokens"][1:], f"{key}: kept of the pool")


def _assert_output(pair, trace: dict, shape: dict) -> None:
    prompt, theirs = trace["prompt_ids"], trace["output_ids"]
    new = len(theirs) - len(prompt)
    decoding = speculative_decode(pair, prompt, new, **shape)
    assert [*prompt, *decoding.tokens] == theirs
    accepted = [len(r.verdict.accepted) for r in decoding.rounds]
    assert accepted == trace["accept_lengths"][: len(accepted)] and len(accepted) >= len(trace["accept_lengths"]) - 1
    assert trace["tau_committed_per_round"] == pytest.approx(np.mean(trace["accept_lengths"]) + 1)
    plain = [*prompt, *greedy_decode(pair.target, prompt, new)]
    common = min(len(theirs), len(trace["naive_output_ids"]))
    assert plain == theirs and plain[:common] == trace["naive_output_ids"][:common]
