"""Players of frames: a generation round by round, a verification step by step."""

import ipywidgets as widgets

from ..language import word
from ..pictures.rounds import round_view, walk_view
from ..trials import first_round, record
from .base import PromptPanel, row, slider


class Player(PromptPanel):
    """A panel that plays frames: a slider over them, steps back and forth, and a button that plays."""

    _framed = None  # what was read, and the slider's frames are of
    frame = ""  # the word for one of the frames, and the name of its slider; frames count from 1

    def settings(self) -> dict:
        self.play = widgets.Play(min=1, value=1, interval=1500, description=word(self.frame))
        frames = slider(widgets.IntSlider, self.frame, 1, 1, 2)
        frames.style.description_width, frames.layout.width = "4em", "230px"
        self.links = [widgets.jslink((self.play, "value"), (frames, "value"))]
        return {self.frame: frames}

    def arrange(self, controls: dict) -> list:
        narrow = widgets.Layout(width="6em")
        self.steps = [widgets.Button(description=word(key), layout=narrow) for key in ("back", "forth")]
        for button, by in zip(self.steps, (-1, 1), strict=True):
            button.on_click(lambda _, by=by: self._move(by))
        return [row(self.play, controls[self.frame], widgets.HBox(self.steps))]

    def frames(self, reading) -> int:
        """How many frames a prompt has."""
        raise NotImplementedError

    def framed(self, prompt: str):
        """The prompt as it was read; another one than before plays from its own beginning."""
        reading = self.reading(prompt)
        if self._framed is not reading:
            last = max(1, self.frames(reading))
            with self.quietly():
                self.controls[self.frame].value = 1
                self.controls[self.frame].max = self.play.max = last
                for control in (self.controls[self.frame], self.play, *self.steps):
                    control.disabled = last == 1  # one frame alone cannot be played
            self._framed = reading
        return reading

    def _move(self, by: int) -> None:
        frames = self.controls[self.frame]
        frames.value = min(max(frames.value + by, frames.min), frames.max)


class RoundPlayer(Player):
    """The panel of `round_view`."""

    frame = "round"

    def read(self, prompt: str):
        return record(self.pair, prompt, **self.own)

    def frames(self, reading) -> int:
        return len(reading.decoding.rounds)

    def look(self, setting):
        recording = self.framed(setting["prompt"])
        return round_view(recording, self.controls["round"].value, figure=self.figure)


class WalkPanel(Player):
    """The panel of `walk_view`."""

    frame = "step"

    def read(self, prompt: str):
        return first_round(self.pair, prompt, **self.own)

    def frames(self, reading) -> int:
        return len(reading.tokens)

    def look(self, setting):
        round_ = self.framed(setting["prompt"])
        return walk_view(self.pair, round_, self.controls["step"].value, figure=self.figure)
