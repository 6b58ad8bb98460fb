"""Mutants of the right answers: each differs in one place, as by a slip of the hand."""

import ast
import sys
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import nbformat

from . import right
from solutions import SOLUTIONS, solve

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "en" / "04_exercises.ipynb"
STEPS, SIZE = 2_000, 100_000  # lines, and bytes of a value: right answers need some hundred of both
SMALL = 20  # nodes
OTHERS = {
    ast.Eq: [ast.NotEq, ast.LtE, ast.GtE],
    ast.NotEq: [ast.Eq, ast.Gt],
    ast.Lt: [ast.LtE, ast.Gt, ast.NotEq],
    ast.LtE: [ast.Lt, ast.GtE],
    ast.Gt: [ast.GtE, ast.Lt, ast.NotEq],
    ast.GtE: [ast.Gt, ast.LtE],
    ast.In: [ast.NotIn],
    ast.Add: [ast.Sub, ast.Mult],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Add, ast.Div],
    ast.Div: [ast.Mult, ast.FloorDiv],
    ast.BitOr: [ast.BitAnd],
    ast.And: [ast.Or],
    ast.Or: [ast.And],
}
PARTNERS = {"min": "max", "max": "min", "any": "all", "all": "any", "sum": "max", "sorted": "list", "list": "sorted"}


class Mutant(NamedTuple):
    """A right answer, `name`, after one change; `source` is the function that was changed, perhaps one it calls."""

    exercise: str
    name: str
    source: str
    function: Callable


@cache
def mutants() -> tuple[Mutant, ...]:
    """All single changes of the notebook's reference answers, of the stub's, and of those in `right`."""
    cells = solve(nbformat.read(NOTEBOOK, as_version=4)).cells
    notebook = "\n\n".join(cell.source for cell in cells if SOLUTIONS.keys() & set(cell.metadata.get("tags", [])))
    exercises = [exercise for exercise in right.RIGHT if exercise != "candidate_tree_contract"]  # the same functions
    by_name = [(exercise, exercise) for exercise in exercises]
    own = [(exercise, function.__name__) for exercise in exercises for function in right.RIGHT[exercise]]
    found = [*_mutants(notebook, by_name, _with_other_names), *_mutants(notebook, by_name, _changes)]
    found += _mutants(right.STUB.format(**right.FILLINGS), by_name, _changes)
    found += _mutants(Path(right.__file__).read_text(encoding="utf-8"), own, _changes)
    return tuple({mutant[:3]: mutant for mutant in found}.values())


def _mutants(text: str, answers: list[tuple[str, str]], changes) -> Iterator[Mutant]:
    body = ast.parse(text).body
    functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
    called = {name: {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} for name, node in functions.items()}

    def rests_on(name, other):
        return name == other or any(rests_on(n, other) for n in called[name] & functions.keys() - {name})

    for changed, function in functions.items():
        users = [(exercise, name) for exercise, name in answers if name in functions and rests_on(name, changed)]
        for source in dict.fromkeys(changes(function)) if users else ():
            nodes = [ast.parse(source).body[0] if node is function else node for node in body]
            names = {"__name__": right.__name__}
            exec(compile(ast.Module(nodes, []), "mutant", "exec"), names)
            yield from (Mutant(exercise, name, source, within_bounds(names[name])) for exercise, name in users)


def within_bounds(function):
    """`function`, but a call that does not end, or grows without end, raises: every line is looked at."""

    def bounded(*arguments):
        if max(map(len, arguments)) > SMALL:  # which is asked last: one that does not end has been found by then
            return function(*arguments)
        left = STEPS

        def trace(frame, event, argument):
            nonlocal left
            left -= 1
            if left < 0 or any(sys.getsizeof(value) > SIZE for value in frame.f_locals.values()):
                raise RuntimeError("does not end")
            return trace if frame.f_code.co_filename == "mutant" else None

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            return function(*arguments)
        finally:
            sys.settrace(before)

    return bounded


# ── what may be changed ──────────────────────────────────────────────────────────────────────────


def _changes(function: ast.FunctionDef) -> Iterator[str]:
    """The function's source after every single change; the function itself is left as it was."""
    for parent in ast.walk(function):
        for field, value in ast.iter_fields(parent):
            for other in _instead_of_items(value, parent) if isinstance(value, list) else _instead(value):
                setattr(parent, field, other)
                yield ast.unparse(ast.fix_missing_locations(function))
            setattr(parent, field, value)


def _with_other_names(function: ast.FunctionDef) -> Iterator[str]:
    """The function's source with one of its names read in the place of another."""
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    own = {node.id for node in names if isinstance(node.ctx, ast.Store)} | {arg.arg for arg in function.args.args}
    for node in names:
        before = node.id
        for other in sorted(own - {before}) if before in own and isinstance(node.ctx, ast.Load) else ():
            node.id = other
            yield ast.unparse(function)
        node.id = before


def _instead_of_items(items: list, parent: ast.AST) -> Iterator[list]:
    for place, item in enumerate(items):
        yield from ([*items[:place], other, *items[place + 1 :]] for other in _instead(item))
        if isinstance(item, ast.stmt):
            yield [*items[:place], *(items[place + 1 :] or [ast.Pass()])]
        elif (len(items) > 1 and isinstance(parent, ast.BoolOp | ast.Call)) or isinstance(parent, ast.comprehension):
            yield [*items[:place], *items[place + 1 :]]
    for place, (first, second) in enumerate(pairwise(items)):
        swapped = [*items[:place], second, first, *items[place + 2 :]]
        if isinstance(first, ast.stmt) or isinstance(parent, ast.Call | ast.Tuple):
            yield swapped
        if isinstance(first, ast.For | ast.While):  # what follows a loop slips into it
            inside = type(first)(**{**dict(ast.iter_fields(first)), "body": [*first.body, second]})
            yield [*items[:place], inside, *items[place + 2 :]]
        if isinstance(second, ast.For | ast.While | ast.If) and len(second.body) > 1:  # and what ends one, out of it
            outside = type(second)(**{**dict(ast.iter_fields(second)), "body": second.body[:-1]})
            yield [*items[: place + 1], outside, second.body[-1], *items[place + 2 :]]


def _instead(node) -> Iterator[ast.AST]:
    """What may stand in the place of one node."""
    yield from (other() for other in OTHERS.get(type(node), []))
    match node:
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield from (ast.Constant(value + 1), ast.Constant(value - 1))
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.IfExp(test=test, body=body, orelse=other):
            yield from (body, other, ast.IfExp(test, other, body))
        case ast.Name(id=name) if name in PARTNERS:
            yield ast.Name(PARTNERS[name])
        case ast.Call(func=ast.Name(), args=[only], keywords=keywords):
            yield only
            yield from [ast.Call(node.func, [only], [])] if keywords else []
        case ast.Subscript(slice=ast.Slice() | ast.Tuple() | ast.Constant()):
            pass
        case ast.Subscript(value=value, slice=index, ctx=use):
            yield from (ast.Subscript(value, ast.BinOp(index, op(), ast.Constant(1)), use) for op in (ast.Add, ast.Sub))
            yield from [index] if isinstance(use, ast.Load) else []
        case ast.Slice(lower=lower, upper=upper):
            yield from (ast.Slice(), ast.Slice(upper, lower))
        case ast.AugAssign(target=target, value=value):
            yield ast.Assign([target], value)
        case ast.If(test=test, body=body, orelse=other):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, other)
        case ast.While(test=test, body=body, orelse=other):
            yield ast.While(ast.UnaryOp(ast.Not(), test), body, other)
        case ast.Break():
            yield ast.Continue()
        case ast.For(target=target, iter=numbers, body=body, orelse=other):
            yield from (ast.For(target, fewer, body, other) for fewer in _shortened(numbers))
        case ast.comprehension(target=target, iter=numbers, ifs=ifs):
            yield from (ast.comprehension(target, fewer, ifs, 0) for fewer in _shortened(numbers))
            yield from (ast.comprehension(target, numbers, [ast.UnaryOp(ast.Not(), test)], 0) for test in ifs[:1])


def _shortened(numbers: ast.expr) -> Iterator[ast.expr]:
    whole = ast.Call(ast.Name("list"), [numbers], [])
    yield ast.Subscript(whole, ast.Slice(lower=ast.Constant(1)))
    yield ast.Subscript(whole, ast.Slice(upper=ast.Constant(-1)))
