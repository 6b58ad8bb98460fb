"""Trains the target of the `stories` pair and exports it.

    python -m training.train_target [--steps 1800] [--seed 1]

Every batch is drawn from the grammar by a generator seeded with the step, so a run that was stopped goes on from its
last checkpoint as if nothing had happened. Each sequence starts with the start of a story; further stories follow it.
"""

import argparse
import math
import random
from pathlib import Path

import torch
import torch.nn.functional as F  # noqa: N812
from tokenizers import Tokenizer
from tqdm import tqdm

from training import grammar
from training.files import ASSETS, export_target, load_target
from training.models import Shape, Target
from training.muon import Muon

CONTEXT = 320
END_ID = 1
EMPHASIS = 4.0, 2.0  # what a word to be taken up again weighs in the loss of each phase; any other weighs 1


def load_tokenizer():
    return Tokenizer.from_file(str(ASSETS / "target" / "tokenizer.json"))


def pack(tokenizer, rng, length):
    """One row of token ids: stories with their end tokens, cut at `length`."""
    row = []
    for story in grammar.story_stream(rng):
        row += [*tokenizer.encode(story.text).ids, END_ID]
        if len(row) >= length:
            return row[:length]


def batch_at(tokenizer, options, step):
    """The batch of one step, the same in every run: short rows in the first phase, whole contexts in the second."""
    rng = random.Random(f"target/{options.seed}/{step}")
    first = step < options.first_phase * options.steps
    rows, length = (2 * options.batch, CONTEXT // 2) if first else (options.batch, CONTEXT)
    return torch.tensor([pack(tokenizer, rng, length + 1) for _ in range(rows)]), EMPHASIS[0 if first else 1]


def disturb(inputs, copied, generator, share=0.3, strong=0.4, weak=0.02):
    """The inputs with ordinary words replaced by others of the batch, in some stretches many, elsewhere few.

    What should be predicted stays as it was written: so the model learns to follow names and objects through
    sentences that it has never seen.
    """
    rows, length = inputs.shape
    stretches = torch.rand(rows, length // 12 + 1, generator=generator) < share
    chance = torch.where(stretches, strong, weak).repeat_interleave(12, 1)[:, :length]
    others = inputs.flatten()[torch.randperm(inputs.numel(), generator=generator)].view_as(inputs)
    chosen = (torch.rand(rows, length, generator=generator) < chance) & ~copied[inputs] & ~copied[others]
    return torch.where(chosen & (inputs != END_ID) & (others != END_ID), others, inputs)


def copied_words(tokenizer):
    """[vocab] bool: names, objects and their adjectives, the words that a story takes up again."""
    mask = torch.zeros(tokenizer.get_vocab_size(), dtype=torch.bool)
    for language, data in grammar.LANGUAGES.items():
        own = [word for details in data.OBJECTS.values() for word in details[-3].split() if word[0] != "-"]
        for word in [*data.GIRLS, *data.BOYS, *data.OBJECTS, *data.ADJECTIVES, *own]:
            mask[tokenizer.encode(" " + word if language == "en" else word).ids] = True
    return mask


@torch.no_grad()
def held_out_accuracy(model, tokenizer, language, split, count=40):
    """(loss, accuracy where a name recurs, accuracy where the title's object recurs) on stories of a held-out split."""
    losses, hits = [], {"name": [], "object": []}
    for story in grammar.held_out_stories(language, count, split=split):
        ids = [*tokenizer.encode(story.text).ids, END_ID]
        logits = model(torch.tensor([ids[:-1]]))[0][0]
        losses.append(F.cross_entropy(logits, torch.tensor(ids[1:])).item())
        space = " " if language == "en" else ""
        kinds = {
            tokenizer.encode(space + word).ids[0]: kind
            for kind, words in (("name", story.names), ("object", [story.noun]))
            for word in words
        }
        guesses = logits.argmax(-1).tolist()
        for at in range(1, len(ids)):
            kind = kinds.get(ids[at])
            if kind and ids[at] in ids[:at]:
                hits[kind].append(guesses[at - 1] == ids[at])
    mean = lambda values: sum(values) / len(values)  # noqa: E731
    return mean(losses), mean(hits["name"]), mean(hits["object"])


def report(model, tokenizer):
    """Print the stop test; true when names and objects recur with 0.8 at least after held-out openings."""
    good = True
    for language in grammar.LANGUAGES:
        for split in ("opening", "held"):
            loss, name, thing = held_out_accuracy(model, tokenizer, language, split)
            tqdm.write(f"  {language}, {split}: loss {loss:.3f}, names {name:.3f}, object {thing:.3f}")
            good &= split == "held" or min(name, thing) >= 0.8
    return good


@torch.no_grad()
def generate(model, prompts, new_tokens, temperature=0.0, generator=None):
    """Continue equally long rows of ids greedily or by sampling; [rows, new_tokens]."""
    ids = new = prompts
    caches = [[] for _ in model.model.layers]
    for _ in range(new_tokens):
        logits = model(new, caches)[0][:, -1]
        if temperature:
            new = torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator)
        else:
            new = logits.argmax(-1, keepdim=True)
        ids = torch.cat((ids, new), 1)
    return ids


def show(model, tokenizer, count=1):
    for language in grammar.LANGUAGES:
        for prompt in grammar.held_out_prompts(language, count):
            ids = generate(model, torch.tensor([tokenizer.encode(prompt).ids]), 150)[0].tolist()
            tqdm.write("  " + tokenizer.decode(ids).split(grammar.END)[0].replace("\n", " / "))


def learning_rate(step, steps, peak, warm_up=40):
    if step < warm_up:
        return peak * (step + 1) / warm_up
    return peak * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * (step - warm_up) / (steps - warm_up))))


def optimizers(model, options):
    """Muon for the layers' matrices, AdamW for the embedding and the gains; each with its highest rate."""
    matrices = [p for name, p in model.named_parameters() if p.dim() == 2 and "embed" not in name]
    others = [p for name, p in model.named_parameters() if p.dim() == 1 or "embed" in name]
    adam = torch.optim.AdamW(others, betas=(0.9, 0.95), weight_decay=0.0)
    return (Muon(matrices), options.matrix_rate), (adam, options.rate)


def resume(checkpoint, model, pairs, mean=None):
    """Take up the last checkpoint, if there is one, also into `mean`, weights by name; returns the next step."""
    if not checkpoint.exists():
        return 0
    saved = torch.load(checkpoint, map_location=next(model.parameters()).device)
    if mean is not None:
        mean.update(saved["mean"])
    model.load_state_dict(saved["model"])
    for (optimizer, _), state in zip(pairs, saved["optimizers"], strict=True):
        optimizer.load_state_dict(state)
    return saved["step"]


def save(checkpoint, model, pairs, step, mean=None):
    """Keep what `resume` takes up; the file is there as a whole or not at all."""
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    states, half = [optimizer.state_dict() for optimizer, _ in pairs], checkpoint.with_suffix(".half")
    torch.save({"model": model.state_dict(), "optimizers": states, "step": step, "mean": mean}, half)
    half.replace(checkpoint)


def step_loss(model, tokenizer, copied, options, step):
    """The loss of one step: names and objects weigh more, and in most steps inputs are disturbed."""
    rows, emphasis = batch_at(tokenizer, options, step)
    inputs, targets = rows[:, :-1], rows[:, 1:].flatten()
    if 0.04 <= step / options.steps < 0.85:
        inputs = disturb(inputs, copied, torch.Generator().manual_seed(options.seed + step))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(inputs)[0].float()
    importance = torch.where(copied[targets], emphasis, 1.0)
    losses = F.cross_entropy(logits.flatten(0, 1), targets, reduction="none")
    return (losses * importance).sum() / importance.sum()


def train(options, tokenizer):
    """Run the steps, from the last checkpoint if there is one; returns the model."""
    torch.manual_seed(options.seed)
    model = Target(Shape(vocab=tokenizer.get_vocab_size(), layers=options.layers))
    pairs, copied = optimizers(model, options), copied_words(tokenizer)
    checkpoint = Path(options.work) / f"target-{options.seed}.pt"
    start = resume(checkpoint, model, pairs)
    for step in (bar := tqdm(range(start, options.steps), initial=start, total=options.steps, mininterval=5)):
        loss = step_loss(model, tokenizer, copied, options, step)
        model.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer, peak in pairs:
            optimizer.param_groups[0]["lr"] = learning_rate(step, options.steps, peak)
            optimizer.step()
        bar.set_postfix(loss=f"{loss.item():.3f}", refresh=False)
        if (step + 1) % 100 == 0 or step + 1 == options.steps:
            save(checkpoint, model, pairs, step + 1)
            tqdm.write(f"step {step + 1}: loss {loss.item():.3f}")
            report(model, tokenizer)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=1800)
    parser.add_argument("--first-phase", type=float, default=0.6, help="share of the steps on short rows")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--layers", type=int, default=9)
    parser.add_argument("--rate", type=float, default=3e-3, help="AdamW's highest rate")
    parser.add_argument("--matrix-rate", type=float, default=0.02, help="Muon's highest rate")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--work", default="training/checkpoints", help="where checkpoints go (ignored by git)")
    parser.add_argument("--out", default=ASSETS / "target", help="where the target is exported")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    tokenizer = load_tokenizer()
    model = train(options, tokenizer)
    export_target(model, END_ID, CONTEXT, options.out)
    print("exported; rounded to fp16:")
    rounded = load_target(options.out)
    passed = report(rounded, tokenizer)
    show(rounded, tokenizer, 3)
    print("stop test passed" if passed else "stop test NOT passed: train longer")


if __name__ == "__main__":
    main()
