"""A Dask cluster, if there is one to work on.

Whoever has work for other machines asks here for the client of a scheduler, hands it tasks that are
pure functions, and gets results in order. What a lost worker was working on is computed again by
another one. Workers must have the version of the package that is here, or scores could differ. What
cannot go on is an error: a scheduler that is gone, or workers of which none can work. Inside of a
task there is no cluster: work that is part of other work is done on the spot, as by the threads of
:mod:`._parallel`, so that tasks never wait for tasks.

Dask is imported when a scheduler is named, never before.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from ._version import __version__

T = TypeVar("T")

#: How often a task that failed is tried again.
RETRIES = 3
#: Seconds that workers have to answer, and after which those that give no result are looked at.
DEADLINE = 30.0

#: Connections that were made to addresses; they are kept for the next fit.
_connections: dict[str, Any] = {}


def client_of(scheduler: Any) -> Any:
    """The client of a scheduler: given by its address, or a client already; None for none.

    Inside of a task, and without a scheduler, there is none.
    """
    if scheduler is None:
        return None
    try:
        import distributed  # noqa: F401 - is it there?
    except ImportError:
        raise ImportError(
            "scheduler needs Dask, which is not installed: pip install 'unsuprank[dask]'."
        ) from None
    if in_task():
        return None
    if isinstance(scheduler, str):
        return _with_this_version(_connected(scheduler))
    if not callable(getattr(scheduler, "submit", None)) or not hasattr(scheduler, "scatter"):
        raise TypeError(
            "scheduler must be the address of a Dask scheduler or a dask.distributed.Client, got "
            f"{type(scheduler).__name__}."
        )
    return _with_this_version(scheduler)


def address_of(scheduler: Any) -> Any:
    """The address of the scheduler of a client; anything else as it is."""
    return getattr(getattr(scheduler, "scheduler", None), "address", scheduler)


def current_client() -> Any:
    """The client that Dask collections are computed by, if there is one."""
    distributed = sys.modules.get("distributed")
    if distributed is None or in_task():
        return None
    try:
        client = distributed.default_client()
    except ValueError:
        return None
    return _with_this_version(client)


def _with_this_version(client: Any) -> Any:
    """The client, if all of its workers answer and have this version of the package."""
    answers: SimpleQueue[dict[str, Any]] = SimpleQueue()

    def ask() -> None:
        # By a function of Python's own: a worker without the package could not load one of ours.
        version = "__import__('unsuprank').__version__"
        answers.put(client.run(eval, version, on_error="return"))

    _require_scheduler(client)
    threading.Thread(target=ask, daemon=True).start()
    try:
        versions = answers.get(timeout=DEADLINE)
    except Empty:
        raise TimeoutError(
            f"Not all Dask workers of {address_of(client)} have answered within {DEADLINE:g} s; "
            "restart those that are stuck."
        ) from None
    for worker, found in versions.items():
        if found != __version__:
            said = found if isinstance(found, str) else "that cannot be imported"
            raise RuntimeError(
                f"The Dask worker at {worker} has an unsuprank {said}, and here it is "
                f"{__version__}; install the same version everywhere."
            )
    return client


def _require_scheduler(client: Any) -> None:
    if client.status != "running":
        raise ConnectionError(
            f"The Dask scheduler at {address_of(client)} is gone, or does not answer any more; "
            "start it again, and connect to it."
        )


def in_task() -> bool:
    """Tell whether a worker of a cluster is what runs this."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    try:
        distributed.get_worker()
    except ValueError:
        return False
    return True


def _connected(address: str) -> Any:
    import distributed

    client = _connections.get(address)
    if client is None or client.status != "running":
        try:
            client = distributed.Client(address, set_as_default=False)
        except OSError as error:
            raise ConnectionError(
                f"There is no Dask scheduler at {address!r}; start one, or correct the address."
            ) from error
        _connections[address] = client
    return client


def share(client: Any, value: T) -> Any:
    """A future of a small value: the scheduler knows it, and no loss of a worker loses it."""
    return submit(client, _itself, value)


def _itself(value: T) -> T:
    return value


def send(client: Any, value: Any) -> Any:
    """A future of a large value that goes to all workers at once.

    Dask may let go of all copies but one, and the loss of its worker is that of the value.
    """
    return client.scatter(value, broadcast=True, hash=False)


def submit(client: Any, function: Callable[..., T], *args: Any) -> Any:
    """A future of ``function(*args)``, with the results of those arguments that are futures."""
    return client.submit(function, *args, pure=False, retries=RETRIES)


def result_of(client: Any, future: Any) -> Any:
    """The result of a future; an error if there is nobody left to find it."""
    while True:
        try:
            return future.result(timeout=DEADLINE)
        except TimeoutError:
            if future.done():  # it is an error of the task's own
                raise
            _require_workers(client)
        except CancelledError:
            _require_scheduler(client)
            raise


def _require_workers(client: Any) -> None:
    """Refuse to wait if no worker has memory left and is heard of."""
    _require_scheduler(client)
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    heard = [w for w in workers if time.time() - w["last_seen"] < 2 * DEADLINE]
    if not any(w["status"] == "running" for w in heard):
        raise RuntimeError(
            f"No Dask worker of {address_of(client)} can work: of {len(workers)}, "
            f"{len(workers) - len(heard)} do not answer, and {len(heard)} have paused because "
            "their memory is full; start some, or give them more memory."
        )


def in_turn(
    client: Any, start: Callable[[int], Iterable[Any]], mend: Callable[[], None]
) -> Iterator[Any]:
    """The results of futures in order; each is let go of when it was fetched.

    ``start(k)`` gives the futures from number `k` on. If data were lost that nobody else has,
    ``mend()`` is called to send them again, and what is left is started anew.
    """
    done = 0
    for lives in reversed(range(RETRIES + 1)):
        waiting: deque[Any] = deque()
        try:
            waiting.extend(start(done))
            while waiting:
                result = result_of(client, waiting.popleft())
                yield result
                done += 1
            return
        except CancelledError:
            if not lives:
                raise
            mend()
        finally:
            for future in waiting:
                future.cancel()
