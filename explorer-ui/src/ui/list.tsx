/** A list of any length, of which only the rows in view exist. The keyboard moves the active row. */

import type { ComponentChildren } from "preact";
import { useRedraw } from "../lib/hooks";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import {
  getBarHeight,
  getFullHeight,
  getLastTop,
  getVisible,
  MAX_HEIGHT,
  moveList,
  revealRow,
  toBar,
  type Extent,
} from "../lib/window";

const SETTLE = 150; // milliseconds without scrolling after which the scroll bar is put where the list stands

interface Props {
  label: string;
  count: number;
  rowHeight: number;
  active: number; // -1 for none
  onActive: (index: number, open: boolean) => void;
  onVisible?: (first: number, end: number) => void;
  renderRow: (index: number) => ComponentChildren;
}

export function WindowedList({ label, count, rowHeight, active, onActive, onVisible, renderRow }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const bar = useRef(0);
  const settle = useRef(0);
  const top = useRef(0);
  const redraw = useRedraw();
  const [viewHeight, setViewHeight] = useState(600);
  const extent: Extent = { count, rowHeight, viewHeight };
  const place = Math.min(top.current, getLastTop(extent));
  const { first, end } = getVisible(extent, place);

  const setPlace = (next: number) => {
    if (box.current === null) return;
    top.current = next;
    box.current.scrollTop = toBar(extent, next);
    bar.current = box.current.scrollTop;
    redraw();
  };

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setViewHeight(element.clientHeight));
    observer.observe(element);
    setViewHeight(element.clientHeight);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (active >= 0) setPlace(revealRow(extent, place, active));
     
  }, [active, count, viewHeight, rowHeight]);
  useEffect(() => onVisible?.(first, end), [first, end, onVisible]);

  const scroll = () => {
    const element = box.current;
    if (element === null || Math.abs(element.scrollTop - bar.current) < 1) return;
    top.current = moveList(extent, top.current, bar.current, element.scrollTop);
    bar.current = element.scrollTop;
    redraw();
    window.clearTimeout(settle.current);
    if (getFullHeight(extent) > MAX_HEIGHT) settle.current = window.setTimeout(() => latest.current(top.current), SETTLE);
  };
  const latest = useRef(setPlace);
  latest.current = setPlace;

  const step = Math.max(1, Math.floor(viewHeight / rowHeight) - 1);
  const targets: Record<string, number> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + step,
    PageUp: active - step,
    Home: 0,
    End: count - 1,
  };
  const press = (event: KeyboardEvent) => {
    const target = targets[event.key];
    if (event.key === "Enter" && active >= 0) onActive(active, true);
    else if (target === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    else onActive(Math.min(Math.max(target, 0), count - 1), false);
    event.preventDefault();
  };

  const start = bar.current - place; // from a position in the list to one in the element that scrolls
  const rows = [];
  for (let index = first; index < end; index++) {
    rows.push(
      <div
        key={index}
        id={`row-${index}`}
        role="option"
        aria-selected={index === active}
        aria-posinset={index + 1}
        aria-setsize={count}
        class={index === active ? "row active" : "row"}
        style={{ top: `${index * rowHeight + start}px`, height: `${rowHeight}px` }}
        onClick={() => onActive(index, true)}
      >
        {renderRow(index)}
      </div>,
    );
  }
  return (
    <div
      ref={box}
      class="list"
      role="listbox"
      tabIndex={0}
      aria-label={label}
      {...(active >= first && active < end ? { "aria-activedescendant": `row-${active}` } : {})}
      onScroll={scroll}
      onKeyDown={press}
    >
      <div class="list-height" role="presentation" style={{ height: `${getBarHeight(extent)}px` }}>
        {rows}
      </div>
    </div>
  );
}

