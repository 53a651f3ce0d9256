"""Milvus Lite in a process of its own: it is written in Python, and would hold up whatever else the program does.

python lite.py FOLDER       prints its port, or what is wrong, and serves until its input ends, however that comes about
"""

from __future__ import annotations

import sys

LOCKED = "locked"


def main() -> None:
    """What the command line asks for."""
    from milvus_lite.adapter.grpc.server import start_server_in_thread
    from milvus_lite.exceptions import DataDirLockedError

    try:
        server, database, port = start_server_in_thread(
            data_dir=sys.argv[1], host="127.0.0.1", port=0
        )
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


if __name__ == "__main__":
    main()
