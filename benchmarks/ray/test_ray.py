"""The contract of engines for Ray, on a cluster of two nodes that runs on this machine.

make test-ray
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import ray
from ray.cluster_utils import Cluster

from engine_contract import EngineContract, SlowLlm, extracted, write_documents, write_manifest
from kg_neo4j.settings import Settings, forbid_reports_of_use
from kg_neo4j_scale.engines.choice import EngineOptions
from kg_neo4j_scale.extract import extract

# A busy machine delays heartbeats; the default gives a node up after some 15 s.
PATIENT = {"health_check_timeout_ms": 60_000, "health_check_failure_threshold": 20}


forbid_reports_of_use()


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[Cluster]:
    found = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False, "_system_config": PATIENT}
    )
    found.add_node(num_cpus=2)
    ray.init(address=found.address, log_to_driver=False)
    yield found
    ray.shutdown()
    found.shutdown()


class TestRay(EngineContract):
    engine = EngineOptions("ray", workers=2)
    marks = ("ray::MapWorker",)

    def test_a_node_that_dies_loses_nothing(
        self, cluster: Cluster, tmp_path: Path, online: Settings, slow: SlowLlm
    ) -> None:
        node = cluster.add_node(num_cpus=2)
        work = write_manifest(write_documents(tmp_path / "docs", 40), tmp_path / "work.jsonl")
        removed: list[int] = []

        def remove() -> None:
            while sum(slow.asked.values()) < 12:
                time.sleep(0.05)
            cluster.remove_node(node, allow_graceful=False)
            removed.append(sum(slow.asked.values()))

        remover = threading.Thread(target=remove)
        remover.start()
        engine = EngineOptions("ray", workers=4)
        report = extract(to=str(tmp_path / "out"), settings=online, manifest=work, engine=engine)
        remover.join()
        assert removed
        assert removed[0] < 2 * 40
        assert (len(extracted(tmp_path / "out")), report.skipped, report.failed_chunks) == (40, (), ())
