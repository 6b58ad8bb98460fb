"""Small models and trees for the tests: golden ones, and random ones built from eagle_lab's own classes."""

from functools import cache
from pathlib import Path

import numpy as np

from eagle_lab.drafter import DraftWeights, EagleHead
from eagle_lab.llama import Attention, FeedForward, Layer, Llama, LlamaConfig, causal_mask, rms_norm
from eagle_lab.pairs import Pair, load_pair
from eagle_lab.tree import CandidateTree

GOLDEN = Path(__file__).parent / "golden"
LLAMA, QWEN3 = ("target_llama_a", "draft_llama_a_trained"), ("target_qwen3_c", "draft_qwen3_c_trained")


@cache
def golden_pair(target: str, draft: str) -> Pair:
    return load_pair(target=GOLDEN / "models" / target, drafter=GOLDEN / "models" / draft)


class _Maker:
    """Random float32 weights `[in, out]` that keep the scale of what passes through them."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)

    def matrix(self, *shape: int, scale: float = 1.0) -> np.ndarray:
        return (scale * self.rng.standard_normal(shape) / np.sqrt(shape[-2])).astype(np.float32)

    def gain(self, width: int) -> np.ndarray:
        return (1 + 0.2 * self.rng.standard_normal(width)).astype(np.float32)

    def attention(self, config: LlamaConfig, inputs: int, qk_norm: bool) -> Attention:
        queries, keys = config.num_attention_heads * config.head_dim, config.num_key_value_heads * config.head_dim
        return Attention(
            q=self.matrix(inputs, queries),
            k=self.matrix(inputs, keys),
            v=self.matrix(inputs, keys),
            o=self.matrix(queries, config.hidden_size),
            q_norm=self.gain(config.head_dim) if qk_norm else None,
            k_norm=self.gain(config.head_dim) if qk_norm else None,
        )

    def feed_forward(self, config: LlamaConfig) -> FeedForward:
        hidden, inner = config.hidden_size, config.intermediate_size
        return FeedForward(self.matrix(hidden, inner), self.matrix(hidden, inner), self.matrix(inner, hidden))


def load_from(folders: Path) -> Pair:
    """The pair in the folders `target` and `drafter` of a folder."""
    return load_pair(target=folders / "target", drafter=folders / "drafter")


def random_pair(
    seed: int,
    *,
    vocab=16,
    draft_vocab=None,
    layers=7,
    hidden=16,
    heads=4,
    kv_heads=2,
    head_dim=6,
    qk_norm=False,
    tied=False,
    twins=False,
    positions=None,
) -> Pair:
    """A target that has learned nothing, and a drafter that has learned a little of it.

    `twins`: the second half of the vocabulary has the logits of the first, but for their last bits; `positions`: how
    many the target has.
    """
    maker, draft_vocab = _Maker(seed), draft_vocab or vocab
    config = LlamaConfig(vocab, hidden, 24, layers, heads, kv_heads, head_dim, max_position_embeddings=positions)
    embedding = maker.rng.standard_normal((vocab, hidden)).astype(np.float32)
    blocks = [
        Layer(
            maker.gain(hidden), maker.attention(config, hidden, qk_norm), maker.gain(hidden), maker.feed_forward(config)
        )
        for _ in range(layers)
    ]
    head = np.ascontiguousarray(embedding.T) if tied else maker.matrix(hidden, vocab, scale=3)
    if twins:
        head[:, vocab // 2 :] = np.nextafter(head[:, : vocab - vocab // 2], np.float32(np.inf))
    draft_config = LlamaConfig(vocab, hidden, 24, 1, heads, kv_heads, head_dim)
    weights = DraftWeights(
        fc=maker.matrix(3, hidden, hidden),
        embedding_norm=maker.gain(hidden),
        hidden_norm=maker.gain(hidden),
        attention=maker.attention(draft_config, 2 * hidden, qk_norm=False),
        post_norm=maker.gain(hidden),
        feed_forward=maker.feed_forward(draft_config),
        norm=maker.gain(hidden),
        head=maker.matrix(hidden, draft_vocab, scale=3),
    )
    token_ids = np.sort(maker.rng.choice(vocab, draft_vocab, replace=False))
    target = Llama(config, embedding, blocks, maker.gain(hidden), head)
    return Pair(target, _fitted(EagleHead(draft_config, weights, embedding, token_ids), target, maker.rng), None)


def _fitted(drafter: EagleHead, target: Llama, rng) -> EagleHead:
    """The same drafter, its head fitted to the target's logits on random text, so that some drafts are accepted."""
    text = rng.integers(0, target.config.vocab_size, 300)
    hidden, features = target.forward(text, target.new_cache())
    states = drafter.project(features[:, :-1]).mean(axis=0)
    n = len(states)
    out = drafter.forward(text[1:], states, drafter.new_cache(), np.arange(n), causal_mask(n))
    seen = rms_norm(out, drafter.weights.norm, drafter.config.rms_norm_eps)
    wanted = target.logits(hidden[1:])[:, drafter.token_ids]
    fitted = np.linalg.lstsq(seen, wanted, rcond=None)[0].astype(np.float32)
    return EagleHead(drafter.config, drafter.weights._replace(head=fitted), drafter.embedding, drafter.token_ids)


def random_tree(rng: np.random.Generator, size: int, vocab: int = 1000, edges=None) -> CandidateTree:
    """Any shape, parents before children, siblings with different tokens; `edges`: log-scores to choose from."""
    parents = [int(rng.integers(-1, node)) if node else -1 for node in range(size)]
    tokens, used = [], {}
    for parent in parents:
        free = [token for token in rng.permutation(vocab)[: size + 1].tolist() if token not in used.get(parent, ())]
        tokens.append(free[0])
        used.setdefault(parent, set()).add(free[0])
    log_scores = rng.choice(edges, size) if edges is not None else -rng.exponential(size=size)
    return CandidateTree(parents, tokens, log_scores)
