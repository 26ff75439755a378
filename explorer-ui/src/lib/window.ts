/**
 * Arithmetic of a list of which only the rows in view exist.
 *
 * Browsers limit the height of an element. If all rows are higher than that, the scroll bar is scaled: a small movement
 * moves the list by the same pixels, a large one jumps to the share of the list, and both ends of the bar are both ends
 * of the list.
 */

export const MAX_HEIGHT = 8_000_000; // pixels; all browsers can have elements of this height

export interface Extent {
  count: number;
  rowHeight: number;
  viewHeight: number;
}

export interface Visible {
  first: number;
  end: number; // after the last
}

export function getFullHeight({ count, rowHeight }: Extent): number {
  return count * rowHeight;
}

/** Height of the element that scrolls. */
export function getBarHeight(extent: Extent): number {
  return Math.min(getFullHeight(extent), MAX_HEIGHT);
}

/** Largest position of the list. */
export function getLastTop(extent: Extent): number {
  return Math.max(0, getFullHeight(extent) - extent.viewHeight);
}

function getLastBar(extent: Extent): number {
  return Math.max(0, getBarHeight(extent) - extent.viewHeight);
}

/** Convert a position of the scroll bar to one of the list. */
export function fromBar(extent: Extent, bar: number): number {
  const last = getLastBar(extent);
  return last === 0 ? 0 : Math.min(Math.max(bar, 0) / last, 1) * getLastTop(extent);
}

/** Convert a position of the list to one of the scroll bar. */
export function toBar(extent: Extent, top: number): number {
  const last = getLastTop(extent);
  return last === 0 ? 0 : Math.min(Math.max(top / last, 0), 1) * getLastBar(extent);
}

/**
 * Return the position of the list after the scroll bar has moved.
 *
 * @param top - position of the list before
 * @param before - position of the bar before
 * @param bar - position of the bar now
 */
export function moveList(extent: Extent, top: number, before: number, bar: number): number {
  const last = getLastTop(extent);
  if (getFullHeight(extent) <= MAX_HEIGHT) return Math.min(Math.max(bar, 0), last);
  if (bar <= 0) return 0;
  if (bar >= getLastBar(extent) - 1) return last;
  const moved = bar - before;
  if (Math.abs(moved) > extent.viewHeight) return fromBar(extent, bar);
  return Math.min(Math.max(top + moved, 0), last);
}

/** Return the rows in view, and some more on both sides. */
export function getVisible({ count, rowHeight, viewHeight }: Extent, top: number, more = 4): Visible {
  const first = Math.max(0, Math.floor(top / rowHeight) - more);
  return { first, end: Math.min(count, Math.ceil((top + viewHeight) / rowHeight) + more) };
}

/** Return the position of the list at which a row is in view, nearest to where it stands. */
export function revealRow(extent: Extent, top: number, row: number): number {
  const begin = row * extent.rowHeight;
  const highest = begin + extent.rowHeight - extent.viewHeight;
  return Math.min(Math.max(Math.min(Math.max(top, highest), begin), 0), getLastTop(extent));
}
