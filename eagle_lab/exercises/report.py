"""What a check found, case by case, and the table that says it."""

from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from ..language import Text, console_encoding, console_takes, current_language
from .kinds import says

MARKS = {"passed": "✅", "failed": "❌", "costly": "⚠️", "unfinished": "○"}
PLAIN_MARKS = {"passed": "[ok]", "failed": "[x]", "costly": "[!]", "unfinished": "[ ]"}  # for plainer consoles
REFUSAL = ValueError.__name__


class Result(NamedTuple):
    """One case; `hint`: the likely mistake, None unless it failed; `place`: the reader's line that raised an error.

    `state`: "passed", "failed", "unfinished", or "costly": right, but not as it should be.
    """

    title: Text
    state: str
    got: str
    expected: str
    hint: Text | None = None
    place: str = ""


@dataclass(frozen=True)
class Report:
    """What a check found; `str()` gives the table in the language in use."""

    name: str
    results: tuple[Result, ...]

    @property
    def passed(self) -> bool:
        """Whether every case passed."""
        return self._count("passed") == len(self.results)

    def __str__(self) -> str:
        return self.text(current_language())

    def text(self, language: str, marks: dict[str, str] = MARKS) -> str:
        """The table in "zh" or "en": a line for each case, what came where it failed, and a line that sums up."""
        say, lines, hints = attrgetter(language), [], []

        def label(key: str) -> str:
            return say(says("report", key))

        for result in self.results if not self._untouched else ():
            lines.append(f"{marks[result.state]} {say(result.title)}")
            if result.state in ("failed", "costly"):
                lines += [f"     {label('got')}{result.got}", f"     {label('expected')}{result.expected}"]
                lines += [f"     {label('place')}{result.place}"] if result.place else []
                lines += [f"     {label('hint')}{say(result.hint)}"] if result.hint not in hints else []
                hints.append(result.hint)
        state, summary = self._summary()
        return "\n".join([*lines, f"{marks[state]} test_{self.name}: {say(summary)}"])

    @property
    def _untouched(self) -> bool:
        """No answer is there yet, and nothing is wrong; refusals may pass, since a stub may come with its checks."""
        answers = [result for result in self.results if result.expected != REFUSAL]
        return not self._count("failed") and all(result.state == "unfinished" for result in answers)

    def _count(self, state: str) -> int:
        return sum(result.state == state for result in self.results)

    def _summary(self) -> tuple[str, Text]:
        total = len(self.results)
        if self._untouched:
            said = next(result.got for result in self.results if result.state == "unfinished")
            return "unfinished", says("report", "untouched", said=said or says("report", "todo"))
        for state in ("failed", "costly", "unfinished"):
            if count := self._count(state):
                return state, says("report", state, total=total, count=count)
        return "passed", says("report", "passed", total=total)


def print_report(report: Report) -> None:
    """Print a report in what the console can write: Chinese or English, emoji or plain marks, all else escaped.

    >>> print_report(Report("sum", (Result(Text("一加一", "one and one"), "passed", "2", "2"),)))
    ✅ 一加一
    ✅ test_sum: 1 项全部通过
    """
    encoding = console_encoding()
    titles = "".join(result.title.zh for result in report.results)
    language = current_language() if console_takes(titles) else "en"
    marks = MARKS if console_takes("".join(MARKS.values())) else PLAIN_MARKS
    print(report.text(language, marks).encode(encoding, "backslashreplace").decode(encoding))
