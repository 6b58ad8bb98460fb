"""What a check found, case by case, and the table that says it."""

from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from ..language import Text, current_language

MARKS = {"passed": "✅", "failed": "❌", "unfinished": "○"}
PLAIN_MARKS = {"passed": "[ok]", "failed": "[x]", "unfinished": "[ ]"}  # for consoles that cannot write the others
REFUSAL = ValueError.__name__
_GOT, _EXPECTED, _HINT = Text("实际：", "got:      "), Text("预期：", "expected: "), Text("提示：", "hint:     ")
_TODO = Text("请补全函数，再运行一次。", "Complete the function and run this again.")


class Result(NamedTuple):
    """One case; `state`: "passed", "failed" or "unfinished"; `hint`: the likely mistake, None unless it failed."""

    title: Text
    state: str
    got: str
    expected: str
    hint: Text | None


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
        for result in self.results if not self._untouched else ():
            lines.append(f"{marks[result.state]} {say(result.title)}")
            if result.state == "failed":
                lines += [f"     {say(_GOT)}{result.got}", f"     {say(_EXPECTED)}{result.expected}"]
                lines += [f"     {say(_HINT)}{say(result.hint)}"] if result.hint not in hints else []
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
        total, failed, unfinished = len(self.results), self._count("failed"), self._count("unfinished")
        if failed:
            return "failed", Text(f"{total} 项中有 {failed} 项未通过", f"{failed} of {total} cases failed")
        if self._untouched:
            said = next(result.got for result in self.results if result.state == "unfinished")
            return "unfinished", Text(f"尚未完成。{said or _TODO.zh}", f"not finished yet. {said or _TODO.en}")
        if unfinished:
            zh = f"{total} 项中有 {unfinished} 项尚未完成"
            return "unfinished", Text(zh, f"{unfinished} of {total} cases unfinished")
        return "passed", Text(f"{total} 项全部通过", f"all {total} cases passed")
