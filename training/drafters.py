"""The drafters in torch, and what each is asked: the EAGLE-3 head, a one-layer reader, independent position heads.

All three have one layer of the target's sizes, a head over the same draft vocabulary, and the same teacher, the
target's own law. Shapes: B texts, R rows of a text, Q rows of an answer, H hidden, Vd draft vocabulary. Row p stands at
position p; its token is the one at p, and what it drafts first is token p + 2, for the reader token p + 1.
"""

from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

from training.models import Drafter, Layer, RMSNorm, rope_table
from training.study import TAPS, Study

DECAY = 0.8  # weight of each further step in the loss


class Batch(NamedTuple):
    """Some texts, padded on the right; `first`: the first row of any answer."""

    embedded: torch.Tensor  # [B, R + 1, H] of all tokens
    features: list[torch.Tensor]  # TAPS × [B, R, H]
    teacher: torch.Tensor  # [B, R + 1, Vd]: the target's law after each row, 0 where it does not count
    choices: torch.Tensor  # [B, R + 1]: where its choice stands in the draft vocabulary, −1 where it does not
    known: torch.Tensor  # [B, R + 1], bool: rows of the answer, from the last of the prompt on
    first: int


class Reader:
    """Makes batches of a study for one draft vocabulary."""

    def __init__(self, study: Study, target, kept: np.ndarray, device="cpu"):
        self.study, self.kept, self.device = study, kept, device
        self.embedding = torch.from_numpy(target.embedding).to(device)
        self.head = torch.from_numpy(np.ascontiguousarray(target.head[:, kept].T)).to(device)  # [Vd, H]
        self.places = np.full(target.config.vocab_size, -1)
        self.places[kept] = np.arange(len(kept))

    def batch(self, chosen: np.ndarray, ends) -> Batch:
        """The texts `chosen`; the row of an end token teaches nothing."""
        texts, states, choices, norms = self.study
        lengths, prompts = texts.lengths[chosen], texts.prompts[chosen]
        room = int(lengths.max())
        ids = np.zeros((len(chosen), room), np.int64)
        known, picked = np.zeros(ids.shape, bool), np.full(ids.shape, -1)
        state = np.zeros((*ids.shape, TAPS + 1, states.shape[-1]), np.float32)
        norm = np.zeros(ids.shape, np.float32)
        for row, (text, length, prompt) in enumerate(zip(chosen, lengths, prompts, strict=True)):
            place = slice(texts.starts[text], texts.starts[text] + length)
            ids[row, :length], state[row, :length] = texts.ids[place], states[place]
            known[row, prompt - 1 : length] = ~np.isin(texts.ids[place][prompt - 1 :], ends)
            picked[row, prompt - 1 : length] = self.places[choices[place]][prompt - 1 :]
            norm[row, prompt - 1 : length] = norms[place][prompt - 1 :]
        state, known, picked, norm, ids = (
            torch.from_numpy(a).to(self.device) for a in (state, known, picked, norm, ids)
        )
        first = int(prompts.min()) - 1
        law = (F.linear(state[:, first:, TAPS], self.head) - norm[:, first:, None]).exp()
        law = F.pad(law * known[:, first:, None], (0, 0, first, 0))
        features = [state[:, :-1, tap] for tap in range(TAPS)]
        return Batch(self.embedding[ids], features, law, picked, known, first)


def soft_loss(logits, teacher, choices, counted):
    """(sum of the cross-entropies, how many choices are the teacher's, how many rows) over the counted rows."""
    logits, teacher, choices = logits[counted], teacher[counted], choices[counted]
    return -(teacher * F.log_softmax(logits, -1)).sum(), (logits.argmax(-1) == choices).sum().item(), len(logits)


class Asked:
    """What was asked of a drafter so far: the loss by step, and the share of right choices."""

    def __init__(self):
        self.losses, self.right, self.rows = [], [], []

    def add(self, loss, right: int, rows: int) -> None:
        """One more step."""
        self.losses.append(loss / max(rows, 1))
        self.right.append(right)
        self.rows.append(rows)

    def loss(self):
        """The mean over the steps, each weighing DECAY times the one before."""
        weights = [DECAY**step for step in range(len(self.losses))]
        return sum(w * loss for w, loss in zip(weights, self.losses, strict=True)) / sum(weights)


class FeatureHead(Drafter):
    """The EAGLE-3 head, asked for as many steps as the training-time test has."""

    def __init__(self, shape, head, sizes):
        super().__init__(shape)
        start(self, head)
        with torch.no_grad():  # what each tap brings in has the size of one feature's third
            self.fc.weight.copy_(torch.cat([torch.eye(shape.hidden) / (TAPS * size) for size in sizes], 1))

    def ask(self, batch: Batch, steps: int) -> Asked:
        """The first step reads features; every further one its own output of the row before."""
        asked, rows, own = Asked(), slice(batch.first, None), []
        attention, layer = self.midlayer.self_attn, self.midlayer
        known, rope, h, x = self.read(batch)
        for step in range(steps):
            q = attention.queries(x, rope)
            if step:
                own.append(attention.keys(x, rope))
            out = layer.finish(h, attention.recall(q, *known, own, batch.first))
            counted = batch.known[:, :-1].clone()
            counted[:, step:] &= batch.known[:, : counted.shape[1] - step]
            counted[:, : batch.first + step] = False
            counted = (counted & batch.known[:, 1:])[:, rows]
            teacher, choices = batch.teacher[:, 1:][:, rows], batch.choices[:, 1:][:, rows]
            asked.add(*soft_loss(self.logits(out), teacher, choices, counted))
            h = F.pad(out[:, :-1], (0, 0, 1, 0))
            x = layer.inputs(batch.embedded[:, 1:][:, rows], h)
        return asked

    def read(self, batch: Batch):
        """(keys and values of all rows; of the answers' rows: RoPE, fused features, and what the layer is shown)."""
        embedded, rows = batch.embedded[:, 1:], slice(batch.first, None)
        rope = rope_table(embedded.shape[1], self.shape.head_dim, self.shape.theta, embedded.device)
        h = self.fc(torch.cat(batch.features, -1))
        x = self.midlayer.inputs(embedded, h)
        return self.midlayer.self_attn.keys(x, rope), [part[rows] for part in rope], h[:, rows], x[:, rows]


class PositionHeads(FeatureHead):
    """The same layer, which then drafts all positions at once: one block for each further one, none knows another."""

    def __init__(self, shape, head, sizes, positions: int):
        super().__init__(shape, head, sizes)
        self.blocks = nn.ModuleList(nn.Linear(shape.hidden, shape.hidden, bias=False) for _ in range(positions - 1))
        for block in self.blocks:
            nn.init.zeros_(block.weight)

    def ask(self, batch: Batch, steps: int) -> Asked:
        """Step j asks for the token j places further on, of the same rows."""
        asked, rows, layer = Asked(), slice(batch.first, None), self.midlayer
        known, rope, h, x = self.read(batch)
        q = layer.self_attn.queries(x, rope)
        out = layer.finish(h, layer.self_attn.recall(q, *known, [], batch.first))
        for step in range(steps):
            wide = out if not step else out + F.silu(self.blocks[step - 1](out))
            seen = wide[:, : wide.shape[1] - step]
            counted = (batch.known[:, : batch.known.shape[1] - 1 - step] & batch.known[:, 1 + step :])[:, rows]
            teacher, choices = batch.teacher[:, 1 + step :][:, rows], batch.choices[:, 1 + step :][:, rows]
            asked.add(*soft_loss(self.logits(seen), teacher, choices, counted))
        return asked


class TokenReader(nn.Module):
    """An independent model of one layer: it reads tokens alone, by the target's embedding."""

    def __init__(self, shape, head):
        super().__init__()
        self.shape, self.model = shape, nn.Module()
        self.model.layers = nn.ModuleList([Layer(shape)])
        self.model.norm = RMSNorm(shape.hidden, shape.eps)
        self.lm_head = nn.Linear(shape.hidden, len(head), bias=False)
        start(self, head)

    def ask(self, batch: Batch, steps: int) -> Asked:
        """One step: drafting asks it nothing that training does not."""
        asked, first, x = Asked(), batch.first + 1, batch.embedded
        (layer,) = self.model.layers
        table = rope_table(x.shape[1], self.shape.head_dim, self.shape.theta, x.device)
        normed = layer.input_layernorm(x)
        keys, values = layer.self_attn.keys(normed, table)
        q = layer.self_attn.queries(normed[:, first:], [part[first:] for part in table])
        out = x[:, first:] + layer.self_attn.recall(q, keys, values, [], first)
        out = out + layer.mlp(layer.post_attention_layernorm(out))
        counted = (batch.known[:, :-1] & batch.known[:, 1:])[:, batch.first :]
        logits = self.lm_head(self.model.norm(out))
        asked.add(*soft_loss(logits, batch.teacher[:, first:], batch.choices[:, first:], counted))
        return asked


def start(drafter: nn.Module, head: torch.Tensor) -> None:
    """Small random matrices; the head from the target's own rows."""
    for name, parameter in drafter.named_parameters():
        if parameter.dim() == 2:
            deep = name.endswith(("o_proj.weight", "down_proj.weight"))
            nn.init.normal_(parameter, std=parameter.shape[1] ** -0.5 * (0.35 if deep else 1))
    with torch.no_grad():
        drafter.lm_head.weight.copy_(head)
