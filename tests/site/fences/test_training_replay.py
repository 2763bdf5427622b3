"""The training replay: its arcs and its dot are the recorded weights and losses; states.yaml has its words."""

import pytest

from tests.site.fences.reading import Figure

REPLAY = Figure.sound("training-replay")


@pytest.mark.parametrize(("n", "step"), [*enumerate(REPLAY.given["checkpoints"])])
def test_arcs_are_the_weights_and_a_dot_is_at_the_step_and_the_loss(n, step):
    picture, (first, second) = REPLAY.live(at=n).find(".//figure"), step["weights"]
    arcs = [float(arc.get("style").partition(":")[2]) for arc in picture.findall(".//{*}path[@class='arc']")]
    assert arcs == pytest.approx([15 * weight for weight in (*first[:2], *second)])  # no line below the one that asks
    dot = picture.find(".//{*}circle")
    at = float(dot.get("cx")), float(dot.get("cy"))
    assert at == pytest.approx((160 * n / 2, 90 * (1 - step["loss"] / 1.4)), abs=5e-3)
