"""Geometry of the report's drawings."""

import pytest

from optimize.plots import ChartPoint, Curve, fitted, frontier, risk_plot, scatter, strips
from optimize.statistics import Paired
from programs.results.rendering import clipped


@pytest.mark.parametrize(
    ("numbers", "ticks"),
    [
        ((0.0, 1.0), (0.0, 0.25, 0.5, 0.75, 1.0)),
        ((-0.07, 0.19), (-0.1, 0.0, 0.1, 0.2)),
        ((0.0, 12699.0), (0.0, 5000.0, 10000.0, 15000.0)),
        ((0.5, 0.5), (0.45, 0.475, 0.5, 0.525, 0.55)),
        ((0.0, 1e-7), (0.0, 2.5e-8, 5e-8, 7.5e-8, 1e-7)),
    ],
)
def test_ticks_are_round_and_hold_all_numbers(numbers, ticks):
    assert fitted(numbers, 0, 100).ticks == pytest.approx(ticks)


def test_a_scale_maps_numbers_onto_places():
    scale = fitted((0.0, 1.0), 200, 0)
    assert (scale(0), scale(0.5), scale(1)) == (200, 100, 0)
    assert [name for _, name in scale.named()] == ["0.00", "0.25", "0.50", "0.75", "1.00"]
    assert [name for _, name in fitted((0, 12699), 0, 1).named()] == ["0", "5,000", "10,000", "15,000"]


def drawn(drawing, style):
    return [shape for shape in drawing.shapes if shape.style.split()[: len(style.split())] == style.split()]


def test_an_interval_is_a_dot_on_a_line_over_zero():
    axis, (drawing,) = strips([("a metric", Paired(0.05, -0.1, 0.2, None, None, 9, 3), "unclear")], "means")
    (dot,) = drawn(drawing, "dot")
    assert dot.attributes["cx"] == fitted((-0.1, 0.2), 18, 262)(0.05)
    assert [len(drawn(drawing, style)) for style in ("zero", "whisker", "cap")] == [1, 1, 2]
    assert (drawing.title, drawing.description) == ("a metric", "+0.050, 95 % interval −0.100 to +0.200")
    assert (axis.title, axis.description) == ("means", "axis from -0.1 to 0.2")


def test_a_single_paper_gives_a_dot_without_a_line():
    _, (drawing, none) = strips([("m", Paired(0.1, None, None, None, None, 9, 1), "unclear"), ("n", None, "other")], "")
    assert len(drawn(drawing, "dot")) == 1
    assert drawn(drawing, "whisker") == []
    assert none is None


def test_a_small_gain_on_val_looks_small():
    points = [ChartPoint("a", 10, 0.50, "before"), ChartPoint("b", 5, 0.51, "other")]
    named = [words.text for words in drawn(scatter(points, "tokens", "objective"), "words")]
    assert {"0.45", "0.55"} <= set(named)


def test_names_of_points_that_are_close_do_not_stand_on_each_other():
    points = [ChartPoint("a", 10, 0.5, "before", "uncompiled"), ChartPoint("b", 9.9, 0.501, "after", "chosen")]
    first, second = [each.attributes["y"] for each in drawn(scatter(points, "tokens", "objective"), "words name")]
    assert second - first >= 12


def test_the_frontier_is_what_nothing_cheaper_equals():
    points = [ChartPoint("a", 10, 0.5, "before"), ChartPoint("b", 5, 0.3, "other"), ChartPoint("c", 20, 0.5, "other")]
    assert [each.name for each in frontier(points)] == ["b", "a"]
    drawing = scatter(points, "tokens", "objective")
    assert "the best for its cost: b, a" in drawing.description
    assert len(drawn(drawing, "dot")) == 3


def test_a_curve_goes_on_as_far_as_questions_are_answered():
    curve = Curve("program", (0.0, 0.5), 4, 0.25, "after")
    (trace,) = drawn(risk_plot([curve], "error"), "trace")
    assert len(trace.attributes["points"].split()) == 2
    assert curve.points[-1] == (0.5, 0.5)


def test_a_long_text_says_how_much_is_left_out():
    assert clipped("x" * 1500, 1000) == "x" * 1000 + " … [500 more characters]"
    assert clipped("short", 1000) == "short"
