"""Training asks of each drafter what the library's own will draft: losses by step, against the exported drafter."""

from types import SimpleNamespace

import numpy as np
import pytest

from eagle_lab.checkpoints import load_drafter
from eagle_lab.growth import TreeShape
from eagle_lab.llama import log_softmax

from models import random_pair

pytestmark = pytest.mark.training
END, STEPS, DRAFT_VOCAB = 3, 4, 9


@pytest.fixture(scope="module")
def setting(tmp_path_factory):
    """A random target, three texts of its vocabulary, what it makes of them, and a draft vocabulary."""
    from training.drafters import Reader
    from training.generate import write
    from training.study import open_study, write_study
    from training.torch_llama import TorchLlama

    folder, rng = tmp_path_factory.mktemp("training"), np.random.default_rng(0)
    target = random_pair(1, vocab=16, head_dim=4).target
    texts = [
        (rng.integers(4, 16, n).tolist(), [*rng.integers(4, 16, m).tolist(), *end])
        for n, m, end in [(5, 9, [END]), (3, 7, []), (4, 2, [END])]
    ]
    write(folder / "texts.npz", [(number, prompt, text) for number, (prompt, text) in enumerate(texts)])
    write_study(TorchLlama(target), folder / "texts.npz", folder / "study")
    study = open_study(folder / "study")
    kept = np.array([0, 2, 4, 5, 7, 8, 11, 13, 15])
    return SimpleNamespace(
        folder=folder, target=target, texts=texts, study=study, kept=kept, reader=Reader(study, target, kept)
    )


def untrained(kind: str, setting):
    """A drafter with random weights, as it is in torch, and as the library reads its export."""
    import torch

    from training.files import export_drafter
    from training.models import Shape
    from training.train import make

    torch.manual_seed(4)
    config = setting.target.config
    shape = Shape(
        config.vocab_size, config.hidden_size, 4, 2, 4, config.intermediate_size, 1, DRAFT_VOCAB, config.rms_norm_eps
    )
    drafter = make(kind, shape, setting.reader.head, [1.0, 2.0, 3.0], STEPS)
    with torch.no_grad():
        for parameter in drafter.parameters():
            parameter.copy_((parameter + 0.3 * torch.randn(parameter.shape)).half().float())
    folder = setting.folder / kind
    export_drafter(drafter, setting.kept.tolist(), END, 100, folder, kind)
    return drafter, load_drafter(folder, setting.target)


def chain(kind: str, ours, features, tokens, known: int, step: int) -> np.ndarray:
    """The library's log-probabilities `[draft vocabulary]` after `step` drafts that followed the text.

    `known`: the last row whose features the drafter has; its drafts are the tokens that really stand there.
    """
    shape = TreeShape(1, 1, 1)
    if kind == "reader":
        hidden = ours.model.forward(tokens[: known + 2], ours.model.new_cache()).hidden[-1:]
        return log_softmax(ours.model.logits(hidden))[0]
    cache = ours.new_cache()
    out = ours.read(features[:, : known + 1], tokens[1 : known + 2], cache, shape)
    if kind == "positions":
        wide = out if not step else out + (out @ ours.blocks[step - 1]) / (1 + np.exp(-(out @ ours.blocks[step - 1])))
        return ours.log_probs(wide)[0]
    for i in range(1, step + 1):
        mask = np.ones((1, cache.length + 1), dtype=bool)
        out = ours.forward([tokens[known + i + 1]], out, cache, np.array([known + i]), mask)
    return ours.log_probs(out)[0]


def expected_losses(kind: str, setting, ours, steps: int) -> list[float]:
    """By step: the mean cross-entropy over all places of all answers, place by place."""
    losses = []
    for step in range(steps):
        found = []
        for prompt, text in setting.texts:
            tokens = [*prompt, *text]
            hidden, features = setting.target.forward(tokens, setting.target.new_cache())
            laws = np.exp(log_softmax(setting.target.logits(hidden)))[:, setting.kept]
            for known in range(len(prompt) - 1, len(tokens)):
                judged = known + step + 1  # the row whose law the draft is compared with
                if judged < len(tokens) and tokens[judged] != END:
                    found.append(-laws[judged] @ chain(kind, ours, features, tokens, known, step))
        losses.append(float(np.mean(found)))
    return losses


@pytest.mark.parametrize("kind", ["head", "reader", "positions"])
def test_what_training_asks_is_what_will_be_drafted(kind, setting):
    drafter, ours = untrained(kind, setting)
    asked = drafter.ask(setting.reader.batch(np.arange(3), [END]), STEPS)
    losses = [float(loss.detach()) for loss in asked.losses]
    expected = expected_losses(kind, setting, ours, 1 if kind == "reader" else STEPS)
    assert np.allclose(losses, expected, rtol=2e-3), (losses, expected)


def test_choices_that_are_right_are_counted(setting):
    drafter, ours = untrained("head", setting)
    asked = drafter.ask(setting.reader.batch(np.arange(3), [END]), STEPS)
    right = rows = 0
    for prompt, text in setting.texts:
        tokens = [*prompt, *text]
        hidden, features = setting.target.forward(tokens, setting.target.new_cache())
        choices = setting.target.logits(hidden).argmax(-1)
        for known in range(len(prompt) - 1, len(tokens) - 1):
            if tokens[known + 1] != END:
                rows += 1
                right += setting.kept[chain("head", ours, features, tokens, known, 0).argmax()] == choices[known + 1]
    assert (asked.right[0], asked.rows[0]) == (right, rows)


def test_a_text_alone_is_asked_as_in_a_batch(setting):
    """Padding, and where other answers begin, change nothing."""
    drafter, _ = untrained("head", setting)
    together = drafter.ask(setting.reader.batch(np.arange(3), [END]), STEPS)
    alone = [drafter.ask(setting.reader.batch(np.array([text]), [END]), STEPS) for text in range(3)]
    for step in range(STEPS):
        whole = sum(float(one.losses[step].detach()) * one.rows[step] for one in alone)
        assert sum(one.rows[step] for one in alone) == together.rows[step]
        assert np.isclose(float(together.losses[step].detach()), whole / together.rows[step], rtol=1e-4)
