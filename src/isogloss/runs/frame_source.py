"""What becomes data frames of several libraries.

`frames` builds them; it is imported when one is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


class FrameSource:
    """What becomes data frames of several libraries."""

    def to_frame(self, library: str | None = None) -> Any:
        """Return a data frame.

        Args:
            library: `pandas`, `polars` or `pyarrow`; None for the first of these that is installed.
        """
        raise NotImplementedError

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows of `to_frame` as a data frame of pandas.

        Raises:
            MissingExtraError: if pandas is not installed.
        """
        frame: pd.DataFrame = self.to_frame("pandas")
        return frame

    def to_polars(self) -> Any:
        """Return the rows of `to_frame` as a data frame of polars.

        Raises:
            MissingExtraError: if polars is not installed.
        """
        return self.to_frame("polars")

    def to_arrow(self) -> Any:
        """Return the rows of `to_frame` as a table of pyarrow.

        Raises:
            MissingExtraError: if pyarrow is not installed.
        """
        return self.to_frame("pyarrow")
