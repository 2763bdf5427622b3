"""V8, which runs scripts while the pages are built: it is started here, and closed however Python ends."""

import atexit

from py_mini_racer import MiniRacer


def started(*scripts: str) -> MiniRacer:
    """Return an engine that has run these scripts."""
    engine = MiniRacer()
    atexit.register(engine.close)  # before a script may fail: an engine left open now and then keeps Python from ending
    for script in scripts:
        engine.eval(script)
    return engine
