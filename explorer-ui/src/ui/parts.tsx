/** Small parts that all views share. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { formatScore } from "../lib/format";
import type { Filter, ScorePoint } from "../lib/types";
import { formatHash, type Query } from "../lib/url";

export function Problem({ text }: { text: string }) {
  return (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}

export function Waiting() {
  return (
    <p class="quiet" role="status">
      Loading…
    </p>
  );
}

export interface Scale {
  low: number;
  high: number;
}

/** Choose the scale of some scores: the interval [0, 1], or the narrowest tenths around all if `narrow`. */
export function chooseScale(points: readonly (ScorePoint | undefined)[], narrow = false): Scale {
  const known = points.flatMap((point) => [point?.value, point?.low, point?.high]).filter((one) => typeof one === "number");
  if (known.length === 0) return { low: 0, high: 1 };
  const [low, high] = [Math.min(...known), Math.max(...known)];
  if (!narrow && low >= 0 && high <= 1) return { low: 0, high: 1 };
  const step = 10 ** Math.floor(Math.log10(Math.max(high - low, 1e-3)));
  return { low: Math.floor(low / step) * step, high: Math.max(Math.ceil(high / step) * step, low + step) };
}

const WIDTH = 120;
const MIDDLE = 6;

/** A score as a dot on its interval. */
export function IntervalBar({ point, scale }: { point: ScorePoint; scale: Scale }) {
  const place = (value: number) => 4 + ((value - scale.low) / (scale.high - scale.low)) * (WIDTH - 8);
  const { value, low, high } = point;
  return (
    <svg class="interval" viewBox={`0 0 ${WIDTH} 12`} aria-hidden="true">
      <line class="track" x1="0" x2={WIDTH} y1={MIDDLE} y2={MIDDLE} />
      {typeof low === "number" && typeof high === "number" && (
        <line class="range" x1={place(low)} x2={place(high)} y1={MIDDLE} y2={MIDDLE} />
      )}
      {typeof value === "number" && <circle class="dot" cx={place(value)} cy={MIDDLE} r="4" />}
    </svg>
  );
}

/** A score with its interval in numbers. */
export function Score({ point }: { point: ScorePoint | undefined }) {
  const has = typeof point?.low === "number" && typeof point.high === "number";
  return (
    <span class="score">
      {formatScore(point?.value)}
      {has && <span class="ends">{`${formatScore(point.low)}–${formatScore(point.high)}`}</span>}
    </span>
  );
}

/** A link to a state of the page. */
export function Link({ path, query, children, class: name }: {
  path: readonly string[];
  query?: Query;
  children: ComponentChildren;
  class?: string;
}) {
  return (
    <a href={formatHash(path, query)} {...(name === undefined ? {} : { class: name })}>
      {children}
    </a>
  );
}

export function toQuery(filter: Filter): Query {
  return new Map(Object.entries(filter));
}

export function isSome<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/** Where this page stands: links to the pages above, and its own name as the heading. */
export function Heading({ above, children, aside }: {
  above: [ComponentChildren, readonly string[]][];
  children: ComponentChildren;
  aside?: ComponentChildren;
}) {
  return (
    <div class="heading">
      {above.length > 0 && (
        <nav class="above" aria-label="Above this page">
          {above.map(([name, path], at) => (
            <Link key={at} path={path}>
              {name}
            </Link>
          ))}
        </nav>
      )}
      <div class="heading-line">
        <h1>{children}</h1>
        {aside}
      </div>
    </div>
  );
}

/** A wide table that scrolls sideways by itself. */
export function Scrolling({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="scroll" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}

/** A dialog over the page; Escape closes it. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  return (
    <dialog ref={element} onClose={onClose} aria-labelledby="dialog-title">
      <h2 id="dialog-title">{title}</h2>
      {children}
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

/** Copy the address of this page, and say so. */
export async function copyLink(say: (text: string) => void): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied.");
  } catch {
    say("This browser does not allow copying. Copy the address of the page.");
  }
}
