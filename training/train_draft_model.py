"""Trains the independent draft model of `stories`: a drafter that knows nothing of its target.

    python -m training.train_draft_model [--steps 500] [--seed 1]

It learns the language as the target did, from stories of the grammar, and not from the target's own text; its one
layer has the sizes of the EAGLE-3 head's, and it sees as many tokens in training. It reads tokens only.
"""

import argparse
import random
from pathlib import Path

import torch
import torch.nn.functional as F  # noqa: N812
from tqdm import tqdm

from training.files import ASSETS, export_target
from training.models import Shape, Target
from training.train_drafter import LENGTH
from training.train_target import CONTEXT, END_ID, learning_rate, load_tokenizer, pack, resume, save


def batch_at(tokenizer, options, step):
    """The rows of one step [batch, LENGTH + 1], the same in every run."""
    rng = random.Random(f"draft model/{options.seed}/{step}")
    return torch.tensor([pack(tokenizer, rng, LENGTH + 1) for _ in range(options.batch)])


def train(options, tokenizer):
    """Run the steps, from the last checkpoint if there is one; returns the model."""
    torch.manual_seed(options.seed)
    model = Target(Shape(tokenizer.get_vocab_size(), heads=2, kv_heads=1, feed_forward=64, layers=1))
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.95), weight_decay=0.01)
    pairs = [(optimizer, options.rate)]
    checkpoint = Path(options.work) / f"draft-model-{options.seed}.pt"
    start = resume(checkpoint, model, pairs)
    for step in (bar := tqdm(range(start, options.steps), initial=start, total=options.steps, mininterval=5)):
        optimizer.param_groups[0]["lr"] = learning_rate(step, options.steps, options.rate, warm_up=20)
        rows = batch_at(tokenizer, options, step)
        logits = model(rows[:, :-1])[0]
        loss = F.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        bar.set_postfix(loss=f"{loss.item():.3f}", refresh=False)
        if (step + 1) % 50 == 0 or step + 1 == options.steps:
            save(checkpoint, model, pairs, step + 1)
            tqdm.write(f"step {step + 1}: loss {loss.item():.3f}")
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--work", default="training/checkpoints")
    parser.add_argument("--out", default=ASSETS / "draft_model", help="folder for the exported model")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    model = train(options, load_tokenizer())
    export_target(model, END_ID, CONTEXT, options.out)
    print(f"exported: {sum(p.numel() for p in model.parameters()):,} weights")


if __name__ == "__main__":
    main()
