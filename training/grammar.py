"""A seeded grammar of short children's stories in Chinese and English (no dependencies).

    >>> story = make_story("en", random.Random(7))
    >>> story.title, story.names  # doctest: +SKIP

A story is a title, which names an object, and a body about exactly two named characters, a girl and a boy: A, to
whom the object belongs, and B, who helps. Each of six plots walks through stages (opening, problem, asking, answer,
work, success, thanks, ending), and every stage is one sentence skeleton. Skeletons and phrases come in two lists that
share nothing: `train`, and `held`, which stands in no training story.

So that greedy text does not always run into the same favourite sentence, most choices lean on the story's own object
or owner: the same object tends to meet the same adventures, the same child to have the same habits.
"""

import random
import re
import zlib
from dataclasses import dataclass, field

from training import grammar_en, grammar_zh

END = "<|end|>"
LANGUAGES = {"zh": grammar_zh, "en": grammar_en}
SPLITS = ("train", "held")

# Plot -> the keys of its stages. `loss` takes its problem from the object: wind, roll or left.
EARLY, LATE = ["sky", "animal", "food", "sound"], ["hurry", "brave", "song", "wise", "sound", "animal"]
PLOTS = ("loss", "loss", "loss", "stuck", "mend", "mend", "share", "gift", "found")


@dataclass
class Story:
    """One story and what tests need to know about it."""

    language: str
    split: str
    title: str
    sentences: list
    names: tuple  # (A, B)
    noun: str
    adjective: str
    plot: str
    skeletons: list = field(default_factory=list)

    @property
    def text(self):
        """Title, newline, body: what the models read."""
        return self.title + "\n" + self.joiner.join(self.sentences)

    @property
    def prompt(self):
        """Title and first sentence."""
        return self.title + "\n" + self.sentences[0]

    @property
    def joiner(self):
        return " " if self.language == "en" else ""


class _Writer:
    """Fills the skeletons of one story: knows the characters, the object and the split."""

    def __init__(self, language, rng, split, noun):
        self.data, self.rng = LANGUAGES[language], rng
        self.language, self.side = language, SPLITS.index("train" if split == "train" else "held")
        self.noun = noun or rng.choice(list(self.data.OBJECTS))
        details = self.data.OBJECTS[self.noun]
        own, self.lost, self.breaks = details[-3:]
        self.adjective = rng.choice(_adjectives(self.data, self.noun, own.split())[self.side])
        self.measure = details[0]
        pair = [rng.choice(self.data.GIRLS), rng.choice(self.data.BOYS)]
        self.a, self.b = pair if rng.random() < 0.5 else reversed(pair)
        self.skeletons, self.used, self.helper = [], set(), None
        self.plot = self._choose_plot()
        self.words = self._words()

    def _words(self):
        """What the slots of this story hold: names, object, pronouns."""
        girls = self.a in self.data.GIRLS, self.b in self.data.GIRLS
        words = self._chinese_words(*girls) if self.language == "zh" else self._english_words(*girls)
        return {"A": self.a, "B": self.b, "noun": self.noun, **words}

    def _chinese_words(self, girl_a, girl_b):
        return {
            "obj": self.adjective + self.noun,
            "an_obj": f"一{self.measure}{self.adjective}{self.noun}",
            "this": f"这{self.measure}{self.noun}",
            "mw": self.measure,
            "ta": "她" if girl_a else "他",
            "bta": "她" if girl_b else "他",
            "girl": "小姑娘" if girl_a else "小男孩",
            "bgirl": "小姑娘" if girl_b else "小男孩",
        }

    def _english_words(self, girl_a, girl_b):
        obj = f"{self.adjective} {self.noun}"
        he, him, his, girl = _PRONOUNS[girl_a]
        bhe, bhim, bhis, bgirl = _PRONOUNS[girl_b]
        return {
            "obj": obj,
            "an_noun": f"{_article(self.noun)} {self.noun}",
            "an_obj": f"{_article(obj)} {obj}",
            "An_obj": f"{_article(obj).capitalize()} {obj}",
            "he": he, "him": him, "his": his, "girl": girl, "He": he.capitalize(), "His": his.capitalize(),
            "bhe": bhe, "bhim": bhim, "bhis": bhis, "bgirl": bgirl,
        }  # fmt: skip

    def _choose_plot(self):
        """A plot that suits the object; four times in ten the object's favourite."""
        unfit = {"mend": not self.breaks, "stuck": self.lost != "wind", "share": self.noun not in self.data.FUN}
        fits = [plot for plot in PLOTS if not unfit.get(plot)]
        if self.rng.random() < 0.4:
            return fits[_stable("plot", self.noun, self.adjective) % len(fits)]
        return self.rng.choice(fits)

    def pick(self, options, key):
        """One of `options` not yet used: half the time the object's favourite, a quarter the owner's, else any."""
        options, luck = options[self.side], self.rng.random()
        if luck < 0.5:
            at = list(self.data.OBJECTS).index(self.noun) + _stable(key)
        elif luck < 0.75:
            at = (self.data.GIRLS + self.data.BOYS).index(self.a) + _stable(key)
        else:
            at = self.rng.randrange(len(options))
        turn = [options[(at + i) % len(options)] for i in range(len(options))]
        return next((option for option in turn if option not in self.used), turn[0])

    def write(self, options, key):
        """One sentence from a (train, held) pair of skeletons."""
        skeleton = self.pick(options, key)
        self.used.add(skeleton)
        self.skeletons.append(skeleton)
        count = [0]

        def fill(match):
            slot = match.group(1)
            if slot in self.words:
                return self.words[slot]
            if slot == "elder_short":
                return self.words["last_elder"]
            if slot == "elder" and self.helper:
                return self.helper
            count[0] += 1
            phrase = self.pick(self.data.SLOTS[slot], f"{slot}{count[0]}{key}")
            self.used.add(phrase)
            if slot == "elder":
                self.words["last_elder"] = phrase.removeprefix("一位")
                if self.plot == "gift":  # the one whom A works for stays the same
                    self.helper = re.sub("^(an|a) ", "the ", phrase).removeprefix("一位")
            return phrase

        sentence = re.sub(r"\{(\w+)\}", fill, skeleton)
        return sentence if self.language == "zh" else _capitalise(sentence)


_PRONOUNS = {True: ("she", "her", "her", "girl"), False: ("he", "him", "his", "boy")}


def _adjectives(data, noun, own):
    """(train, held) adjectives of an object: its own and the usual ones; which two are held out differs by object."""
    turn = list(data.OBJECTS).index(noun) % len(data.ADJECTIVES)
    usual = [word for word in data.ADJECTIVES[turn:] + data.ADJECTIVES[:turn] if "-" + word not in own]
    words = [word for word in own if not word.startswith("-")] + usual
    return words[:-2], words[-2:]


def _article(words):
    return "an" if words[0] in "aeiou" else "a"


def _capitalise(sentence):
    """Upper-case the first letter, behind an opening quotation mark too."""
    at = 1 if sentence.startswith('"') else 0
    return sentence[:at] + sentence[at].upper() + sentence[at + 1 :]


def _stable(*parts):
    """A hash that is the same in every run."""
    return zlib.crc32("/".join(parts).encode())


def make_story(language, rng, split="train", noun=None):
    """One story in `language`; `noun` fixes the title's object.

    `split`: "train", "held", or "opening": title and first sentence held out, the rest as in training.
    """
    writer = _Writer(language, rng, split, noun)
    data, plot = writer.data, writer.plot
    title, sentences = writer.write(data.TITLES, "title"), []
    for skeletons, key in _outline(writer):
        sentences.append(writer.write(skeletons, key))
        if split == "opening":
            writer.side = SPLITS.index("train")
    return Story(
        language, split, title, sentences, (writer.a, writer.b), writer.noun, writer.adjective, plot, writer.skeletons
    )


def _outline(writer):
    """The stages of one story, as (skeletons, key) pairs in order."""
    data, plot, rng = writer.data, writer.plot, writer.rng
    early, late = rng.sample(EARLY, 1), rng.sample(LATE, 2)

    def aside(kinds, chance):
        """An optional sentence, now and then."""
        if kinds and rng.random() < chance:
            kind = kinds.pop()
            yield data.ASIDES[kind], kind

    yield data.OPENING, "opening"
    yield from aside(early, 0.45)
    if plot not in ("gift", "found"):
        yield data.OWN, "own"
    problem = {"loss": writer.lost, "mend": writer.breaks}.get(plot, plot)
    yield data.PROBLEM[problem], problem
    if plot in ("loss", "stuck", "mend") and rng.random() < 0.6:
        yield data.FEELING, "feeling"
    yield data.ASK[plot], "ask" + plot
    yield data.ANSWER[plot], "answer" + plot
    searching = plot in ("loss", "found")
    if searching:
        yield from aside(late, 0.5)
    first, then = _halves(data.WORK[plot]) if searching else (data.WORK[plot], None)
    yield first, "work" + plot
    if searching and rng.random() < 0.35:
        yield then, "more" + plot
    if plot != "gift":
        yield from aside(late if searching else early, 0.4)
    yield data.SUCCESS[plot], "success" + plot
    thanks = {"gift": "from_B", "share": "both", "found": "found"}.get(plot, "from_A")
    yield data.THANKS[thanks], thanks
    yield data.ENDING["give" if plot in ("gift", "found") else "keep"], "ending"


def _halves(options):
    """Two lists of (train, held): so a second sentence of a kind never says the first one's again."""
    middles = [len(side) // 2 for side in options]
    return tuple(zip(*((side[:m], side[m:]) for side, m in zip(options, middles, strict=True)), strict=True))


def words_of(language, text):
    """Where to look for names and objects: the set of English words, or the Chinese text itself."""
    return set(re.findall(r"\w+", text)) if language == "en" else text


def next_noun(language, noun):
    """The object that stands after `noun` in the catalogue: stories on one page often follow it."""
    nouns = list(LANGUAGES[language].OBJECTS)
    return nouns[(nouns.index(noun) + 1) % len(nouns)]


def story_stream(rng, split="train"):
    """Endless stories as they follow each other on a page."""
    language, noun = rng.choice(["zh", "en"]), None
    while True:
        story = make_story(language, rng, split, noun)
        yield story
        if rng.random() < 0.15:
            language, noun = ("en" if language == "zh" else "zh"), None
        else:
            noun = next_noun(language, story.noun) if rng.random() < 0.6 else None


def held_out_stories(language, count, seed=2024, split="held"):
    """`count` stories whose skeletons, phrases and objects stand in no training story; or their openings only."""
    rng = random.Random(f"{seed}/{language}")
    return [make_story(language, rng, split) for _ in range(count)]


def held_out_prompts(language, count, seed=2024):
    """Title and first sentence of held-out stories."""
    return [story.prompt for story in held_out_stories(language, count, seed)]


def split_faults(language, count=4000):
    """Held-out phrases, sentences and objects that stand in training stories; should be empty."""
    data = LANGUAGES[language]
    train = [make_story(language, random.Random(f"faults/{i}")) for i in range(count)]
    held = held_out_stories(language, count // 4)
    text = "\n".join(story.text for story in train).lower()
    phrases = [phrase for shown, hidden in data.SLOTS.values() if shown is not hidden for phrase in hidden]
    faults = [phrase for phrase in phrases if phrase.lower() in text]
    for part in ("skeletons", "sentences"):
        faults += {x for story in held for x in getattr(story, part)} & {
            x for story in train for x in getattr(story, part)
        }
    return faults + list({(s.adjective, s.noun) for s in held} & {(s.adjective, s.noun) for s in train})


def _show():
    """Print stories of both splits, to read, and whether the splits are clean."""
    for language in LANGUAGES:
        for story in held_out_stories(language, 5) + [make_story(language, random.Random(i)) for i in range(15)]:
            print(f"[{story.split} {story.plot}]", story.text, END, sep="\n", end="\n\n")
        print(f"{language}: held-out text that stands in training stories: {split_faults(language) or 'none'}\n")


if __name__ == "__main__":
    _show()
