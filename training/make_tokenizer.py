"""Builds the tokenizer of the `stories` pair: one token per frequent word, bytes for everything else.

    python -m training.make_tokenizer

English words are tokens together with the space before them (" kite"), as in most language models; Chinese words and
characters are tokens; what the list does not know is spelled in UTF-8 bytes, so that any text at all encodes and
decodes back to itself. Two control tokens stand outside of text: `<unk>` (never produced) and `<|end|>`. No text that
somebody types can become a control token: "<|end|>" typed by hand is spelled in bytes like any other unknown text.
"""

import collections
import random
import re
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

from training import grammar

ASSETS = Path(__file__).resolve().parent.parent / "eagle_lab" / "assets" / "stories"
PATH = ASSETS / "target" / "tokenizer.json"
UNKNOWN = "<unk>"

# Words, apostrophe endings, single marks, single white-space characters; nothing is dropped.
PIECES = r" ?[\p{L}\p{M}]+|'[a-z]+| ?[^\s\p{L}\p{M}]|\s"


def _corpus(language, count=3000):
    """Many stories, a quarter of them held-out (those use the same words, but may meet them in another cut)."""
    splits = ("train", "train", "train", "held")
    return [grammar.make_story(language, random.Random(f"words/{i}"), splits[i % 4]).text for i in range(count)]


def english_words():
    """Token -> count, each word with the space that stands before it."""
    counts = collections.Counter()
    for text in _corpus("en"):
        counts.update(re.findall(r" ?[A-Za-z]+|'[a-z]+| ?[^\sA-Za-z]|\s", text))
    return counts


def chinese_words(budget=640):
    """Token -> count after cutting each text into the fewest, most even words.

    Words whose characters are tokens anyway leave again, the rarest first, until `budget` tokens are left.
    """
    data = grammar.LANGUAGES["zh"]
    pieces = (piece for text in _corpus("zh") for piece in re.findall(r"[\u4e00-\u9fff]+|[^\u4e00-\u9fff]", text))
    runs = collections.Counter(pieces)
    names = {*data.GIRLS, *data.BOYS, *data.OBJECTS}
    words = {*data.WORDS, *names}
    while True:
        counts = collections.Counter()
        for run, times in runs.items():
            for piece in cut(run, words):
                counts[piece] += times
        spare = [word for word in counts if len(word) > 1 and word not in names and all(c in counts for c in word)]
        if len(counts) <= budget or not spare:
            return counts
        words -= set(sorted(spare, key=lambda word: (counts[word], word))[: min(25, len(counts) - budget)])


def cut(run, words, longest=5):
    """The cut of `run` with the fewest pieces (of equals, the one whose pieces are most even)."""
    best = [(0, 0, ())]
    for end in range(1, len(run) + 1):
        ways = []
        for start in range(max(0, end - longest), end):
            piece = run[start:end]
            if len(piece) == 1 or piece in words:
                pieces, squares, before = best[start]
                ways.append((pieces + 1, squares + len(piece) ** 2, (*before, piece)))
        best.append(min(ways))
    return best[-1][2]


def build():
    """The tokenizer: control tokens, 256 bytes, then the words of both languages in alphabetical order."""
    words = sorted({*english_words(), *chinese_words()})
    # A flat cost per token plus a little for uneven cuts: the segmentation of `cut`, found again by Viterbi.
    vocabulary = [(UNKNOWN, 0.0), (grammar.END, 0.0)]
    vocabulary += [(f"<0x{byte:02X}>", -60.0) for byte in range(256)]
    vocabulary += [(word, -20.0 - 0.01 * len(word) ** 2) for word in words]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=0, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(PIECES), "isolated")
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    return tokenizer


HOSTILE = [
    "",
    " ",
    "   two  spaces ",
    "\n\n\t\r\n",
    "<|end|>",
    "<unk>",
    "<0x41>",
    "<0x0A><0x0A>",
    "▁Mia▁",
    "ĠMia",
    "\0\x07\x7f",
    "é e\u0301 ﬁ",
    "👩‍👩‍👧 emoji 🎈",
    "مرحبا بالعالم",
    "שלום",
    "नमस्ते",
    "def f(x):\n    return x ** 2  # 注释",
    "小明和Mia去kite公园",
    "龘靐齉",
    "\u200b\u202e\ufeff",
    "a" * 300,
    "Mia's don't O'Neil",
    "C:\\path\\to $x_1$ <b>&amp;</b>",
    "１２３ 123",
    "\U0010ffff",
    "\u2028\u2029\x85\xa0",
    "ẞß İi",
    "”“《》",
]


def check(tokenizer):
    """Round trips on hostile text and on stories; names and objects are single tokens."""
    rng = random.Random(5)
    scalars = [*range(0xD800), *range(0xE000, 0x110000)]  # all of Unicode but the surrogates
    noise = ["".join(map(chr, rng.choices(scalars, k=20))) for _ in range(300)]
    stories = [story.text for language in grammar.LANGUAGES for story in grammar.held_out_stories(language, 300)]
    stories += [text for language in grammar.LANGUAGES for text in _corpus(language, 300)]
    for text in [*HOSTILE, *noise, *stories]:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        assert tokenizer.decode(ids) == text, repr(text)
        assert not {0, 1} & set(ids), repr(text)
    for text in stories:
        assert min(tokenizer.encode(text).ids) >= 258, text
    for language, data in grammar.LANGUAGES.items():
        for word in [*data.GIRLS, *data.BOYS, *data.OBJECTS]:
            assert len(tokenizer.encode(" " + word if language == "en" else word).ids) == 1, word


def main():
    tokenizer = build()
    check(tokenizer)
    PATH.parent.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(PATH))
    print(f"{tokenizer.get_vocab_size()} tokens, {PATH.stat().st_size / 1024:.0f} KiB: {PATH.name}")
    for language in grammar.LANGUAGES:
        lengths = [len(tokenizer.encode(text).ids) for text in _corpus(language, 500)]
        print(f"{language}: {sum(lengths) / len(lengths):.0f} tokens a story, longest {max(lengths)}")
        print("  " + "|".join(tokenizer.decode([i]) for i in tokenizer.encode(_corpus(language, 3)[2]).ids))


if __name__ == "__main__":
    main()
