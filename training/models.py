"""The two models in torch, for training only: the target (Llama layout) and its EAGLE-3 head.

The runtime has its own numpy forward; these classes carry exactly the tensor names of the exported files.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn


@dataclass
class Shape:
    """The sizes of a model; the drafter uses one layer of its own sizes."""

    vocab: int
    hidden: int = 128
    heads: int = 4
    kv_heads: int = 2
    head_dim: int = 32
    feed_forward: int = 344
    layers: int = 9
    draft_vocab: int = 0
    eps: float = 1e-5
    theta: float = 10000.0

    @property
    def taps(self):
        """Layers whose incoming residual stream EAGLE-3 reads."""
        return 2, self.layers // 2, self.layers - 3


class RMSNorm(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


def rope_table(length, head_dim, theta, device=None):
    """cos and sin, each [length, head_dim], in the rotate-half arrangement."""
    frequency = theta ** (-torch.arange(0, head_dim, 2, device=device) / head_dim)
    angle = torch.outer(torch.arange(length, device=device), frequency).repeat(1, 2)
    return angle.cos(), angle.sin()


def rotate(x, table):
    cos, sin = table
    left, right = x.chunk(2, -1)
    return x * cos + torch.cat((-right, left), -1) * sin


class Attention(nn.Module):
    """Grouped-query attention; `width` is the width of its input (2H in the drafter)."""

    def __init__(self, shape, width):
        super().__init__()
        self.shape = shape
        self.q_proj = nn.Linear(width, shape.heads * shape.head_dim, bias=False)
        self.k_proj = nn.Linear(width, shape.kv_heads * shape.head_dim, bias=False)
        self.v_proj = nn.Linear(width, shape.kv_heads * shape.head_dim, bias=False)
        self.o_proj = nn.Linear(shape.heads * shape.head_dim, shape.hidden, bias=False)

    def split(self, x, rope):
        """Rotated queries, rotated keys and values, each [batch, heads, length, head_dim]."""
        return self.queries(x, rope), *self.keys(x, rope)

    def queries(self, x, rope):
        """Rotated queries [batch, heads, length, head_dim]."""
        return rotate(self.q_proj(x).unflatten(-1, (-1, self.shape.head_dim)).transpose(1, 2), rope)

    def keys(self, x, rope):
        """Rotated keys, and values, each [batch, kv heads, length, head_dim]."""
        k, v = (p(x).unflatten(-1, (-1, self.shape.head_dim)).transpose(1, 2) for p in (self.k_proj, self.v_proj))
        return rotate(k, rope), v

    def recall(self, q, keys, values, own, first):
        """What rows from `first` on make of the rows that are known, and of the rows that they drafted since.

        In the step after n drafted ones row p sees the known rows up to p - n, and of every drafted step i its own
        ancestor, row p - n + i. `own`: (keys, values) of each drafted step, for the rows from `first` on.
        """
        length, d = q.shape[2:]
        kv_heads, steps = keys.shape[1], len(own)
        q = q.unflatten(1, (kv_heads, -1)) * d**-0.5  # [batch, kv heads, group, length, D]
        scores = q.flatten(2, 3) @ keys.mT
        scores = scores.unflatten(2, q.shape[2:4])  # [batch, kv heads, group, length, rows]
        row, column = torch.arange(length, device=q.device), torch.arange(keys.shape[2], device=q.device)
        hidden = column > row[:, None] + first - steps
        scores = scores.masked_fill(hidden, -1e9)
        shifted = [[F.pad(part, (0, 0, steps - i, 0))[:, :, :length] for part in pair] for i, pair in enumerate(own, 1)]
        later = [(q * k[:, :, None]).sum(-1, keepdim=True) for k, _ in shifted]
        law = torch.cat([scores, *later], -1).softmax(-1)
        mixed = (law[..., : keys.shape[2]].flatten(2, 3) @ values).unflatten(2, q.shape[2:4])
        for i, (_, v) in enumerate(shifted):
            mixed = mixed + law[..., keys.shape[2] + i, None] * v[:, :, None]
        return self.o_proj(mixed.flatten(1, 2).transpose(1, 2).flatten(2))

    def mix(self, q, k, v, mask=None):
        """Attend and project; without a mask, causally (a single query sees every key)."""
        repeat = self.shape.heads // self.shape.kv_heads
        k, v = k.repeat_interleave(repeat, 1), v.repeat_interleave(repeat, 1)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None and q.shape[2] > 1)
        return self.o_proj(out.transpose(1, 2).flatten(2))


class MLP(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.gate_proj = nn.Linear(shape.hidden, shape.feed_forward, bias=False)
        self.up_proj = nn.Linear(shape.hidden, shape.feed_forward, bias=False)
        self.down_proj = nn.Linear(shape.feed_forward, shape.hidden, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.input_layernorm = RMSNorm(shape.hidden, shape.eps)
        self.self_attn = Attention(shape, shape.hidden)
        self.post_attention_layernorm = RMSNorm(shape.hidden, shape.eps)
        self.mlp = MLP(shape)

    def forward(self, x, rope, cache=None):
        """`cache`: an empty list, or [keys, values] of the tokens before a single new one."""
        q, k, v = self.self_attn.split(self.input_layernorm(x), rope)
        if cache is not None:
            if cache:
                k, v = torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
            cache[:] = k, v
        x = x + self.self_attn.mix(q, k, v)
        return x + self.mlp(self.post_attention_layernorm(x))


class Decoder(nn.Module):
    """The part of the target that Hugging Face calls `model`."""

    def __init__(self, shape):
        super().__init__()
        self.embed_tokens = nn.Embedding(shape.vocab, shape.hidden)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.norm = RMSNorm(shape.hidden, shape.eps)


class Target(nn.Module):
    """A Llama-like language model with a tied head."""

    def __init__(self, shape):
        super().__init__()
        self.shape, self.model = shape, Decoder(shape)
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                deep = name.endswith(("o_proj.weight", "down_proj.weight"))  # what writes into the residual stream
                width = parameter.shape[1] ** -0.5 * (0.35 if deep else 1)
                nn.init.normal_(parameter, std=0.05 if "embed" in name else width)

    def forward(self, ids, caches=None):
        """Token ids [batch, length] -> logits [batch, length, vocab], features (three of [batch, length, hidden]).

        `caches`: one list per layer, filled by a first call; after that, one new token a call.
        """
        x = self.model.embed_tokens(ids)
        past = caches[0][0].shape[2] if caches and caches[0] else 0
        rope = [t[past:] for t in rope_table(past + ids.shape[1], self.shape.head_dim, self.shape.theta)]
        features = []
        for index, layer in enumerate(self.model.layers):
            if index in self.shape.taps:
                features.append(x)
            x = layer(x, rope, None if caches is None else caches[index])
        return F.linear(self.model.norm(x), self.model.embed_tokens.weight), features


class DraftLayer(nn.Module):
    """The official `midlayer`: attention from [embedding, feature], then SwiGLU."""

    def __init__(self, shape):
        super().__init__()
        self.hidden_norm = RMSNorm(shape.hidden, shape.eps)
        self.input_layernorm = RMSNorm(shape.hidden, shape.eps)
        self.self_attn = Attention(shape, 2 * shape.hidden)
        self.post_attention_layernorm = RMSNorm(shape.hidden, shape.eps)
        self.mlp = MLP(shape)

    def inputs(self, embedded, h):
        return torch.cat((self.input_layernorm(embedded), self.hidden_norm(h)), -1)

    def finish(self, h, attended):
        """Residual on the un-normed feature, then the feed-forward part."""
        h = h + attended
        return h + self.mlp(self.post_attention_layernorm(h))


class Drafter(nn.Module):
    """An EAGLE-3 head over a reduced vocabulary; tokens are embedded by the target."""

    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.fc = nn.Linear(3 * shape.hidden, shape.hidden, bias=False)
        self.midlayer = DraftLayer(shape)
        self.norm = RMSNorm(shape.hidden, shape.eps)
        self.lm_head = nn.Linear(shape.hidden, shape.draft_vocab, bias=False)

    def fuse(self, features, weights):
        """h = sum over l of 3 α_l W_l f_l; `weights` [batch, 3] or [3] sum to 1."""
        weights = 3 * weights.reshape(-1, 3)
        return self.fc(torch.cat([f * weights[:, i, None, None] for i, f in enumerate(features)], -1))

    def logits(self, out):
        return self.lm_head(self.norm(out))
