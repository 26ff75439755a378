"""Ray: the totals of one process on a cluster of two nodes, one of which is lost."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from isogloss.distributed.jobs import score_in_parts
from isogloss.distributed.ray import score_with_ray
from isogloss.tasks.ner.scoring import ner

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


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    for name, label in (("gold", "PER"), ("sys", "LOC")):
        text = "".join(f"Ada\tB-{'PER' if k % 3 else label}\nmet\tO\n\n" for k in range(2000))
        Path(tmp_path, f"{name}.conll").write_text(text)
    return str(tmp_path / "gold.conll"), str(tmp_path / "sys.conll")


def test_a_cluster_of_two_nodes_gives_the_run_of_one_process(
    cluster: Any, files: tuple[str, str], tmp_path: Path
) -> None:
    from ray_corpus import open_corpus  # noqa: PLC0415  it needs Ray

    (run,) = score_with_ray(open_corpus(*files), str(tmp_path), size=10_000)
    assert run.to_json() == ner(*files).to_json()
    assert len(list(tmp_path.glob("*.iso"))) > 3


def test_a_lost_node_changes_no_total(cluster: Any, files: tuple[str, str], tmp_path: Path) -> None:
    from ray_corpus import SlowEngine, open_corpus  # noqa: PLC0415  it needs Ray

    node = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()

    def lose() -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end and len(list(tmp_path.glob("*.begun"))) < 3:
            time.sleep(0.05)
        cluster.remove_node(node, allow_graceful=False)

    thread = Thread(target=lose)
    thread.start()
    (run,) = score_in_parts(open_corpus(*files), SlowEngine(), str(tmp_path), size=10_000)
    thread.join()
    assert run.to_json() == ner(*files).to_json()
