"""Check a learner's functions, step by step: the side of the new process.

Every step is compared with the package on inputs that a seed draws. It runs
on the learner's earlier steps where these are right, else on the package's.
`main` writes a line of JSON for each thing that happens, so that the program
knows how far it came if the learner's code never ends.
"""

import copy
import dis
import io
import json
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from attention.practice.mistakes import MISTAKES, Mistake
from attention.practice.sheet import calls_of
from attention.practice.steps import RIGHT, STEPS, Array, Call, Step

# for a call; loops in pure Python take up to 130 times what the package takes
LEAST_SECONDS, TIMES_AS_LONG = 3.0, 500.0
IMPORT_SECONDS, OUR_SECONDS = 10.0, 60.0  # ours: what no learner can delay
MOST_OUTPUT = 100_000  # characters that a step may print
HINTS = {  # what an error's text leads to
    "truth value of an array": "An array has no single truth. What is asked "
    "by `is not None`?",
    "is out of bounds for array of dimension": "How do you name the last "
    "axis, however many there are?",
    "could not be broadcast": "Which shapes do the two arrays have? What does "
    "[:, None] add to one?",
    "not aligned": "Which axes do the two arrays share? Print their shapes.",
    "Axis must be specified": "Which axis counts the rows?",
    "mismatch in its core dim": "Which axes do the two arrays share? Print "
    "their shapes.",
}
NOT_REPEATABLE = {
    "mistake": "not-repeatable",
    "says": "Your function gives another result when it is called again with "
    "the same input.",
    "hint": "Does it draw at random, or keep something from an earlier call?",
}
_NOTHING = {"LOAD_CONST", "RETURN_CONST", "RETURN_VALUE"}  # return None
DOTTED = "softmax", "layer_norm"  # they promise (..., n), others (n, d)


class Outcome(NamedTuple):
    """What a call came to: an array, or why there is none."""

    array: Array | None = None
    trouble: str = ""  # no array came back
    raised: str = ""  # the error, and its line
    changed: bool = False  # an argument is not what it was
    kind: str = ""  # of the array's numbers; "b" are True and False


class _TooMuchError(BaseException):
    pass


class Counter(io.TextIOBase):
    """A standard output that counts, and keeps nothing."""

    def __init__(self) -> None:
        self.written = 0

    def write(self, text: str) -> int:
        """Count what is written, and stop what never ends."""
        self.written += len(text)
        if self.written > MOST_OUTPUT:
            raise _TooMuchError
        return len(text)


def main(file: str, report: str, first: str, replaced: str, seed: str) -> None:
    """Check the steps from `first` on; `replaced` are not right, by name."""
    sys.dont_write_bytecode = True
    path = Path(file).absolute()  # the file may change the folder
    with Path(report).open("a", encoding="utf-8") as lines:

        def tell(**happened: Any) -> None:
            lines.write(json.dumps(happened) + "\n")
            lines.flush()

        tell(began="import", seconds=IMPORT_SECONDS)
        sys.stdout = sys.stderr = Counter()
        try:
            module = imported(path)
        except BaseException as error:
            tell(trouble=where(path, error))
            return
        ours = set(replaced.split(",")) - {""}
        for step in STEPS[int(first) :]:
            calls = calls_of(step, int(seed))

            def begin(
                seconds: float, call: int = -1, step: str = step.name
            ) -> None:
                tell(began=step, seconds=seconds, call=call)

            begin(OUR_SECONDS)
            try:
                told = checked(path, module, step, calls, ours, begin)
            except (Exception, KeyboardInterrupt) as error:
                # whatever strange thing came back, or was raised
                told = unknown(step) | {
                    "state": "error",
                    "says": "The check itself fails on your result, with "
                    f"{where(path, error)}.",
                }
            if told["state"] != "right":
                ours.add(step.name)
            tell(step=told)


def imported(path: Path) -> ModuleType:
    """Import a file, whatever its name."""
    sys.path.append(str(path.parent.absolute()))
    name = "the_learner_s_file"
    loader = SourceFileLoader(name, str(path))
    spec = spec_from_loader(name, loader)
    assert spec is not None
    module = sys.modules[name] = module_from_spec(spec)
    loader.exec_module(module)
    return module


def checked(
    path: Path,
    module: ModuleType,
    step: Step,
    calls: Sequence[Call],
    ours: set[str],
    begin: Callable[..., None] = lambda *_: None,
) -> dict[str, Any]:
    """Say whether a step is right, and if not, why.

    `begin` is told before each call how many seconds it may take.
    """
    told = unknown(step)
    earlier = STEPS[: STEPS.index(step)]
    used = names_in(module, step.functions)
    for other in earlier:
        for name in other.functions:
            if other.name in ours:
                setattr(module, name, RIGHT[name])
                told["ours"] += [name] if name in used else []
    printed = sys.stdout
    silent = getattr(printed, "written", 0)
    for name in step.functions:
        if is_empty(getattr(module, name, None)):
            says = f"{name} is still empty."
            if name == step.functions[0]:
                says = (
                    "It is still empty. Its docstring says what it should do."
                )
            return told | {"state": "empty", "says": says}
        wanted, right, found = list[Call](), list[Outcome](), list[Outcome]()
        for i, call in enumerate(calls):
            if call.function == name:
                before = time.perf_counter()
                right.append(outcome(path, RIGHT[name], call.args))
                spent = time.perf_counter() - before
                begin(max(LEAST_SECONDS, TIMES_AS_LONG * spent), i)
                wanted.append(call)
                found.append(outcome(path, getattr(module, name), call.args))
        begin(OUR_SECONDS)
        judged = judge(name, wanted, found, right)
        if judged.get("state") == "wrong" and "mistake" not in judged:
            since = time.perf_counter()
            for call, one in zip(wanted, found, strict=True):
                if time.perf_counter() - since > LEAST_SECONDS:
                    break
                again = outcome(path, getattr(module, name), call.args)
                if not same(again, one):
                    judged |= NOT_REPEATABLE
                    break
        notes = judged.pop("notes", [])
        told["notes"] += [one for one in notes if one not in told["notes"]]
        if judged and len(step.functions) > 1:
            judged["says"] = f"In {name}: {judged['says']}"
        if judged:
            return told | judged
    if getattr(printed, "written", 0) > silent:
        told["notes"].append("It prints; remove that when you are done.")
    return told


def unknown(step: Step) -> dict[str, Any]:
    """Start what is told of a step: nothing against it."""
    return {
        "name": step.name,
        "state": "right",
        "mistake": None,
        "says": "",
        "hint": "",
        "see": step.see,
        "ours": [],
        "notes": [],
    }


def is_empty(function: Any) -> bool:
    """Tell whether a function is not there, or does nothing yet."""
    if not callable(function):
        return True
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        return False
    steps = [one for one in dis.get_instructions(code)
             if one.opname not in ("RESUME", "NOP")]  # fmt: skip
    if "NotImplementedError" in code.co_names:
        return not any(one.opname.startswith("RETURN") for one in steps)
    return {one.opname for one in steps} <= _NOTHING and all(
        one.argval is None for one in steps
    )


def names_in(module: ModuleType, functions: Sequence[str]) -> set[str]:
    """Return the names that functions use, and those that these use."""
    found, left = set[str](), list(functions)
    while left:
        code = getattr(getattr(module, left.pop(), None), "__code__", None)
        new = set(code.co_names if code else ()) - found
        found |= new
        left += new
    return found


# --- one call ----------------------------------------------------------------


def outcome(
    path: Path, function: Callable[..., Any], args: tuple[Any, ...]
) -> Outcome:
    """Call a function on copies of its arguments."""
    given = copy.deepcopy(args)
    try:
        with np.errstate(all="ignore"):
            value = function(*given)
    except KeyboardInterrupt:  # in a notebook, of somebody who waits
        raise
    except BaseException as error:
        return Outcome(raised=where(path, error))
    changed = not _equal(given, args)
    if value is None:
        return Outcome(trouble="It returns None: is there a return?")
    try:
        array = np.asarray(value)
        if array.dtype == bool or np.issubdtype(array.dtype, np.number):
            numbers = array.astype(float)
            return Outcome(numbers, changed=changed, kind=array.dtype.kind)
    except (TypeError, ValueError):
        pass
    kind = type(value).__name__
    return Outcome(trouble=f"It returns a {kind}, of which NumPy makes no "
                   "array of numbers.")  # fmt: skip


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(
            _equal(one[key], other[key]) for key in one
        )
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    return np.array_equal(one, other)


def same(one: Outcome, other: Outcome, single: bool = False) -> bool:
    """Tell whether two calls came to the same."""
    if one.array is None or other.array is None:
        alike = one.trouble == other.trouble != ""
        return alike or bool(one.raised and other.raised)
    if one.array.shape != other.array.shape:
        return False
    return bool(_close(one.array, other.array, single).all())


def _close(one: Array, right: Array, single: bool = False) -> Array:
    """Tell which numbers agree, to rounding in an array of their size."""
    size = np.abs(right[np.isfinite(right)]).max(initial=1e-3)
    step = (1e-4 if single else 1e-5) * float(size)
    close: Array = np.isclose(one, right, rtol=0, atol=step, equal_nan=True)
    return close


# --- all calls of a function -------------------------------------------------


def judge(
    name: str,
    calls: Sequence[Call],
    found: Sequence[Outcome],
    right: Sequence[Outcome],
) -> dict[str, Any]:
    """Say what is wrong with the outcomes of a function; nothing if right."""
    fits = [
        same(one, other, _is_single(call))
        for call, one, other in zip(calls, found, right, strict=True)
    ]
    notes = []
    for i, call in enumerate(calls):
        lost = found[i].array is None or not _alike(found[i], right[i])
        if call.batch and not fits[i] and (lost or name not in DOTTED):
            fits[i] = True  # what a loop over rows need not foresee
            notes = ["It is made for one sequence, not for a batch of them."]
        if call.note and not fits[i]:
            fits[i] = True
            notes = [*notes, call.note]
    if all(fits):
        if any(one.changed for one in found):
            return {
                "state": "wrong",
                "mistake": "input-changed",
                "says": "Your result is right, but your function changes an "
                "array that it was given.",
                "hint": "Whose array does -= or [...] = write to?",
            }
        if right[0].kind == "b" != found[0].kind:
            notes += ["It returns numbers. NumPy's ~ and [mask] want True and "
                      "False; .astype(bool) makes them."]  # fmt: skip
        return {"notes": notes}
    if all(
        fit for call, fit in zip(calls, fits, strict=True) if not call.batch
    ):
        last = fits.index(False)
        return _difference(calls[last], found[last], right[last]) | {
            "mistake": "axis-from-the-front",
            "says": "Your result is right for one sequence. Of a batch it "
            "takes another axis than the last.",
            "hint": "How do you name the last axis, however many there are?",
        }
    known = _named(name, calls, found, fits)
    if known:
        return {
            "state": "wrong",
            "mistake": known.name,
            "says": known.says,
            "hint": known.hint,
            "see": known.see,
        }
    first = fits.index(False)
    single = [i for i, call in enumerate(calls) if not call.batch]
    return _difference(calls[first], found[first], right[first]) | _digits(
        [found[i] for i in single], [right[i] for i in single]
    )


def _digits(
    found: Sequence[Outcome], right: Sequence[Outcome]
) -> dict[str, str]:
    """Say whether all that a result lacks are the digits after the point."""
    pairs = list[tuple[Array, Array]]()
    for one, other in zip(found, right, strict=True):
        if one.array is None or other.array is None:
            return {}
        if one.array.shape != other.array.shape:
            return {}
        pairs.append((one.array, other.array))
    if all(np.array_equal(other, other.round()) for _, other in pairs):
        return {}  # numbers of words, True and False
    if all(one.kind in "iu" for one in found):
        return {
            "mistake": "whole-numbers",
            "says": "Your result holds whole numbers only: what comes after "
            "the point is lost.",
            "hint": "Which of your arrays was made of integers? What do // "
            "and astype(int) do?",
        }
    for decimals in range(5):
        if all(
            np.allclose(one, other.round(decimals), rtol=0, atol=1e-9)
            for one, other in pairs
        ):
            return {
                "mistake": "rounded",
                "says": f"Your result is rounded to {decimals} decimals.",
                "hint": "The example rounds what it prints. Should the "
                "function do so?",
            }
    return {}


def _is_single(call: Call) -> bool:
    return any(
        isinstance(x, np.ndarray) and x.dtype == np.float32 for x in call.args
    )


def _alike(one: Outcome, other: Outcome) -> bool:
    assert one.array is not None
    assert other.array is not None
    return one.array.shape == other.array.shape


def _named(
    name: str,
    calls: Sequence[Call],
    found: Sequence[Outcome],
    fits: Sequence[bool],
) -> Mistake | None:
    """Find the mistake that does the same, first on all calls.

    If there are several mistakes at once, one may still explain what happens
    on ordinary calls: without a mask, and without large numbers.
    """
    both = list(zip(calls, found, strict=True))
    ordinary = [pair for pair in both if not pair[0].special]
    is_ordinary = not all(
        fit for call, fit in zip(calls, fits, strict=True) if not call.special
    )
    for pairs in (both, ordinary if is_ordinary else ()):
        for known in MISTAKES:
            if known.function == name and _explains(known.wrong, pairs):
                return known
    return None


def _explains(
    wrong: Callable[..., Any], pairs: Sequence[tuple[Call, Outcome]]
) -> bool:
    """Tell whether a wrong version does the same, and not by errors alone."""
    agree = 0
    for call, one in pairs:
        if call.batch:
            continue
        theirs = outcome(Path(), wrong, call.args)
        if not same(one, theirs, _is_single(call)):
            return False
        agree += one.array is not None
    return agree > 0


def _difference(call: Call, found: Outcome, right: Outcome) -> dict[str, Any]:
    """Describe the smallest input on which a function differs."""
    given = described(call)
    if found.raised:
        printed = found.raised.startswith("it prints")
        says = f"It raises {found.raised}"
        says = found.raised.capitalize() + "." if printed else says
        hint = next((h for text, h in HINTS.items() if text in says), "")
        return {"state": "error", "says": says, "call": given, "hint": hint}
    told = {"state": "wrong", "call": given, "says": found.trouble}
    if found.array is None:
        return told
    assert right.array is not None
    told |= {"yours": _written(found.array), "right": _written(right.array)}
    if found.array.shape != right.array.shape:
        says = (
            f"Its result has the shape {found.array.shape}; it should have "
            f"{right.array.shape}."
        )
        if found.array.shape == right.array.shape[::-1]:
            says += " It is transposed."
    elif np.isnan(found.array).any():
        says = "Its result holds nan, which is no number: where is 0 / 0, or "
        says += "inf - inf?"
    else:
        differs = ~_close(found.array, right.array, _is_single(call))
        at = tuple(int(i) for i in np.argwhere(differs)[0])
        place = "".join(f"[{i}]" for i in at)
        says = (
            f"It differs first at {place or 'its number'}: "
            f"{found.array[at]:.8g}, where {right.array[at]:.8g} is right."
        )
    return told | {"says": says}


def described(call: Call) -> str:
    """Write a call as a learner would type it, if it is small."""
    return f"{call.function}({', '.join(map(_written, call.args))})"


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return "{...}"
    if not isinstance(value, np.ndarray):
        return repr(value)
    shown = value if value.dtype == bool else value.round(6) + 0
    text = np.array2string(shown, separator=", ", threshold=40)
    return " ".join(text.split())


def where(path: Path, error: BaseException) -> str:
    """Name an error, and the line of the file in which it arose."""
    if isinstance(error, SyntaxError) and error.lineno:
        return f"{type(error).__name__} in line {error.lineno}: {error.msg}"
    here = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).name == path.name
    ]
    name = type(error).__name__
    text = " ".join(str(error).split())[:200]
    if isinstance(error, SystemExit):
        name, text = "SystemExit", "this ends Python"
    line = f" in line {here[-1]}" if here else ""
    if isinstance(error, _TooMuchError):
        return f"it prints more than {MOST_OUTPUT} characters{line}"
    return f"{name}{line}: {text}" if text else f"{name}{line}"
