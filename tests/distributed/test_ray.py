"""Ray: the totals of one process on a cluster of two nodes, one of which is lost."""

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from parts_of_corpora import SHARDS, write_model, write_texts

from isogloss.distributed.jobs import Corpus, score_in_parts
from isogloss.distributed.ray import score_with_ray
from isogloss.tasks.ner.scoring import ner
from isogloss.tasks.registry import get_task
from isogloss.tasks.scoring import parse_call, score

pytestmark = [pytest.mark.extra, pytest.mark.ray, pytest.mark.filterwarnings("ignore")]
ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")
SUPPORT = str(Path(__file__).parents[1] / "support")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from ray.cluster_utils import Cluster  # noqa: PLC0415  Ray takes seconds to import

    os.environ["PYTHONPATH"] = os.pathsep.join([SUPPORT, *filter(None, [os.environ.get("PYTHONPATH")])])
    os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    made.add_node(num_cpus=1)
    ray.init(address=made.address, log_to_driver=False, logging_level="ERROR")
    yield made
    ray.shutdown()
    made.shutdown()


def open_corpus(task: str, reference: str | None, prediction: str, **options: Any) -> Corpus:
    found = get_task(task)
    call = parse_call(found, options)
    opened = found.open_systems(reference, [prediction], call.options, call.scoring_options)
    return Corpus(found, list(opened), call.options, call.scoring_options)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    for name, label in (("gold", "PER"), ("sys", "LOC")):
        text = "".join(f"Ada\tB-{'PER' if k % 3 else label}\nmet\tO\n\n" for k in range(2000))
        Path(tmp_path, f"{name}.conll").write_text(text)
    return str(tmp_path / "gold.conll"), str(tmp_path / "sys.conll")


def test_a_cluster_of_two_nodes_gives_the_run_of_one_process(
    cluster: Any, files: tuple[str, str], tmp_path: Path
) -> None:
    (run,) = score_with_ray(open_corpus("ner", *files), str(tmp_path), size=10_000)
    assert run.to_json() == ner(*files).to_json()
    assert len(list(tmp_path.glob("*.iso"))) > 3


def test_recognisers_run_in_actors_that_load_them_once_with_a_gpu_each(cluster: Any, tmp_path: Path) -> None:
    write_texts(tmp_path, random.Random(6))
    model, loads = write_model(tmp_path)
    texts, options = str(tmp_path / "a"), {"language": "uk", "recognisers": [model]}
    node = cluster.add_node(num_cpus=1, num_gpus=1)  # Ray counts GPUs that there are not
    cluster.wait_for_nodes()
    corpus = open_corpus("code-switching", None, texts, **options)
    (run,) = score_with_ray(corpus, str(tmp_path), size=2_000)
    cluster.remove_node(node)
    notes = [line.split() for line in loads.read_text().splitlines()]
    assert [gpus for process, *gpus in notes if process != str(os.getpid())] == [["0"]]
    assert len(list(tmp_path.glob("*.iso"))) == SHARDS
    assert run.to_json() == score("code-switching", texts, **options).to_json()


def test_a_lost_node_changes_no_total(cluster: Any, files: tuple[str, str], tmp_path: Path) -> None:
    from slow_engine import SlowEngine  # noqa: PLC0415  it needs Ray

    node = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()

    def lose() -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end and len(list(tmp_path.glob("*.begun"))) < 3:
            time.sleep(0.05)
        cluster.remove_node(node, allow_graceful=False)

    thread = Thread(target=lose)
    thread.start()
    (run,) = score_in_parts(open_corpus("ner", *files), SlowEngine(), str(tmp_path), size=10_000)
    thread.join()
    assert run.to_json() == ner(*files).to_json()
