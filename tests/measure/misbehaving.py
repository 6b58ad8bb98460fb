"""Misbehaving functions in a real kernel: in checks, whole generations and panels. `python -m measure.misbehaving`.

A kernel is started as a notebook starts it, and every function of `wrong.misbehaving` is typed into a cell of it, then
checked, then put into a panel whose controls are moved. What the reader was told is read from the cells, and the
kernel is asked whether anything was left other than it was. `python -m measure.misbehaving en threads` does this in
English, and for one kind of function.
"""

import json
import os
import re
import sys
import time
from collections import Counter
from pathlib import Path
from queue import Empty
from typing import NamedTuple

from jupyter_client.manager import KernelManager
from tqdm import tqdm

from wrong.misbehaving import HOLDING, KILLING, MISBEHAVING, NORMALIZE, Misbehaving

TESTS = Path(__file__).resolve().parents[1]
LIMIT = 60  # seconds for a cell; a check of eight cases that hang takes six
PANELS = {
    "normalize_fusion_weights": "fusion_panel(pair, opening, normalize=normalize_fusion_weights)",
    "fuse_layer_features": "fusion_panel(pair, opening, fuse=fuse_layer_features)",
    "score_candidate_tree": "tree_panel(pair, opening, score=score_candidate_tree)",
    "tree_attention_mask": "round_player(pair, opening, mask=mask_by(tree_attention_mask))",
    "verify_tree": "round_player(pair, opening, verify=verify_by(verify_tree))",
}
MOVED = {"round_player": ("round", 2), "fusion_panel": ("low", 0.5), "tree_panel": ("top_k", 3)}
GENERATIONS = {
    "tree_attention_mask": "exercises.test_generation(pair, tree_attention_mask, right['verify_tree'], [opening])",
    "verify_tree": "exercises.test_generation(pair, right['tree_attention_mask'], verify_tree, [opening])",
}
MARKS = "✅❌○⚠"  # a case each, and the summary
TABLE = {"zh": ("预期：", "提示："), "en": ("expected: ", "hint: ")}


class Cell(NamedTuple):
    """What came of a cell. `printed`: its text; `shown`: what it displayed; `error`: what it raised; `hung`: whether
    it had to be interrupted."""

    printed: str
    shown: list
    error: str
    seconds: float
    hung: bool
    values: dict


class DeadKernelError(Exception):
    """The kernel's process has ended."""


class Kernel:
    """A kernel with the course's imports in it, as notebook 04 begins."""

    def __init__(self, language: str):
        self.language, self.gone, self.asked = language, False, 0
        self.manager = KernelManager()
        paths = {"PYTHONPATH": os.pathsep.join([str(TESTS.parent), str(TESTS)]), "OPENBLAS_NUM_THREADS": "1"}
        self.manager.start_kernel(env=os.environ | paths, cwd=str(TESTS))
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        begun = self.cell(f"from measure.probe import Probe\nprobe = Probe({language!r})\n{BEGIN}")
        assert not begun.error, begun.error

    def close(self) -> None:
        """End the kernel."""
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def cell(self, code: str, interrupt: float | None = None, limit: float = LIMIT, **values: str) -> Cell:
        """Run a cell; `values`: expressions that are evaluated after it. `interrupt`: press stop after so long."""
        if self.gone:
            raise DeadKernelError("is gone")
        self.drain()
        start, pressed, hung = time.monotonic(), False, False
        sent = self.client.execute(code, user_expressions=values, allow_stdin=True)
        printed, shown, error, idle, reply = [], [], "", False, None
        while not (idle and reply):
            past = time.monotonic() - start
            if interrupt is not None and not pressed and past > interrupt:
                self.manager.interrupt_kernel()
                pressed = True
            if past > limit and not hung:
                self.manager.interrupt_kernel()
                hung = True
            if past > limit + 20 or not self.manager.is_alive():
                self.gone = True
                raise DeadKernelError(f"hangs for {past:.0f} s" if self.manager.is_alive() else "is dead")
            reply = reply or self._reply(sent)
            try:
                message = self.client.get_iopub_msg(timeout=0.05)
            except Empty:
                continue
            if message["parent_header"].get("msg_id") != sent:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "stream":
                printed.append(content["text"])
            elif kind in ("display_data", "execute_result"):
                shown.append(content["data"])
            elif kind == "error":
                error = f"{content['ename']}: {content['evalue']}"
            idle = idle or (kind == "status" and content["execution_state"] == "idle")
        if reply["content"]["status"] != "ok":
            error = error or f"{reply['content'].get('ename')}: {reply['content'].get('evalue')}"
        told = reply["content"].get("user_expressions", {})
        said = {name: value.get("data", {}).get("text/plain", value.get("evalue")) for name, value in told.items()}
        return Cell("".join(printed), shown, error, time.monotonic() - start, hung, said)

    def _reply(self, sent: str):
        if self.client.stdin_channel.msg_ready():  # somebody is asked, and answers nothing
            self.client.stdin_channel.get_msg()
            self.client.input("")
            self.asked += 1
        while self.client.shell_channel.msg_ready():
            message = self.client.shell_channel.get_msg()
            if message["parent_header"].get("msg_id") == sent:
                return message
        return None

    def drain(self) -> None:
        """Pass over what came between two cells."""
        while self.client.iopub_channel.msg_ready():
            self.client.iopub_channel.get_msg()

    def move(self, control: str, value, interrupt: float | None = None) -> None:
        """Move a control of `panel`, by the message that a page sends."""
        model = self.ask(f"panel.controls[{control!r}].model_id")
        content = {"comm_id": model, "data": {"method": "update", "state": {"value": value}, "buffer_paths": []}}
        self.client.shell_channel.send(self.client.session.msg("comm_msg", content))
        if interrupt is not None:
            time.sleep(interrupt)
            self.manager.interrupt_kernel()

    def ask(self, expression: str):
        """The value of an expression, as JSON."""
        cell = self.cell("", told=f"__import__('json').dumps({expression})")
        try:
            return json.loads(eval(cell.values["told"]))
        except Exception as error:
            raise ValueError(f"{expression} gave {cell}") from error


BEGIN = """
from eagle_lab import exercises, fusion_panel, load_pair, round_player, tree_panel, use_language
from eagle_lab.own import mask_by, verify_by
pair, opening, right = probe.pair, probe.opening, probe.right
use_language(probe.language)
probe.begin()
"""


def try_out(kernel: Kernel, case: Misbehaving) -> list[str]:
    """Let a function misbehave wherever it is called; what was not as it should be."""
    faults = []
    typed = kernel.cell(case.source)
    if typed.error:
        return [f"its cell: {typed.error}"]
    name = case.exercise
    faults += judge_check(kernel, case, kernel.cell(f"exercises.test_{name}({name})"), name)
    faults += left_behind(kernel, case, "check")
    if name in GENERATIONS:
        faults += judge_check(kernel, case, kernel.cell(GENERATIONS[name]), "generation")
        faults += left_behind(kernel, case, "generation")
    if name in PANELS:
        made = kernel.cell(f"panel = None\npanel = {PANELS[name]}\npanel")
        faults += judge_panel(kernel, case, made, "panel")
        faults += left_behind(kernel, case, "panel")
        if kernel.ask("panel is not None"):
            kernel.move(*MOVED[PANELS[name].partition("(")[0]])
            faults += judge_panel(kernel, case, kernel.cell(""), "move")
            faults += left_behind(kernel, case, "move")
            kernel.cell("panel.close()")
    told = kernel.ask("probe.unlike()")
    if kernel.asked:
        told, kernel.asked = [*told, f"the reader was asked {kernel.asked} times"], 0
    return faults + [f"in the end: {fault}" for fault in told]


def judge_check(kernel: Kernel, case: Misbehaving, cell: Cell, name: str) -> list[str]:
    """What is missing from a check's cell."""
    faults, text = [], cell.printed
    if cell.hung or cell.error or cell.shown:
        faults.append(f"hung {cell.hung}, error {cell.error!r}, shown {len(cell.shown)}")
    marks = sum(text.count(mark) for mark in MARKS)
    summary = "".join(re.findall(f"[{MARKS}]\\S* test_{name}: .*", text))
    wanted = 2 if name == "generation" else 1 + int(kernel.ask(f"len(exercises.EXERCISES[{name!r}].cases)"))
    by_chance = name != "generation" and marks == wanted + 1  # where all cases passed
    if (marks != wanted and not by_chance) or not summary:
        faults.append(f"{marks} of {wanted} lines of a table")
    passed = summary.startswith("✅")
    judged = case.ends not in (("either", "answers") if name == "generation" else ("either",))
    if judged and passed != (case.ends == "right"):
        faults.append(f"passed: {passed}")
    if not passed and not all(part in text for part in TABLE[kernel.language]):
        faults.append("no hint in the language in use")
    if not passed and case.named and not any(line.partition(": ")[2] in text for line in case.named):
        faults.append("no line")
    if len(text) > 100_000:
        faults.append(f"{len(text)} characters printed")
    return [f"{name}: {fault}" for fault in faults]


def judge_panel(kernel: Kernel, case: Misbehaving, cell: Cell, where: str) -> list[str]:
    """What is missing from what a panel tells."""
    faults = []
    if cell.error and cell.error.startswith("TypeError") and "must be a function" in cell.error:
        return []  # what is no function is refused at the door
    if cell.hung or cell.error:
        return [f"{where}: hung {cell.hung}, error {cell.error!r}"]
    message = kernel.ask("panel and panel.message")
    if message is None:
        return [f"{where}: no panel, no error"]
    if case.ends in ("raises", "endless") and not message:
        faults.append("no sentence")
    if case.ends == "right" and message:
        faults.append(f"a sentence: {message}")
    if message:
        chinese = any("\u4e00" <= sign <= "\u9fff" for sign in message)
        if chinese != (kernel.language == "zh"):
            faults.append(f"language: {message}")
        if case.kind not in ("callable", "no function") and case.ends != "either" and case.exercise not in message:
            faults.append(f"no name: {message}")
        if case.named and not any(line.partition(": ")[2] in message for line in case.named):
            faults.append(f"no line: {message}")
        if len(message) > 600:
            faults.append(f"{len(message)} characters")
    if len(cell.printed) > 100_000:
        faults.append(f"{len(cell.printed)} characters printed")
    return [f"{where}: {fault}" for fault in faults]


def left_behind(kernel: Kernel, case: Misbehaving | None, where: str) -> list[str]:
    """What is other than it was, in the kernel and in the library's memory."""
    if case and case.kind == "kept":  # what it changes on purpose stays, as from any cell
        kernel.cell("probe.changes()")
        return []
    after = kernel.cell("import sys\nprint('heard'); print('too', file=sys.stderr)\nchanges = probe.changes()")
    faults = [] if after.printed == "heard\ntoo\n" else [f"print prints {after.printed!r}"]
    faults += [after.error] if after.error else kernel.ask("changes")
    return [f"after the {where}: {fault}" for fault in faults]


STOPPED = {"zh": ("你按了停止", "已停下"), "en": ("You pressed stop", "Stopped")}
WAITING = f"""
slow = True
def {NORMALIZE}(weights):
    while slow: pass
    return right["{NORMALIZE}"](weights)
"""


def press_stop(kernel: Kernel) -> list[str]:
    """Press the stop button in a check, in a panel's making and in a panel's move; what was not as it should be."""
    table, sentence = STOPPED[kernel.language]
    kernel.cell(WAITING)
    checked = kernel.cell(f"exercises.test_{NORMALIZE}({NORMALIZE})", interrupt=1)
    faults = [] if table in checked.printed and not checked.error else [f"the check says {checked}"]
    for where in ("making", "move"):
        if where == "making":
            made = kernel.cell(f"panel = {PANELS[NORMALIZE]}", interrupt=1)
            faults += [made.error] if made.error else []
        else:
            kernel.cell("slow = True")
            kernel.move("mid", 0.25, interrupt=1)
        told = kernel.ask("panel.message")
        faults += [] if sentence in told else [f"the panel in its {where} says {told!r}"]
        kernel.cell("slow = False")
        kernel.move("low", {"making": 0.5, "move": 0.75}[where])
        told = kernel.ask("[panel.message, panel.view.weights[0]]")
        share = {"making": 0.5 / 2.5, "move": 0.75 / 2}[where]
        faults += [] if told == ["", share] else [f"then its controls say {told}"]
    return faults + left_behind(kernel, None, "stop") + kernel.ask("probe.unlike()")


def main() -> None:
    """Print what went wrong and the counts by kind; then the stop button, and what no thread survives."""
    languages = [word for word in sys.argv[1:] if word in TABLE] or list(TABLE)
    kinds = [word for word in sys.argv[1:] if word not in TABLE]
    for language in languages if kinds != ["holds"] and kinds != ["kills"] else ():
        run(language, [case for case in MISBEHAVING if not kinds or case.kind in kinds])
        if not kinds or "stop" in kinds:
            kernel = Kernel(language)
            print(f"{language} stop button: {press_stop(kernel) or 'as it should be'}")
            kernel.close()
    for case in HOLDING + KILLING:
        if not kinds or case.kind in kinds:
            print(f"{case.kind} · {case.title}: {end_of(case)}")


def run(language: str, cases: list[Misbehaving]) -> None:
    """Let all misbehave in one kernel, which is started anew only where it died."""
    counts, faulty, kernel = Counter(), Counter(), Kernel(language)
    for case in tqdm(cases, disable=None):
        start = time.monotonic()
        try:
            faults = try_out(kernel, case)
        except (DeadKernelError, ValueError) as error:
            faults = [f"the kernel: {error}"]
            kernel.close()
            kernel = Kernel(language)
        counts[case.kind] += 1
        faulty[case.kind] += bool(faults)
        if faults:
            print(f"[{language}] {case.kind} · {case.exercise} · {case.title} ({time.monotonic() - start:.0f} s)")
            print("".join(f"    {fault}\n" for fault in faults), end="", flush=True)
    kernel.close()
    for kind, count in counts.items():
        print(f"{language} {kind:15} {count:3} functions, {faulty[kind]} with a fault")
    print(f"{language} {'in all':15} {counts.total():3} functions, {faulty.total()} with a fault")


def end_of(case: Misbehaving) -> str:
    """What becomes of a kernel in which a check calls this."""
    kernel = Kernel("en")
    kernel.cell(case.source)
    try:
        cell = kernel.cell(f"exercises.test_{case.exercise}({case.exercise})")
    except DeadKernelError as error:
        return f"the kernel {error}"
    finally:
        kernel.close()
    return f"ends after {cell.seconds:.0f} s{', interrupted' if cell.hung else ''}"


if __name__ == "__main__":
    main()
