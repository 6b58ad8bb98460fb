"""This working tree against an older revision of the library, in one process: `make bench-before REV=8b2d46f`.

Both load the `stories` pair and run in turn on the same prompt. What they write must be equal, token for token.
"""

import importlib.util
import io
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import numpy as np

import eagle_lab

from .timing import WIDTH, paired, report

BEFORE = "eagle_lab_before"
SHAPE = {"layer_weights": [1, 1, 1], "top_k": 4, "depth": 5, "budget": 15}
CACHED, NEW_TOKENS = 70, 60  # rows behind which a plain step is timed; tokens that both write


def load_revision(revision: str, folder: Path):
    """The library as it was at `revision`, as a package of another name; its imports are relative."""
    archive = subprocess.run(
        ["git", "archive", revision, "eagle_lab"], cwd=Path(__file__).parents[2], check=True, stdout=subprocess.PIPE
    )
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="data")
    package = folder / "eagle_lab"
    spec = importlib.util.spec_from_file_location(
        BEFORE, package / "__init__.py", submodule_search_locations=[str(package)]
    )
    sys.modules[BEFORE] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[BEFORE])
    return sys.modules[BEFORE]


def plain_step(pair, text: list[int]):
    """One token through the target behind the cached text, and its logits."""
    cache = pair.target.new_cache()
    pair.target.forward(text[:-1], cache)

    def step():
        logits = pair.target.logits(pair.target.forward(text[-1:], cache).hidden)
        cache.commit(len(text) - 1, [])
        return logits

    return step


def one_round(library, pair, prompt: list[int]):
    """A round of drafting and verifying that commits nothing, so that every one does the same."""
    generation = library.Generation(pair, prompt)
    return lambda: generation.preview(**SHAPE)


def compare_texts(libraries, pairs, prompts: list[list[int]]) -> None:
    """Both write the same tokens, and read them with the same bits; an AssertionError says where not."""
    for number, prompt in enumerate(prompts):
        texts = [
            library.speculative_decode(pair, prompt, NEW_TOKENS, **SHAPE).tokens
            for library, pair in zip(libraries, pairs, strict=True)
        ]
        assert texts[0] == texts[1], f"prompt {number}: the texts differ"
        steps = [plain_step(pair, [*prompt, *texts[0]])() for pair in pairs]
        assert steps[0].tobytes() == steps[1].tobytes(), f"prompt {number}: the logits differ"
    print(f"{len(prompts)} prompts, {NEW_TOKENS} tokens each: tokens and last logits equal, bit for bit")


def main(revision: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        libraries = eagle_lab, load_revision(revision, Path(folder))
        pairs = [library.load_pair("stories") for library in libraries]
        prompts = [pairs[0].encode(text) for language in ("zh", "en") for text in pairs[0].prompts[language]]
        compare_texts(libraries, pairs, prompts)
        print(f"{'':{WIDTH}} {'now':>12} {'before':>12}")
        text = np.resize(prompts[0], CACHED + 1).tolist()
        # Steps in rows of ten: the two models' weights push each other out of the processor's caches.
        report("a plain step", *paired(*(plain_step(pair, text) for pair in pairs), repeats=10, pairs=101))
        rounds = [one_round(library, pair, prompts[0]) for library, pair in zip(libraries, pairs, strict=True)]
        report("a round at top_k 4, 5 levels, budget 15", *paired(*rounds, repeats=3, pairs=101))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("say which revision to compare with: make bench-before REV=8b2d46f")
    main(sys.argv[1])
