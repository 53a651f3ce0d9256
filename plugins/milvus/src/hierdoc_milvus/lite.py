"""Milvus Lite in a process of its own: it is written in Python, and would hold up whatever else the program does.

python lite.py FOLDER       prints its port, or what is wrong, and serves until its input ends, however that comes about

FOLDER/collections/NAME/    Milvus Lite's files of a collection
FOLDER/sealed/NAME.json     their checksums, while nobody has the folder open; of a collection that is damaged, until it is dropped
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from hierdoc import IndexDamagedError
from hierdoc.plugin import seal, unseal

LOCKED = "locked"


def main() -> None:
    """What the command line asks for."""
    from milvus_lite.adapter.grpc.server import start_server_in_thread
    from milvus_lite.db import MilvusLite
    from milvus_lite.exceptions import DataDirLockedError

    folder = Path(sys.argv[1])
    try:
        server, database, port = start_server_in_thread(
            data_dir=str(folder), host="127.0.0.1", port=0
        )
        _unseal_all(
            folder
        )  # nobody knows the port yet, and a collection's files are opened when it is asked for
    except DataDirLockedError:
        print(LOCKED)
        return
    except Exception as error:  # told to whoever started it
        print(f"{type(error).__name__}: {error}".replace("\n", " "))
        return
    print(port, flush=True)
    sys.stdin.buffer.read()
    server.stop(grace=2).wait()
    database.close()
    # Another process may have opened the folder meanwhile: then it seals it. A full disk: nothing is compared then.
    with suppress(DataDirLockedError, OSError), MilvusLite(str(folder)):
        _seal_all(folder)


def files_of(folder: Path, collection: str) -> Path:
    """The folder with a collection's files."""
    return folder / "collections" / collection


def seal_of(folder: Path, collection: str) -> Path:
    """The file with the checksums of a collection; while its folder is served, it is there only if the collection is damaged."""
    return folder / "sealed" / f"{collection}.json"


def _unseal_all(folder: Path) -> None:
    for files in _collections(folder):
        with suppress(IndexDamagedError):  # its seal stays and says so
            unseal(files, seal_of(folder, files.name))


def _seal_all(folder: Path) -> None:
    for files in _collections(folder):
        file = seal_of(folder, files.name)
        if not file.exists():
            file.parent.mkdir(exist_ok=True)
            seal(files, file)


def _collections(folder: Path) -> Iterator[Path]:
    return (files for files in (folder / "collections").iterdir() if files.is_dir())


if __name__ == "__main__":
    main()
