"""How far each widget differs from the others in what it owes its reader; test_contract.py holds it to the rest."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Widget:
    """Where a widget stands, and in what it differs from the others, with the reason."""

    tag: str
    page: str
    wrong: str = ""  # a state that the address cannot mean; "" for a widget that keeps nothing there
    reset: str = "Reset"  # the button's name; "" for none
    native: bool = False  # its controls are the browser's own and work without scripts
    roving: str = "none"  # fields that arrow keys reach, behind one stop of Tab
    fetches: bool = False  # what it shows may come later
    result: str = ""  # what a phone shows without a scroll to the side


GRID = "tbody tr:first-child td.output"
WIDGETS = [
    Widget("attention-grid", "learn/read-the-grid/", "row=5&column=5 row=-1&column=x", native=True),
    Widget("attention-grid", "learn/self-and-cross/", "row=3 row=-1", native=True, result=GRID),
    Widget("block-table", "learn/shared-caches/", f"moves=AtBe moves=Ax moves=AtA moves={13 * 'At'}"),
    Widget("call-finder", "reference/translator/", "task=9&in=jaxx"),
    Widget("decode-stepper", "learn/decoding/", "step=9&sees=none"),
    Widget("gradient-flow", "learn/gradients/", "push=5&n=5&divide=maybe", result=".moves b"),
    Widget("head-browser", "learn/real-model/", "layer=6 head=12 row=99 sentence=14", fetches=True),
    Widget("head-switch", "learn/heads/", "order=2&heads=&asks=9", result=".head b >> nth=0"),
    Widget("mask-painter", "learn/masks/", f"mask=2{'0' * 24}&row=9", roving="td input", result=GRID),
    Widget("matrix-strips", "learn/queries-keys-values/", "row=5&column=10&twice=5 row=-1&column=x", native=True),
    Widget(
        *("next-word", "learn/from-text-to-next-word/", "text=cats+flew&row=99&layer=2&head=4&off=all&heat=31&seed=x"),
        fetches=True,
        result=".next tr:first-child td",
    ),
    Widget("order-switch", "learn/order/", "swap=2&positions=&row=99", native=True, result=GRID),
    Widget("pe-explorer", "learn/order/", "p0=32&p1=-1&d=5", result=".total"),
    Widget(
        *("precision-lab", "learn/bits/", "operands=float12&scores=x&softmax=8&output=none&copies=15"),
        result="output >> nth=-1",
    ),
    # Answers are kept in the browser's storage, not in the address.
    Widget("quiz-question", "learn/scores-and-softmax/", reset="Clear my answers", native=True),
    Widget(
        *("roofline-lab", "learn/speed/", "machine=4&pass=train&batch=11&context=8&kv=6&block=5&share=21"),
        result="tfoot td:nth-child(4)",
    ),
    Widget("rotation-dial", "learn/relative-positions/", "p0=13&p1=-1&t0=x", result=".total"),
    Widget("row-stepper", "learn/line-by-line/", "step=9 step=0"),
    Widget(
        "sentence-machine",
        "",
        "scene=6&row=5&guess=x&head=2&swap=2&positions= scene=2.5",
        result=".narrow [data-id=word-4]",
    ),
    Widget("soft-lookup", "learn/lookup/", "asks=3 asks=-1"),
    Widget("softmax-lab", "learn/scores-and-softmax/", "s0=99&s1=x&s2=0.5&t=&toString=1"),
    Widget("softmax-lab", "learn/scaling/", "n=8"),
    Widget("spend-the-budget", "learn/line-by-line/", f"laid=aaf&shown=maybe laid={17 * 'a'}"),
    Widget("tile-stepper", "learn/memory/", "order=sideways&size=9&step=0"),
    Widget("training-replay", "learn/training/", "at=99", result=GRID),
    Widget(
        *("wave-lengths", "learn/distance/", "rule=magic&s=9&n=1&base=1&d=12"),
        result="tbody tr:first-child td:nth-child(2)",
    ),
    Widget("window-sink", "learn/windows-and-sinks/", "left=9&sink=-1&row=7", result=GRID),
]
