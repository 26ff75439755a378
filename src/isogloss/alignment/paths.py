"""Paths between two nodes of a directed graph, which may lead through the ground."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

Node = int
Steps = Callable[[Node], Iterator[Node | None]]
"""The nodes next to a node; None is the ground."""


class Search:
    """The nodes that are reached from one node, found one after the other.

    Args:
        start: where the search begins.
        steps: the nodes next to a node.

    Attributes:
        start: where the search began.
        ground: a found node next to the ground, if there is one.
    """

    def __init__(self, start: Node, steps: Steps) -> None:
        self.start = start
        self.ground: Node | None = None
        self._steps = steps
        self._queue = deque([start])
        self._came_from: dict[Node, Node | None] = {start: None}

    def __contains__(self, node: Node) -> bool:
        return node in self._came_from

    @property
    def is_over(self) -> bool:
        """Whether all nodes are found."""
        return not self._queue

    @property
    def is_stuck(self) -> bool:
        """Whether all nodes are found, and none of them is next to the ground."""
        return self.ground is None and not self._queue

    def advance(self) -> list[Node]:
        """Look at one more node, if any is left; the nodes that are found there."""
        if not self._queue:
            return []
        node = self._queue.popleft()
        found = []
        for after in self._steps(node):
            if after is None:
                self.ground = node
            elif after not in self._came_from:
                self._came_from[after] = node
                found.append(after)
        self._queue.extend(found)
        return found

    def trail(self, node: Node) -> list[Node]:
        """The nodes from a found one back to the start."""
        trail = []
        at: Node | None = node
        while at is not None:
            trail.append(at)
            at = self._came_from[at]
        return trail


def path_between(forward: Search, back: Search) -> list[list[Node]]:
    """A path from the start of one search to the start of another that follows the edges backwards.

    Both searches advance in turn, so that the smaller of the two neighbourhoods bounds the work.

    Returns:
        one path, or one that ends at the ground and one that begins there, without a common node; nothing where there
        is no path.
    """
    meeting = forward.start if forward.start in back else None
    while meeting is None:
        if forward.ground is not None and back.ground is not None:
            return [forward.trail(forward.ground)[::-1], back.trail(back.ground)]
        if (forward.is_over and back.is_over) or forward.is_stuck or back.is_stuck:
            return []
        for search, other in ((forward, back), (back, forward)):
            meeting = next((node for node in search.advance() if node in other), meeting)
    return [forward.trail(meeting)[::-1] + back.trail(meeting)[1:]]
