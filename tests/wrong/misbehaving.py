"""Functions that misbehave, as text: what a learner might type into a notebook's cell instead of an answer.

Each is run in a kernel of its own process, since some of them would end the tests'. `right` is at hand there: by
exercise, a right answer that the function may come to after all.
"""

from typing import NamedTuple

HEADS = {
    "normalize_fusion_weights": "weights",
    "fuse_layer_features": "layer_features, weights",
    "score_candidate_tree": "nodes",
    "accepted_prefix": "draft_tokens, target_tokens",
    "tree_attention_mask": "parents",
    "verify_tree": "parents, tokens, choices",
}
NORMALIZE, FUSE, SCORE, PREFIX, MASK, VERIFY = HEADS
HERE = "# ←"  # ends the lines of which one is to be named


class Misbehaving(NamedTuple):
    """`ends`: "raises", "endless", "answers" (what is no answer), "right" after all, or "either" of these."""

    kind: str
    exercise: str
    ends: str
    source: str

    @property
    def title(self) -> str:
        """What its first telling line says."""
        lines = [line.strip() for line in self.source.splitlines() if not line.startswith(("def ", "import ", "from "))]
        told = [line for line in lines if line.endswith(HERE)] or lines or self.source.splitlines()
        return told[0].removesuffix(HERE).strip()[:60]

    @property
    def named(self) -> list[str]:
        """The lines of which one must be named, each with its number: "3: return 1 / 0  # ←"."""
        numbered = enumerate(self.source.splitlines(), start=1)
        told = self.ends in ("raises", "endless")
        return [f"{number}: {line.strip()[:80]}" for number, line in numbered if told and line.endswith(HERE)]


def typed(kind: str, exercise: str, ends: str, body: str, top: str = "") -> Misbehaving:
    """The exercise's function with this body; `top`: what stands above it in the cell. RIGHT: the right answer."""
    body = body.replace("RIGHT", f"right[{exercise!r}]({HEADS[exercise]})")
    inside = "".join(f"    {line}\n" for line in body.splitlines())
    return Misbehaving(kind, exercise, ends, f"{top}\n" * bool(top) + f"def {exercise}({HEADS[exercise]}):\n{inside}")


def bound(kind: str, exercise: str, ends: str, value: str, top: str = "") -> Misbehaving:
    """The exercise's name for something that no `def` made."""
    return Misbehaving(kind, exercise, ends, f"{top}\n" * bool(top) + f"{exercise} = {value}\n")


def error_class(base: str, *methods: str) -> str:
    """A class of errors with methods of a line each."""
    return f"class MyError({base}):\n" + "".join(f"    {method}\n" for method in methods or ("pass",))


RAISING = [
    typed("raises", NORMALIZE, "raises", "raise SystemExit  # ←"),
    typed("raises", FUSE, "raises", "raise KeyboardInterrupt  # ←"),
    typed("raises", SCORE, "raises", "raise GeneratorExit('enough')  # ←"),
    typed("raises", PREFIX, "raises", "raise MyError  # ←", error_class("BaseException")),
    typed("raises", MASK, "raises", "raise ExceptionGroup('several', [ValueError(1), TypeError(2)])  # ←"),
    typed("raises", VERIFY, "raises", "raise BaseExceptionGroup('several', [KeyboardInterrupt()])  # ←"),
    typed("raises", NORMALIZE, "raises", "assert sum(weights) == 17  # ←"),
    typed("raises", FUSE, "raises", "raise StopIteration  # ←"),
    typed("raises", VERIFY, "raises", "raise ValueError('\\ud800 half a sign')  # ←"),
    typed("raises", MASK, "raises", "return eval('1 +')  # ←"),
    typed("raises", SCORE, "raises", "raise KeyError(nodes[0])  # ←"),
    typed("raises", PREFIX, "raises", "raise StopAsyncIteration  # ←"),
    typed("raises", NORMALIZE, "raises", "a, b = weights * 5  # ←"),
    typed("raises", VERIFY, "raises", "raise IOError(5, 'disk', 'no file')  # ←"),
    typed("hostile error", NORMALIZE, "raises", "raise MyError  # ←", error_class("Exception", "__str__ = None")),
    typed("hostile error", FUSE, "raises", "raise MyError  # ←", error_class("Exception", "def __str__(self): 1 / 0")),
    typed(
        "hostile error", SCORE, "raises", "raise MyError  # ←", error_class("Exception", "def __repr__(self): 1 / 0")
    ),
    typed(
        *("hostile error", PREFIX, "raises", "raise MyError  # ←"),
        error_class("Exception", "__hash__ = None", "def __eq__(self, other): 1 / 0"),
    ),
    typed(
        *("hostile error", MASK, "endless", "raise MyError"),
        error_class("Exception", "def __str__(self):", "    while True: pass  # ←"),
    ),
    typed(
        *("hostile error", VERIFY, "raises", "raise MyError  # ←"),
        error_class("Exception", "def __str__(self): return 'x' * 10**7"),
    ),
    typed("hostile error", NORMALIZE, "raises", "raise ValueError('x' * 10**7)  # ←"),
    typed(
        *("hostile error", SCORE, "raises", "raise MyError  # ←"),
        error_class("Exception", "def __getattribute__(self, name): raise RuntimeError(name)"),
    ),
    typed(
        *("hostile error", FUSE, "raises"),
        "error = ValueError('in a ring')\nerror.__cause__ = error\nraise error  # ←",
    ),
    typed("hostile error", MASK, "raises", "raise ValueError('<b>bold</b> & \\x1b[31mred\\r')  # ←"),
]

LEAVING = [
    typed("exit", NORMALIZE, "raises", "exit()  # ←"),
    typed("exit", FUSE, "raises", "quit()  # ←"),
    typed("exit", SCORE, "raises", "sys.exit('bye')  # ←", "import sys"),
    typed("exit", PREFIX, "raises", "get_ipython().ask_exit()  # ←"),
    typed("exit", MASK, "raises", "get_ipython().run_line_magic('exit', '')  # ←"),
    typed("exit", VERIFY, "raises", "exit  # a name alone does nothing\nreturn exit()  # ←"),
    typed("exit", SCORE, "either", "_thread.interrupt_main()\nreturn RIGHT", "import _thread"),
    typed("exit", PREFIX, "either", "signal.raise_signal(signal.SIGINT)\nreturn RIGHT", "import signal"),
]

ENDLESS = [
    typed("endless", NORMALIZE, "endless", "while True: pass  # ←"),
    typed("endless", FUSE, "endless", "while True:  # ←\n    try: len(weights)  # ←\n    except Exception: pass"),
    typed("endless", SCORE, "endless", "while True:  # ←\n    try: nodes[-1]  # ←\n    except: pass"),
    typed(
        *("endless", PREFIX, "endless"),
        "while True:\n    try:\n        while True: pass  # ←\n    except:\n        pass\n    finally:\n        pass",
    ),
    typed(
        *("endless", MASK, "endless"),
        "while True:\n    try:\n        while True: pass  # ←\n    except BaseException:\n        continue",
    ),
    typed(
        *("endless", VERIFY, "endless"),
        "accepted, node = [], -1\nwhile choices[1 + node] is not None:  # ←\n    accepted.append(node)  # ←\n"
        "return accepted, 0",
    ),
    typed("endless", NORMALIZE, "endless", "time.sleep(60)  # ←", "import time"),
    typed("endless", FUSE, "endless", "threading.Event().wait()  # ←", "import threading"),
    typed(
        "endless", SCORE, "endless", "with lock: pass  # ←", "import threading\nlock = threading.Lock()\nlock.acquire()"
    ),
    typed("endless", PREFIX, "endless", "queue.Queue().get()  # ←", "import queue"),
    typed("endless", MASK, "endless", "for _ in itertools.cycle([1]): pass  # ←", "import itertools"),
    typed("endless", VERIFY, "endless", "return sum(1 for _ in iter(int, 1))  # ←"),
    typed("endless", NORMALIZE, "raises", "return normalize_fusion_weights(weights)  # ←"),
    typed(
        *("endless", SCORE, "raises"),
        "sys.setrecursionlimit(10**9)  # ←\nreturn score_candidate_tree(nodes)  # ←",
        "import sys",
    ),
    typed("endless", VERIFY, "raises", "return max([1, 2], key=lambda _: verify_tree(parents, tokens, choices))  # ←"),
    typed("endless", FUSE, "endless", "asyncio.run(asyncio.sleep(60))  # ←", "import asyncio"),
    typed(
        *("endless", MASK, "endless"),
        "subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])  # ←",
        "import subprocess, sys",
    ),
    typed(
        *("endless", PREFIX, "endless", "mine, theirs = socket.socketpair()\nmine.recv(1)  # ←"),
        "import socket",
    ),
    typed("endless", NORMALIZE, "endless", "n = 3\nwhile n != 1:  # ←\n    n += 2  # ←\nreturn weights"),
    typed(
        *("endless", FUSE, "endless", "with Door():\n    while True: pass  # ←"),
        "class Door:\n    def __enter__(self): pass\n    def __exit__(self, *_): return True",
    ),
    typed(
        *("endless", SCORE, "endless", "del Clinging().x"),
        "class Clinging:\n    def __delattr__(self, name):\n        while True: pass  # ←",
    ),
]

CLASSES = {
    "Longest": "    def __len__(self):\n        while True: pass  # ←\n    def __getitem__(self, i): return 1",
    "Looping": "    def __iter__(self):\n        while True: yield 1",
    "Bottomless": "    def __getitem__(self, i): return 1",
    "Slow": "    def __float__(self):\n        while True: pass",
    "Listing": "    def tolist(self):\n        while True: pass  # ←",
    "Unequal": "    def __eq__(self, other):\n        while True: pass\n    __hash__ = None",
    "Attributes": "    def __getattr__(self, name):\n        while True: pass  # ←",
    "Liar": "    def __len__(self): return 2\n    __getitem__ = tolist = lambda self, *_: self",
    "Hostile": "    def __getattribute__(self, name): raise SystemExit(name)  # ←",
}


def answering(exercise: str, ends: str, value: str, name: str = "", base: str = "") -> Misbehaving:
    """A function that returns an object of one of these classes."""
    top = f"class {name}{base}:\n{CLASSES[name]}" if name else ""
    return typed("strange answer", exercise, ends, f"return {value}", top)


ANSWERING = [
    answering(NORMALIZE, "endless", "Listing()", "Listing"),
    answering(FUSE, "answers", "Looping()", "Looping"),
    answering(SCORE, "either", "Bottomless(), []", "Bottomless"),
    answering(PREFIX, "either", "Slow()", "Slow"),
    answering(MASK, "either", "[Unequal()] * 2", "Unequal"),
    answering(VERIFY, "either", "Attributes()", "Attributes"),
    answering(FUSE, "either", "Liar()", "Liar"),
    answering(NORMALIZE, "either", "Hostile()", "Hostile"),
    answering(SCORE, "either", "Looping([1]), [2]", "Looping", "(list)"),
    answering(PREFIX, "either", "Longest([1])", "Longest", "(list)"),
    answering(NORMALIZE, "answers", "(weight for weight in weights)"),
    answering(NORMALIZE, "either", "range(10**12)"),
    answering(FUSE, "answers", "[1.0] * 10**7"),
    answering(MASK, "answers", "[[0] * 3000] * 3000"),
    answering(SCORE, "answers", "'x' * 10**7"),
    answering(VERIFY, "answers", "{'accepted': [], 'token': 1}"),
    answering(PREFIX, "answers", "int"),
    answering(MASK, "answers", "float('nan')"),
    answering(VERIFY, "answers", "{1, 2}"),
    answering(FUSE, "either", "10**5000"),
    answering(PREFIX, "answers", "10**400"),
    answering(SCORE, "answers", "[1j], [2j]"),
    answering(FUSE, "answers", "__import__('decimal').Decimal('sNaN')"),
    answering(NORMALIZE, "answers", "[None, 'a', b'b', ..., NotImplemented]"),
    answering(VERIFY, "answers", "lambda: ([], 0)"),
    *(
        typed("numpy answer", exercise, "answers", f"return np.{value}", "import numpy as np")
        for exercise, value in [
            (NORMALIZE, "array([1, 'a', None], dtype=object)"),
            (FUSE, "array(['2020-01-01'], dtype='datetime64[D]')"),
            (SCORE, "zeros(3, dtype=[('a', int), ('b', float)])"),
            (PREFIX, "array([[3]])"),
            (MASK, "ones((2, 2, 2, 2, 2))"),
            (VERIFY, "ma.masked_all(3)"),
            (MASK, "full((4, 4), np.nan, dtype=np.float16)"),
            (NORMALIZE, "array(5)"),
        ]
    ),
    typed("strange answer", MASK, "either", "knot = []\nknot.append(knot)\nreturn knot"),
    typed("strange answer", FUSE, "either", "deep = []\nfor _ in range(10**5): deep = [deep]\nreturn deep"),
    typed("strange answer", VERIFY, "answers", "return [True], True"),
    typed("strange answer", NORMALIZE, "answers", "yield from weights"),
]

MEMORY = [
    typed("memory", NORMALIZE, "raises", "return [0] * 10**11  # ←"),
    typed("memory", FUSE, "endless", "grown = []\nwhile True: grown.append(weights)  # ←"),
    typed("memory", SCORE, "raises", "return 'x' * 10**12  # ←"),
    typed("memory", MASK, "raises", "return np.ones((10**6, 10**6))  # ←", "import numpy as np"),
    typed("memory", VERIFY, "raises", "return bytearray(10**13)  # ←"),
    typed("memory", PREFIX, "endless", "seen = {}\nwhile True: seen[len(seen)] = seen  # ←"),
]

PRINTING = [
    typed("prints", NORMALIZE, "right", "print('x' * 10**7)\nreturn RIGHT"),
    typed("prints", FUSE, "endless", "while True: print('and again')  # ←"),
    typed("prints", SCORE, "right", "for n in range(20000): print(n)\nreturn RIGHT"),
    typed("prints", PREFIX, "right", "print('x' * 10**7, file=sys.stderr)\nreturn RIGHT", "import sys"),
    typed("prints", MASK, "right", "os.write(1, b'x' * 3000 + b'\\n')\nreturn RIGHT", "import os"),
    typed(
        *("prints", VERIFY, "right", "for n in range(300): display(n)\nreturn RIGHT"),
        "from IPython.display import display",
    ),
    typed("prints", NORMALIZE, "endless", "while True: display(weights)  # ←", "from IPython.display import display"),
    typed(
        *("prints", FUSE, "right", "for n in range(2000): logging.warning('line %s', n)\nreturn RIGHT"),
        "import logging",
    ),
    typed("prints", SCORE, "right", "for n in range(500): warnings.warn(f'no {n}')\nreturn RIGHT", "import warnings"),
    typed("prints", PREFIX, "right", "clear_output()\nreturn RIGHT", "from IPython.display import clear_output"),
    typed("prints", MASK, "raises", "sys.stdout.write(5)  # ←", "import sys"),
    typed("prints", VERIFY, "raises", "sys.stdout.buffer.write(b'bytes')  # ←", "import sys"),
    typed("prints", NORMALIZE, "right", "print('\\ud800', flush=True)\nreturn RIGHT"),
    typed(
        *("prints", FUSE, "endless", "print(Endless())"),
        "class Endless:\n    def __str__(self):\n        while True: pass  # ←",
    ),
    typed("prints", SCORE, "right", "print('x' * 5000, file=sys.__stdout__)\nreturn RIGHT", "import sys"),
]

ASKING = [
    typed("asks", NORMALIZE, "raises", "return input('weights? ')  # ←"),
    typed("asks", FUSE, "raises", "return getpass.getpass()  # ←", "import getpass"),
    typed("asks", SCORE, "raises", "return sys.stdin.read()  # ←", "import sys"),
    typed("asks", PREFIX, "raises", "return int(sys.stdin.readline())  # ←", "import sys"),
    typed("asks", MASK, "either", "breakpoint()\nreturn RIGHT"),
    typed("asks", VERIFY, "either", "pdb.set_trace()\nreturn RIGHT", "import pdb"),
    typed("asks", FUSE, "raises", "for line in sys.stdin: print(line)  # ←", "import sys"),
    typed("asks", SCORE, "endless", "while True:  # ←\n    try: return input()  # ←\n    except EOFError: pass  # ←"),
]

STREAMS = [
    typed("streams", NORMALIZE, "right", "sys.stdout.close()\nreturn RIGHT", "import sys"),
    typed("streams", FUSE, "right", "sys.stdout = sys.stderr = None\nreturn RIGHT", "import sys"),
    typed("streams", SCORE, "right", "del sys.stdout, sys.stderr\nreturn RIGHT", "import sys"),
    typed("streams", PREFIX, "right", "sys.stderr = open(os.devnull, 'w')\nreturn RIGHT", "import os, sys"),
    typed("streams", MASK, "right", "sys.stdin.close()\nreturn RIGHT", "import sys"),
    typed("streams", VERIFY, "either", "os.close(1)\nreturn RIGHT", "import os"),
    typed("streams", NORMALIZE, "right", "sys.stdout.write = None\nreturn RIGHT", "import sys"),
    typed(
        *("streams", FUSE, "right", "contextlib.redirect_stdout(io.StringIO()).__enter__()\nreturn RIGHT"),
        "import contextlib, io",
    ),
    typed("streams", SCORE, "right", "sys.__stdout__.flush()\nsys.stdin = None\nreturn RIGHT", "import sys"),
]

CHANGING = [
    typed("arguments", NORMALIZE, "answers", "shares = RIGHT\nweights.clear()\nreturn shares"),
    typed("arguments", FUSE, "answers", "fused = RIGHT\nlayer_features[0].append(5)\nreturn fused"),
    typed(
        *("arguments", SCORE, "answers", "scored = RIGHT\nnodes[0]['parent'] = Hostile()\nreturn scored"),
        "class Hostile:\n    def __repr__(self): raise SystemExit\n    def __deepcopy__(self, memo): raise SystemExit",
    ),
    typed("arguments", MASK, "answers", "rows = RIGHT\nparents.append(parents)\nreturn rows"),
    typed("arguments", VERIFY, "answers", "walk = RIGHT\nchoices[:] = [0] * len(choices)\nreturn walk"),
    typed(
        "arguments",
        PREFIX,
        "endless",
        "for token in draft_tokens: draft_tokens.append(token)  # ←\nwhile True: pass  # ←",
    ),
    typed("globals", NORMALIZE, "either", "global calls\ncalls += 1\nreturn [calls] * len(weights)", "calls = 0"),
    typed("globals", FUSE, "right", "global sorted\nsorted = None\nreturn RIGHT"),
    typed("globals", SCORE, "right", "global exercises_\nexercises_ = None\nglobals()['__name__'] = 'x'\nreturn RIGHT"),
    typed("builtins", PREFIX, "right", "answer = RIGHT\nbuiltins.len = None\nreturn answer", "import builtins"),
    typed(
        "builtins",
        MASK,
        "right",
        "answer = RIGHT\nbuiltins.print = builtins.open = None\nreturn answer",
        "import builtins",
    ),
    typed(
        "builtins",
        VERIFY,
        "either",
        "answer = RIGHT\nbuiltins.setattr = builtins.getattr = None\nreturn answer",
        "import builtins",
    ),
    typed("builtins", NORMALIZE, "either", "answer = RIGHT\ndel builtins.isinstance\nreturn answer", "import builtins"),
    typed("builtins", FUSE, "either", "answer = RIGHT\nbuiltins.__import__ = None\nreturn answer", "import builtins"),
    typed("state", SCORE, "right", "np.seterr(all='raise')\nreturn RIGHT", "import numpy as np"),
    typed("state", PREFIX, "right", "warnings.simplefilter('error')\nreturn RIGHT", "import warnings"),
    typed(
        "state", MASK, "right", "random.seed(0)\nnp.random.seed(0)\nreturn RIGHT", "import random\nimport numpy as np"
    ),
    typed("state", VERIFY, "right", "answer = RIGHT\nsys.path.clear()\nreturn answer", "import sys"),
    typed("state", NORMALIZE, "right", "os.chdir('/')\nreturn RIGHT", "import os"),
    typed(
        *("state", FUSE, "right", "os.chdir(tempfile.mkdtemp())\nos.rmdir(os.getcwd())\nreturn RIGHT"),
        "import os, tempfile",
    ),
    typed("state", SCORE, "raises", "signal.signal(signal.SIGINT, signal.SIG_IGN)  # ←", "import signal"),
    typed("state", PREFIX, "right", "sys.setrecursionlimit(60)\nreturn RIGHT", "import sys"),
    typed("state", MASK, "right", "sys.setswitchinterval(1000)\nreturn RIGHT", "import sys"),
    typed("state", VERIFY, "either", "sys.settrace(lambda *_: 1 / 0)\nreturn RIGHT", "import sys"),
    typed("kept", FUSE, "right", "np.set_printoptions(precision=0)\nreturn RIGHT", "import numpy as np"),
    typed("kept", SCORE, "right", "os.environ.clear()\nreturn RIGHT", "import os"),
    typed("kept", PREFIX, "right", "gc.disable()\nreturn RIGHT", "import gc"),
    typed("kept", MASK, "right", "logging.disable()\nlogging.basicConfig(level=0)\nreturn RIGHT", "import logging"),
    typed("kept", VERIFY, "right", "sys.modules.pop('textwrap', None)\nreturn RIGHT", "import sys"),
    typed(
        *("threads", NORMALIZE, "right", "threading.Thread(target=time.sleep, args=(1,)).start()\nreturn RIGHT"),
        "import threading, time",
    ),
    typed(
        *("kept", FUSE, "right", "threading.Thread(target=talk, daemon=True).start()\nreturn RIGHT"),
        "import threading, time\ndef talk():\n    for n in range(20):\n        print(n)\n        time.sleep(0.01)",
    ),
    typed(
        *("threads", SCORE, "right", "async def answer(): return RIGHT\nreturn asyncio.run(answer())"),
        "import asyncio",
    ),
    typed("threads", PREFIX, "raises", "asyncio.get_running_loop()  # ←", "import asyncio"),
    typed(
        *("threads", VERIFY, "raises"),
        "with ThreadPoolExecutor() as pool: return pool.submit(sys.exit).result()  # ←",
        "import sys\nfrom concurrent.futures import ThreadPoolExecutor",
    ),
]

NO_FUNCTIONS = [
    bound("no function", NORMALIZE, "raises", "5"),
    bound("no function", FUSE, "raises", "17"),
    bound("no function", SCORE, "raises", "'scores'"),
    bound("no function", MASK, "raises", "[[1]]"),
    bound("no function", VERIFY, "raises", "([], 1)"),
    bound("no function", PREFIX, "raises", "__import__('math')"),
    Misbehaving("signature", NORMALIZE, "raises", "def normalize_fusion_weights(): return 1\n"),
    Misbehaving("signature", FUSE, "raises", "def fuse_layer_features(a, b, c): return 1\n"),
    Misbehaving("signature", SCORE, "raises", "def score_candidate_tree(*, nodes): return 1\n"),
    Misbehaving("signature", PREFIX, "answers", "async def accepted_prefix(a, b): return 1\n"),
    Misbehaving("signature", MASK, "answers", "class tree_attention_mask:\n    def __init__(self, parents): pass\n"),
    Misbehaving("signature", VERIFY, "answers", "async def verify_tree(a, b, c):\n    yield 1\n"),
    bound("callable", NORMALIZE, "answers", "len"),
    bound("callable", FUSE, "raises", "functools.lru_cache(right['fuse_layer_features'])", "import functools"),
    bound("callable", SCORE, "right", "functools.partial(right['score_candidate_tree'])", "import functools"),
    bound("callable", MASK, "answers", "lambda parents: None"),
    bound("callable", PREFIX, "raises", "classmethod(lambda a, b: 1)"),
    bound("callable", VERIFY, "right", "staticmethod(right['verify_tree'])"),
    Misbehaving(
        *("callable", MASK, "either"),
        "class Everything:\n    def __getattr__(self, name): return self\n    def __call__(self, *_): return self\n"
        "tree_attention_mask = Everything()\n",
    ),
    Misbehaving(
        *("callable", VERIFY, "either"),
        "class Nameless:\n    @property\n    def __name__(self): raise SystemExit\n"
        "    def __call__(self, *given): return right['verify_tree'](*given)\nverify_tree = Nameless()\n",
    ),
    Misbehaving(
        *("callable", NORMALIZE, "either"),
        "class Endless:\n    def __getattr__(self, name):\n        while True: pass\n"
        "    def __call__(self, weights): return right['normalize_fusion_weights'](weights)\n"
        "normalize_fusion_weights = Endless()\n",
    ),
    Misbehaving(
        *("callable", FUSE, "raises"),
        "def fuse_layer_features(layer_features, weights): return 1 / 0  # ←\n"
        "fuse_layer_features.__wrapped__ = fuse_layer_features\n",
    ),
    Misbehaving(
        *("callable", PREFIX, "raises"),
        "exec('def accepted_prefix(a, b):\\n    return 1 / 0')\n",
    ),
    Misbehaving(
        *("callable", SCORE, "raises"),
        "import functools\ndef logged(function):\n    @functools.wraps(function)\n"
        "    def wrapper(*given):\n        return function(*given)\n    return wrapper\n"
        "@logged\ndef score_candidate_tree(nodes):\n    return nodes[0].score, []  # ←\n",
    ),
    Misbehaving(
        *("callable", NORMALIZE, "raises"),
        "def total(weights):\n    return sum(weights) / 0  # ←\n"
        "def normalize_fusion_weights(weights):\n    return total(weights)\n",
    ),
    Misbehaving(
        *("callable", MASK, "either"),
        "class Odd:\n    __hash__ = None\n    def __eq__(self, other): raise SystemExit\n"
        "    def __bool__(self): raise SystemExit\n"
        "    def __call__(self, parents): return right['tree_attention_mask'](parents)\ntree_attention_mask = Odd()\n",
    ),
]

UNSTEADY = [
    typed("unsteady", PREFIX, "answers", "return random.random()", "import random"),
    typed("unsteady", MASK, "either", "turn.append(1)\nif len(turn) > 9: raise SystemExit\nreturn RIGHT", "turn = []"),
    typed(
        *("unsteady", VERIFY, "either"),
        "turn.append(1)\nwhile len(turn) > 12: pass  # ←\nreturn RIGHT",
        "turn = []",
    ),
    typed("own tools", NORMALIZE, "raises", "exercises.test_normalize_fusion_weights(normalize_fusion_weights)  # ←"),
    typed("own tools", VERIFY, "either", "round_player(pair)\nreturn RIGHT", "from eagle_lab import round_player"),
    typed(
        "own tools",
        SCORE,
        "either",
        "speculative_decode(pair, [1, 2], 8)\nreturn RIGHT",
        "from eagle_lab import speculative_decode",
    ),
]

MISBEHAVING = [
    *(*RAISING, *LEAVING, *ENDLESS, *ANSWERING, *MEMORY, *PRINTING, *ASKING, *STREAMS, *CHANGING, *NO_FUNCTIONS),
    *UNSTEADY,
]

# ── what no thread survives: each in a kernel of its own ─────────────────────────────────────────

KILLING = [
    typed("kills", NORMALIZE, "kills", "os._exit(1)", "import os"),
    typed("kills", FUSE, "kills", "ctypes.string_at(0)", "import ctypes"),
    typed("kills", MASK, "kills", "os.kill(os.getpid(), signal.SIGTERM)", "import os, signal"),
    typed("kills", VERIFY, "kills", "os.abort()", "import os"),
]
HOLDING = [  # C code that lets no other thread run until it ends
    typed("holds", NORMALIZE, "holds", "return 10**10**7"),
    typed("holds", FUSE, "holds", "return sum(range(10**9))"),
    typed("holds", PREFIX, "holds", "return re.match('(a*)*b', 'a' * 26)", "import re"),
    typed("holds", VERIFY, "holds", "return list(iter(int, 1))"),
    typed("holds", MASK, "holds", "return sum(itertools.cycle([1]))", "import itertools"),
]
