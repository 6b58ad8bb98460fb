"""Trains the EAGLE-3 head of the `stories` pair on text that the exported target wrote itself.

    python -m training.train_drafter [--steps 500] [--seed 1]

The lesson is dialled in three places: few sequences and a narrow layer leave drafts that fail as often as a class
needs; `fc` starts even over the three taps; and part of the sequences carry layer weights drawn from a Dirichlet
distribution around equal weights, so that moving a slider costs a little near the centre and more at the corners.
"""

import argparse
import random
from pathlib import Path

import torch
import torch.nn.functional as F  # noqa: N812
from tqdm import tqdm

from training import grammar
from training.files import ASSETS, export_drafter, load_drafter, load_target
from training.models import Drafter, Shape, rope_table
from training.train_target import CONTEXT, END_ID, generate, learning_rate, load_tokenizer, resume, save

PROMPT, LENGTH = 24, 200  # tokens of a training story that the target continues; tokens of a training sequence
TEST_STEPS, DECAY = 4, 0.8  # training-time test: draft steps, weight of each further step


def self_generated(target, tokenizer, count, seed):
    """`count` rows of LENGTH tokens that the target continued, half of them greedily, half at temperature 0.8."""
    rows = []
    for language in grammar.LANGUAGES:
        for temperature in (0.0, 0.8):
            rng = random.Random(f"drafter/{seed}/{language}/{temperature}")
            starts = [tokenizer.encode(grammar.make_story(language, rng).text).ids[:PROMPT] for _ in range(count // 4)]
            generator = torch.Generator().manual_seed(seed)
            rows.append(generate(target, torch.tensor(starts), LENGTH - PROMPT, temperature, generator))
    return torch.cat(rows)


def layer_weights(batch, share, strength, generator):
    """[batch, 3]: equal weights, but for a `share` of the rows drawn from Dirichlet(strength × 3)."""
    gamma = torch._standard_gamma(torch.full((batch, 3), strength), generator=generator)
    drawn = gamma / gamma.sum(1, keepdim=True)
    mixed = torch.rand(batch, 1, generator=generator) < share
    return torch.where(mixed, drawn, torch.full((batch, 3), 1 / 3))


def draft_mask(length, step):
    """Who a row of draft step `step` sees: [length, (step + 1) * length], true where visible.

    Row p of step j stands j tokens after the features it knows: it sees the rows of step 0 up to p - j (they carry
    the target's features), and of every later step i its own ancestor, row p - j + i.
    """
    row, column = torch.arange(length)[:, None], torch.arange(length)[None]
    known = column <= row - step
    ancestors = [column == row - step + i for i in range(1, step + 1)]
    mask = torch.cat([known, *ancestors], 1)
    mask[:step, 0] = True  # rows without a past: any column keeps the softmax finite; their loss is masked
    return mask


def unrolled_loss(drafter, embedded, features, teacher, weights):
    """Mean soft cross-entropy over TEST_STEPS draft steps.

    embedded [B, T, H]: token t+1 at row t; features: three of [B, T, H]; teacher [B, T, Vd]: the target's
    distribution of token t+2.  Also returns the greedy agreement of each step.
    """
    attention, length = drafter.midlayer.self_attn, embedded.shape[1]
    rope = rope_table(length, drafter.shape.head_dim, drafter.shape.theta)
    h, keys, values, loss, agreement = drafter.fuse(features, weights), [], [], 0.0, []
    for step in range(TEST_STEPS):
        q, k, v = attention.split(drafter.midlayer.inputs(embedded, h), rope)
        keys.append(k)
        values.append(v)
        attended = attention.mix(q, torch.cat(keys, 2), torch.cat(values, 2), draft_mask(length, step))
        out = drafter.midlayer.finish(h, attended)
        logits = drafter.logits(out)[:, step:]
        loss = loss - DECAY**step * (teacher[:, step:] * F.log_softmax(logits, -1)).sum(-1).mean()
        agreement.append((logits.argmax(-1) == teacher[:, step:].argmax(-1)).float().mean().item())
        h = F.pad(out[:, :-1], (0, 0, 1, 0))  # the next step stands one token later
    return loss / sum(DECAY**i for i in range(TEST_STEPS)), agreement


@torch.no_grad()
def study(target, rows, kept):
    """(embedded, features, teacher) of some rows: what the drafter sees and what it should say."""
    logits, features = target(rows[:, :-1])
    embedded = target.model.embed_tokens(rows[:, 1:])[:, :-1]
    return embedded, [f[:, :-1] for f in features], logits[:, 1:, kept].softmax(-1)


def fresh_drafter(target, kept, options):
    """fc even over the taps; the head from the target's rows times its final gain."""
    shape = Shape(
        target.shape.vocab,
        target.shape.hidden,
        heads=2,
        kv_heads=1,
        head_dim=32,
        feed_forward=options.ff,
        layers=1,
        draft_vocab=len(kept),
    )
    drafter = Drafter(shape)
    for parameter in drafter.parameters():
        if parameter.dim() == 2:
            torch.nn.init.normal_(parameter, std=0.05)
    with torch.no_grad():
        drafter.fc.weight.copy_(torch.eye(shape.hidden).repeat(1, 3) / 3)
        drafter.lm_head.weight.copy_(target.model.embed_tokens.weight[kept] * target.model.norm.weight)
    return drafter


def train(options, target, rows, kept):
    """Run the steps, from the last checkpoint if there is one; returns the drafter."""
    torch.manual_seed(options.seed)
    drafter = fresh_drafter(target, kept, options)
    optimizer = torch.optim.AdamW(drafter.parameters(), betas=(0.9, 0.95), weight_decay=0.01)
    pairs = [(optimizer, options.rate)]
    checkpoint = Path(options.work) / f"drafter-{options.seed}.pt"
    start = resume(checkpoint, drafter, pairs)
    for step in (bar := tqdm(range(start, options.steps), initial=start, total=options.steps, mininterval=5)):
        optimizer.param_groups[0]["lr"] = learning_rate(step, options.steps, options.rate, warm_up=20)
        generator = torch.Generator().manual_seed(1000 * options.seed + step)
        batch = rows[torch.randint(len(rows), (options.batch,), generator=generator)]
        weights = layer_weights(options.batch, options.share, options.strength, generator)
        loss, agreement = unrolled_loss(drafter, *study(target, batch, kept), weights)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(drafter.parameters(), 1.0)
        optimizer.step()
        bar.set_postfix(loss=f"{loss.item():.3f}", agree=" ".join(f"{a:.2f}" for a in agreement), refresh=False)
        if (step + 1) % 50 == 0 or step + 1 == options.steps:
            save(checkpoint, drafter, pairs, step + 1)
            tqdm.write(f"step {step + 1}: loss {loss.item():.3f}, agreement {agreement}")
    return drafter


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--sequences", type=int, default=640)
    parser.add_argument("--ff", type=int, default=64)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--share", type=float, default=0.55, help="share of sequences with drawn layer weights")
    parser.add_argument("--strength", type=float, default=1.6, help="of the Dirichlet distribution")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--work", default="training/checkpoints")
    parser.add_argument("--target", default=ASSETS / "target", help="folder of the target")
    parser.add_argument("--out", default=ASSETS / "drafter", help="folder for the exported head")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    target, tokenizer = load_target(options.target), load_tokenizer()
    rows = self_generated(target, tokenizer, options.sequences, options.seed)
    kept = sorted(set(rows.flatten().tolist()))
    print(f"{rows.numel()} tokens by the target itself, draft vocabulary {len(kept)} of {target.shape.vocab}")
    drafter = train(options, target, rows, kept)
    export_drafter(drafter, kept, END_ID, CONTEXT, options.out)
    rounded, _ = load_drafter(options.out)
    with torch.no_grad():
        _, agreement = unrolled_loss(rounded, *study(target, rows[::8], kept), torch.full((1, 3), 1 / 3))
    print("exported; agreement after rounding to fp16:", " ".join(f"{a:.3f}" for a in agreement))


if __name__ == "__main__":
    main()
