"""A Dask cluster, if there is one to work on.

Whoever has work for other machines asks here for the client of a scheduler, hands it tasks that are
pure functions, and gets results in order. What a lost worker was working on is computed again by
another one. Inside of a task there is no cluster: work that is part of other work is done on the
spot, as by the threads of :mod:`._parallel`, so that tasks never wait for tasks.

Dask is imported when a scheduler is named, never before.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from typing import Any, TypeVar

T = TypeVar("T")

#: How often a task that failed is tried again.
RETRIES = 3

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
        return _connected(scheduler)
    if not callable(getattr(scheduler, "submit", None)) or not hasattr(scheduler, "scatter"):
        raise TypeError(
            "scheduler must be the address of a Dask scheduler or a dask.distributed.Client, got "
            f"{type(scheduler).__name__}."
        )
    return scheduler


def address_of(scheduler: Any) -> Any:
    """The address of the scheduler of a client; anything else as it is."""
    return getattr(getattr(scheduler, "scheduler", None), "address", scheduler)


def current_client() -> Any:
    """The client that Dask collections are computed by, if there is one."""
    distributed = sys.modules.get("distributed")
    if distributed is None or in_task():
        return None
    try:
        return distributed.default_client()
    except ValueError:
        return None


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


def in_turn(start: Callable[[int], Iterable[Any]], mend: Callable[[], None]) -> Iterator[Any]:
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
                result = waiting.popleft().result()
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
