/** ROC and precision-recall curves as inline SVG. */

import { makeVisible } from "../lib/text";
import type { Curve, LabelCurves } from "../lib/types";
import { Name } from "./lanes";

const SIDE = 100;
const LEFT = 20;
const TOP = 4;
const MOST_POINTS = 500; // of a curve

type Point = [number, number];

export function CurvePair({ label, curves }: { label: string; curves: LabelCurves }) {
  return (
    <figure class="curve-pair">
      <figcaption>
        <Name text={label} />
      </figcaption>
      <Square title={`ROC curve of ${makeVisible(label)}`} x="false positive rate" y="true positive rate" points={readRoc(curves.roc)} chance />
      <Thresholds title={`Precision and recall of ${makeVisible(label)} by threshold`} curve={curves.precision_recall} />
      <Square title={`Precision-recall curve of ${makeVisible(label)}`} x="recall" y="precision" points={readSteps(curves.precision_recall)} />
    </figure>
  );
}

function readRoc(curve: Curve | null): Point[] {
  return zip(curve?.false_positive_rate, curve?.true_positive_rate);
}

/** Precision is a step function of recall: straight lines would show a larger area than the average precision. */
function readSteps(curve: Curve | null): Point[] {
  const points = zip(curve?.recall, curve?.precision);
  return points.flatMap(([x, y], at): Point[] => {
    const before = points[at - 1];
    return before === undefined ? [[x, y]] : [[before[0], y], [x, y]];
  });
}

/** Precision (solid) and recall (dashed) at each threshold. */
function Thresholds({ title, curve }: { title: string; curve: Curve | null }) {
  const known = (curve?.threshold ?? []).flatMap((threshold, at) => (threshold === null ? [] : [{ threshold, at }]));
  const values = known.map((one) => one.threshold);
  const [low, high] = values.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [0, 1]);
  const trace = (scores: readonly number[] = []) => zip(values.map((value) => (value - low) / (high - low)), known.map((one) => scores[one.at] ?? 0));
  return <Square title={title} x={`threshold, ${formatEnd(low)} to ${formatEnd(high)}`} y="precision –, recall - -" points={trace(curve?.precision)} others={trace(curve?.recall)} />;
}

function formatEnd(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}

function zip(xs: readonly number[] = [], ys: readonly number[] = []): Point[] {
  const step = Math.max(1, Math.ceil(xs.length / MOST_POINTS));
  return xs.flatMap((x, at): Point[] => (at % step === 0 || at === xs.length - 1 ? [[x, ys[at] ?? 0]] : []));
}

function Square({ title, x, y, points, chance = false, others = [] }: { title: string; x: string; y: string; points: Point[]; chance?: boolean; others?: Point[] }) {
  if (points.length === 0) return <p class="note">No curve: one side has no documents.</p>;
  const place = ([px, py]: Point) => `${(LEFT + SIDE * px).toFixed(1)},${(TOP + SIDE * (1 - py)).toFixed(1)}`;
  return (
    <svg class="curve" viewBox={`0 0 ${LEFT + SIDE + 4} ${TOP + SIDE + 20}`} role="img" aria-label={title}>
      <rect class="frame" x={LEFT} y={TOP} width={SIDE} height={SIDE} />
      {chance && <line class="chance" x1={LEFT} y1={TOP + SIDE} x2={LEFT + SIDE} y2={TOP} />}
      <polyline class="line" points={points.map(place).join(" ")} />
      {others.length > 0 && <polyline class="line dashed" points={others.map(place).join(" ")} />}
      <text x={LEFT} y={TOP + SIDE + 9}>0</text>
      <text x={LEFT + SIDE} y={TOP + SIDE + 9} text-anchor="end">1</text>
      <text x={LEFT - 3} y={TOP + 6} text-anchor="end">1</text>
      <text x={LEFT + SIDE / 2} y={TOP + SIDE + 17} text-anchor="middle">{x}</text>
      <text transform={`translate(7 ${TOP + SIDE / 2}) rotate(-90)`} text-anchor="middle">{y}</text>
    </svg>
  );
}
