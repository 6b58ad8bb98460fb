"""In a kernel where functions misbehave: what is other than it was, in the process and in what the library does."""

import builtins
import gc
import getpass
import logging
import os
import signal
import sys
import threading
import time
import warnings

try:
    import resource
except ImportError:  # on Windows
    resource = None

import numpy as np
from IPython import get_ipython

from eagle_lab import (
    Generation,
    exercises,
    fusion_panel,
    greedy_decode,
    load_pair,
    record,
    tree_panel,
    use_language,
)
from eagle_lab.language import current_language

from wrong.right import RIGHT

ROOM = 8 << 30  # bytes of memory for the kernel, where the system can say so: others use the machine too


class Probe:
    """What a kernel is like before anybody misbehaves in it, and what is other than that later."""

    def __init__(self, language: str):
        if resource:
            resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
        self.language, self.pair = language, load_pair("stories")
        self.opening = self.pair.prompts[language][0]
        self.right = {name: functions[0] for name, functions in RIGHT.items()}

    def begin(self) -> None:
        """Remember how things are now."""
        self.ids = self.pair.encode(self.opening)
        self.text = greedy_decode(self.pair.target, self.ids, 40)
        self.generation, self.written = Generation(self.pair, self.ids), []
        self.state, self.pictures = self.look(), self.draw()

    def look(self) -> dict:
        """The state of the process that own code could leave changed."""
        shell = get_ipython()
        return {
            "streams": (sys.stdout, sys.stderr, sys.stdin, sys.__stdout__, sys.__stderr__, sys.displayhook),
            "closed": [getattr(stream, "closed", None) for stream in (sys.stdout, sys.stderr, sys.stdin)],
            "asking": (builtins.input, getpass.getpass, sys.breakpointhook),
            "builtins": dict(vars(builtins)),
            "shell": (shell.ask_exit, shell.display_pub.publish),
            "folder": os.getcwd(),
            "environment": dict(os.environ),
            "limits": (sys.getrecursionlimit(), sys.getswitchinterval(), sys.gettrace(), gc.isenabled()),
            "setrecursionlimit": sys.setrecursionlimit,
            "numpy": (np.geterr(), np.get_printoptions()),
            "warnings": list(warnings.filters),
            "path": list(sys.path),
            "modules": [name for name in ("numpy", "eagle_lab", "os") if name not in sys.modules],
            "signals": [signal.getsignal(kind) for kind in (signal.SIGINT, signal.SIGTERM)],
            "logging": (logging.root.level, logging.root.manager.disable),
            "language": current_language(),
            "threads": [thread.name for thread in threading.enumerate() if "own code" in thread.name],
        }

    def draw(self) -> dict:
        """The library's own pictures and texts, which nobody's function has a hand in."""
        panels = [kind(self.pair, self.opening) for kind in (fusion_panel, tree_panel)]
        told = {type(panel).__name__: (panel.message, panel.text, panel.view.png) for panel in panels}
        for panel in panels:
            panel.close()
        return told

    def changes(self) -> list[str]:
        """What is other than it was; put back, so that it is told once."""
        now = self.look()
        if now["threads"] and self.is_calm():
            now["threads"] = []
        told = [f"{name}: {self.short(now[name])}" for name in now if now[name] != self.state[name]]
        self.put_back(now)
        return told

    def unlike(self) -> list[str]:
        """What the library does other than it did: its pictures, its checks of right answers, its texts."""
        told = []
        if self.draw() != self.pictures:
            told.append("the library's own panels")
        told += [f"right {name}" for name in self.right if not exercises.check(name, self.right[name]).passed]
        if record(self.pair, self.opening).decoding.tokens != self.text:
            told.append("a new text")
        self.written += self.generation.step().tokens
        if self.written != self.text[1 : 1 + len(self.written)]:
            told.append("a text in the making")
        if len(self.written) > 30:
            self.generation, self.written = Generation(self.pair, self.ids), []
        return told

    @staticmethod
    def is_calm() -> bool:
        """Whether threads that were left only wait, which costs nothing, or are soon gone."""
        for _ in range(6):
            work = time.process_time()
            time.sleep(0.5)
            if time.process_time() - work < 0.1:
                return True
        return False

    @staticmethod
    def short(value) -> str:
        """A value in few signs."""
        return "…" if isinstance(value, dict) else repr(value)[:150]

    def put_back(self, now: dict) -> None:
        """Make the process what it was."""
        before = self.state
        vars(builtins).update(before["builtins"])
        if now["folder"] != before["folder"]:
            os.chdir(before["folder"])
        os.environ.update(before["environment"])
        sys.setrecursionlimit(before["limits"][0])
        sys.setswitchinterval(before["limits"][1])
        gc.enable()
        np.seterr(**before["numpy"][0])
        np.set_printoptions(**before["numpy"][1])
        warnings.filters[:] = before["warnings"]
        sys.path[:] = before["path"]
        sys.modules["numpy"] = np
        use_language(self.language)
        logging.root.manager.disable = 0
        logging.root.setLevel(before["logging"][0])
