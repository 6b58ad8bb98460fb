"""The library's target on torch, by the same contract: bfloat16, a GPU, several sequences at once."""

import numpy as np
import torch
from torch.nn.functional import linear, pad, rms_norm, scaled_dot_product_attention, silu

from eagle_lab.inputs import check_tokens
from eagle_lab.llama import Llama, Pass, rope_tables


class TorchCache:
    """As `llama.KVCache`, on a device: keys and values `[2, layers, batch, kv heads, rows, D]`."""

    def __init__(self, config, batch: int, like: torch.Tensor):
        shape = (2, config.num_hidden_layers, batch, config.num_key_value_heads, 64, config.head_dim)
        self.both, self.length = like.new_zeros(shape), 0

    def reserve(self, rows: int) -> None:
        """Make room for `rows` more rows, doubling so that growth costs little."""
        room = self.both.shape[4]
        short = self.length + rows - room
        if short > 0:
            self.both = pad(self.both, (0, 0, 0, max(short, room)))

    def commit(self, start: int, rows) -> None:
        """Of the rows from `start` on keep `start + rows`, in that order, and drop every other one."""
        kept = torch.as_tensor(np.asarray(rows, dtype=np.int64), device=self.both.device)
        if len(kept):
            self.both[..., start : start + len(kept), :] = self.both[..., start + kept, :]
        self.length = start + len(kept)


class TorchLlama:
    """`llama.Llama` computed by torch, as a target of the same contract.

    `forward` takes tokens `[n]`, or `[batch, n]` with a cache for as many sequences. What it hands out as features are
    numpy arrays, float32; `hidden` stays where it is, and `logits` makes numpy of it.
    """

    def __init__(self, llama: Llama, dtype=torch.float32, device="cpu"):
        def put(array):  # matrices as torch multiplies fastest: [out, in]
            return None if array is None else torch.from_numpy(np.ascontiguousarray(array.T)).to(device, dtype)

        self.config, self.taps = llama.config, llama.taps
        self.embedding, self.norm, self.head = put(llama.embedding.T), put(llama.norm), put(llama.head)
        self.layers = [
            (put(layer.input_norm), [*map(put, layer.attention)], put(layer.post_norm), [*map(put, layer.feed_forward)])
            for layer in llama.layers
        ]

    def new_cache(self, batch: int = 1) -> TorchCache:
        """An empty cache for so many sequences."""
        return TorchCache(self.config, batch, self.embedding)

    @torch.inference_mode()
    def forward(self, tokens, cache: TorchCache, positions=None, mask=None) -> Pass:
        """As `Llama.forward`; `mask` bool `[n, m]`, or `[batch, n, m]`, over the last m rows."""
        shape = np.shape(tokens)
        n = shape[-1]
        ids = check_tokens(np.ravel(tokens), self.config.vocab_size, "tokens").reshape(-1, n)
        positions = cache.length + np.arange(n) if positions is None else np.asarray(positions)
        cache.reserve(n)
        rope = [self._put(table) for table in rope_tables(positions.ravel(), self.config)]
        rope = [table.reshape(*positions.shape, *table.shape[1:]) for table in rope]
        seen = self._seen(mask, n, cache.length)
        x, features = self.embedding[torch.from_numpy(ids).to(self.embedding.device)], []  # [batch, n, H]
        for index, (input_norm, attention, post_norm, feed_forward) in enumerate(self.layers):
            if index in self.taps:
                features.append(x.float().cpu().numpy())
            x = x + self._attend(self._norm(x, input_norm), attention, rope, cache, index, seen)
            gate, up, down = feed_forward
            normed = self._norm(x, post_norm)
            x = x + linear(silu(linear(normed, gate)) * linear(normed, up), down)
        cache.length += n
        tapped = np.array(features) if features else np.zeros((0, *x.shape), dtype=np.float32)
        hidden = self._norm(x, self.norm)
        wide = (*shape, x.shape[-1])
        return Pass(hidden.reshape(wide), tapped.reshape(len(tapped), *wide))

    @torch.inference_mode()
    def logits(self, hidden) -> np.ndarray:
        """The next token's logits `[…, V]` after each row of `hidden` `[…, H]`."""
        return linear(hidden, self.head).float().cpu().numpy()

    def _put(self, array) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.embedding)

    def _norm(self, x, gain):
        return rms_norm(x, gain.shape, gain, self.config.rms_norm_eps)

    def _seen(self, mask, n: int, before: int):
        """Who sees whom `[batch or 1, 1, n, before + n]`; None where each of the rows sees all."""
        if mask is None:
            if n == 1:
                return None
            mask = np.tri(n, dtype=bool)
        mask = torch.from_numpy(np.asarray(mask)).to(self.embedding.device)
        mask = mask.reshape(-1, 1, *mask.shape[-2:])
        return pad(mask, (before + n - mask.shape[-1], 0), value=True)

    def _attend(self, x, weights, rope, cache: TorchCache, index: int, seen):
        q, k, v, o, q_norm, k_norm = weights
        batch, n, _ = x.shape
        heads, d, end = self.config.num_key_value_heads, self.config.head_dim, cache.length + n
        q, k, v = (linear(x, w).reshape(batch, n, -1, d) for w in (q, k, v))
        if q_norm is not None:
            q, k = self._norm(q, q_norm), self._norm(k, k_norm)
        q, k = turn(q, rope), turn(k, rope)
        keys, values = cache.both[:, index, :, :, :end]
        keys[:, :, cache.length :], values[:, :, cache.length :] = k.transpose(1, 2), v.transpose(1, 2)
        q = q.reshape(batch, n, heads, -1, d).permute(0, 2, 3, 1, 4).reshape(batch, heads, -1, d)  # [b, kv, group·n, D]
        group = q.shape[2] // n
        seen = None if seen is None else seen.repeat(1, 1, group, 1)
        mixed = scaled_dot_product_attention(q, keys, values, attn_mask=seen)
        mixed = mixed.reshape(batch, heads, group, n, d).permute(0, 3, 1, 2, 4).reshape(batch, n, -1)
        return linear(mixed, o)


def turn(x, rope):
    """Turn the two halves of every head `[batch, n, heads, D]` by the position's angles."""
    cos, sin = rope
    halves = x.reshape(*x.shape[:-1], 2, -1)
    return (halves * cos + halves.flip(-2) * sin).reshape(x.shape)
