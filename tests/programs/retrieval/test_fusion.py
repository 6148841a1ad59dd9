import pytest
import qdrant_edge as edge
from hypothesis import given, settings
from hypothesis import strategies as st

from programs.retrieval.fusion import reciprocal_rank_fusion


def test_scores_are_the_published_formula_with_ranks_from_zero():
    fused = reciprocal_rank_fusion([["a", "b"], ["b", "c"]], k=60)
    assert {one.id: one.score for one in fused} == {
        "b": pytest.approx(1 / 62 + 1 / 61),
        "a": pytest.approx(1 / 61),
        "c": pytest.approx(1 / 62),
    }
    assert [one.id for one in fused] == ["b", "a", "c"]


def test_every_item_keeps_its_rank_in_each_list():
    first, *_ = reciprocal_rank_fusion([["x", "a"], ["a"], ["y"]])
    assert (first.id, first.ranks) == ("a", (1, 0, None))


def test_an_id_twice_in_a_list_counts_once():
    assert reciprocal_rank_fusion([["a", "a", "b"]]) == reciprocal_rank_fusion([["a", "b"]])


def test_weights_scale_their_list():
    fused = reciprocal_rank_fusion([["a"], ["b"]], weights=[1.0, 2.0])
    assert [one.id for one in fused] == ["b", "a"]
    assert fused[0].score == pytest.approx(2 / 61)


def test_equal_scores_are_ordered_by_id():
    assert [one.id for one in reciprocal_rank_fusion([["b"], ["a"]])] == ["a", "b"]


@pytest.mark.parametrize("limit", range(1, 7))
def test_a_limit_leaves_out_the_rest(limit):
    lists = [["d", "b", "c"], ["a", "d", "e"], ["c"]]
    assert reciprocal_rank_fusion(lists, limit=limit) == reciprocal_rank_fusion(lists)[:limit]


def test_nothing_in_gives_nothing_out():
    assert reciprocal_rank_fusion([]) == []
    assert reciprocal_rank_fusion([[], []]) == []


@pytest.mark.parametrize(("k", "weights"), [(-1, None), (60, [1.0])])
def test_wrong_constants_are_refused(k, weights):
    with pytest.raises(ValueError, match=r"must be at least 0|weights for 2 lists"):
        reciprocal_rank_fusion([["a"], ["b"]], k, weights)


@pytest.fixture(scope="module")
def shard(tmp_path_factory):
    """Thirty points in an engine with two dense arms that order them differently."""
    config = edge.EdgeConfig(
        vectors={name: edge.EdgeVectorParams(size=2, distance=edge.Distance.Dot) for name in ("left", "right")}
    )
    shard = edge.EdgeShard.create(str(tmp_path_factory.mktemp("engine")), config)
    points = [edge.Point(i, {"left": [1.0 + i, 1.0], "right": [1.0 + (i * 7) % 30, 1.0]}, {"n": i}) for i in range(30)]
    shard.update(edge.UpdateOperation.upsert_points(points))
    yield shard
    shard.close()


@settings(max_examples=25, deadline=None, derandomize=True)
@given(limit=st.integers(1, 30), k=st.integers(1, 80), sign=st.sampled_from([1.0, -1.0]))
def test_the_ranking_is_that_of_the_engines_own_fusion(shard, limit, k, sign):
    queries = [edge.Query.Nearest([1.0, 0.0], using="left"), edge.Query.Nearest([sign, 0.0], using="right")]
    lists = [[str(point.id) for point in shard.query(edge.QueryRequest(limit=limit, query=query))] for query in queries]
    prefetches = [edge.Prefetch(limit=limit, query=query) for query in queries]
    request = edge.QueryRequest(limit=60, query=edge.Fusion.Rrf(k=k + 1), prefetches=prefetches)
    theirs = {str(point.id): point.score for point in shard.query(request)}
    ours = reciprocal_rank_fusion(lists, k)
    assert {one.id for one in ours} == set(theirs)
    assert [theirs[one.id] for one in ours] == pytest.approx(sorted(theirs.values(), reverse=True))
    assert [one.score for one in ours] == pytest.approx([theirs[one.id] for one in ours], rel=1e-5)
