"""Trains one drafter on what its target wrote: the head, or one of its rivals.

    python -m training.train head --out eagle_lab/assets/smollm2/drafter

A run that was stopped goes on from its last checkpoint in `--work` as if nothing had happened: batches and rates follow
from the step alone. What is kept is the mean over the last steps (EMA).
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from training.drafters import FeatureHead, PositionHeads, Reader, TokenReader
from training.files import export_drafter
from training.models import Shape
from training.study import TAPS, Study, open_study
from training.targets import device, open_target
from training.train_target import learning_rate, resume, save

KINDS = ("head", "reader", "positions")
EMA, SAVED_EVERY, JUDGED_EVERY = 0.995, 50, 200


def draft_vocabulary(study: Study, size: int) -> np.ndarray:
    """The ids that stand in the target's answers most often, ascending; of equal ones the lower."""
    texts = study.texts
    answer = np.arange(len(texts.ids)) - texts.starts.repeat(texts.lengths) >= texts.prompts.repeat(texts.lengths)
    counts = np.bincount(texts.ids[answer])
    return np.sort(np.argsort(-counts, kind="stable")[:size])


def tap_sizes(study: Study) -> list[float]:
    """The root mean square of each tap over rows of answers."""
    rows = np.flatnonzero(study.norms)[::97]
    return [float(np.sqrt((study.states[rows, tap].astype(np.float32) ** 2).mean())) for tap in range(TAPS)]


def batches(texts, size: int, epoch: int, seed: int) -> list[np.ndarray]:
    """All texts once, `size` at a time: those of like length together, the batches in a drawn order."""
    rng = np.random.default_rng((seed, epoch))
    order = rng.permutation(len(texts.lengths))
    pools = [order[i : i + 16 * size] for i in range(0, len(order), 16 * size)]
    sorted_ = [pool[np.lexsort((texts.lengths[pool], texts.prompts[pool]))] for pool in pools]
    found = [pool[i : i + size] for pool in sorted_ for i in range(0, len(pool), size)]
    return [found[i] for i in rng.permutation(len(found))]


def make(kind: str, shape: Shape, head, sizes, steps: int):
    """An untrained drafter."""
    if kind == "reader":
        return TokenReader(shape, head)
    return FeatureHead(shape, head, sizes) if kind == "head" else PositionHeads(shape, head, sizes, steps)


@torch.no_grad()
def judge(drafter, mean: dict, reader: Reader, ends, steps: int):
    """(loss, share of right choices by step) of a drafter with its mean weights, on a study."""
    now = {name: value.clone() for name, value in drafter.state_dict().items()}
    drafter.load_state_dict(mean)
    asked = [drafter.ask(reader.batch(chosen, ends), steps) for chosen in batches(reader.study.texts, 8, 0, 0)]
    drafter.load_state_dict(now)
    right, rows = (np.sum([getattr(each, name) for each in asked], axis=0) for name in ("right", "rows"))
    return float(np.mean([each.loss().item() for each in asked])), (right / rows).round(3).tolist()


def train(options, drafter, reader: Reader, validation: Reader):
    """Run the steps, from the last checkpoint if there is one; the drafter ends up with the mean weights."""
    optimizer = torch.optim.AdamW(drafter.parameters(), betas=(0.9, 0.95), weight_decay=0.01)
    mean = {name: value.clone() for name, value in drafter.state_dict().items()}
    pairs, checkpoint = [(optimizer, options.rate)], Path(options.work) / f"{options.name}.pt"
    start = resume(checkpoint, drafter, pairs, mean)
    per_epoch = len(batches(reader.study.texts, options.batch, 0, options.seed))
    order, current = None, -1
    for step in (bar := tqdm(range(start, options.steps), initial=start, total=options.steps, mininterval=10)):
        if step // per_epoch != current:
            current = step // per_epoch
            order = batches(reader.study.texts, options.batch, current, options.seed)
        optimizer.param_groups[0]["lr"] = learning_rate(step, options.steps, options.rate)
        asked = drafter.ask(reader.batch(order[step % per_epoch], options.ends), options.depth)
        loss = asked.loss()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(drafter.parameters(), 1.0)
        optimizer.step()
        keep = min(EMA, (step + 1) / (step + 10))
        for name, value in drafter.state_dict().items():
            mean[name].lerp_(value, 1 - keep)
        right = " ".join(f"{a / max(b, 1):.2f}" for a, b in zip(asked.right, asked.rows, strict=True))
        bar.set_postfix(loss=f"{loss.item():.3f}", right=right, refresh=False)
        last = step + 1 == options.steps
        if (step + 1) % SAVED_EVERY == 0 or last:
            save(checkpoint, drafter, pairs, step + 1, mean)
        if (step + 1) % JUDGED_EVERY == 0 or last:
            found = judge(drafter, mean, validation, options.ends, options.depth)
            tqdm.write(f"{options.name} step {step + 1}: validation {found}")
    drafter.load_state_dict(mean)
    return drafter


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--target", default="smollm2", help="smollm2, or a Hugging Face folder")
    parser.add_argument("--study", default="training/checkpoints/train", help="folder that study.py wrote")
    parser.add_argument("--validation", default="training/checkpoints/validation")
    parser.add_argument("--steps", type=int, default=1400)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--depth", type=int, default=5, help="steps of training-time test")
    parser.add_argument("--vocabulary", type=int, default=3072)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--work", default="training/checkpoints")
    parser.add_argument("--name", help="of the checkpoint; default: the kind")
    parser.add_argument("--out", help="folder for the exported drafter")
    options = parser.parse_args()
    options.name = options.name or options.kind
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    study, pair = open_study(options.study), open_target(options.target)
    target, options.ends = pair.target, pair.eos_ids
    kept, config = draft_vocabulary(study, options.vocabulary), target.config
    reader, validation = (Reader(each, target, kept, device()) for each in (study, open_study(options.validation)))
    shape = Shape(
        config.vocab_size, config.hidden_size, config.num_attention_heads, config.num_key_value_heads, config.head_dim,
        config.intermediate_size, 1, len(kept), config.rms_norm_eps,
    )  # fmt: skip
    sizes = tap_sizes(study)
    drafter = make(options.kind, shape, reader.head.cpu(), sizes, options.depth).to(device())
    print(f"{options.kind}: {sum(p.numel() for p in drafter.parameters()):,} weights; taps of {sizes}", flush=True)
    train(options, drafter, reader, validation)
    if options.out:
        export_drafter(
            drafter, kept.tolist(), options.ends[0], config.max_position_embeddings, options.out, options.kind
        )


if __name__ == "__main__":
    main()
