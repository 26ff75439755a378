/** ROC, threshold and precision-recall curves as inline SVG. */

import { makeVisible } from "../lib/text";
import type { Curve, LabelCurves } from "../lib/types";
import { Name } from "./lanes";

const SIDE = 200;
const LEFT = 24;
const TOP = 4;
const MOST_POINTS = 500; // of a curve

type Point = [number, number];

export function CurveRow({ label, curves, named }: { label: string; curves: LabelCurves; named: boolean }) {
  const shown = makeVisible(label);
  return (
    <div class="curve-row">
      {named && (
        <h3>
          <Name text={label} />
        </h3>
      )}
      <Square title="ROC; dashed: chance" name={`ROC curve of ${shown}`} x="false positive rate" y="true positive rate" points={readRoc(curves.roc)} chance />
      <Thresholds name={`Precision and recall of ${shown} by threshold`} curve={curves.precision_recall} />
      <Square title="Precision against recall, in steps" name={`Precision-recall curve of ${shown}`} x="recall" y="precision" points={readSteps(curves.precision_recall)} />
    </div>
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
function Thresholds({ name, curve }: { name: string; curve: Curve | null }) {
  const known = (curve?.threshold ?? []).flatMap((threshold, at) => (threshold === null ? [] : [{ threshold, at }]));
  const values = known.map((one) => one.threshold);
  const [low, high] = values.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [0, 1]);
  const trace = (scores: readonly number[] = []) => zip(values.map((value) => (value - low) / (high - low)), known.map((one) => scores[one.at] ?? 0));
  return (
    <Square
      title="Precision (solid), recall (dashed)"
      name={name}
      x="threshold"
      y="precision, recall"
      ends={[formatEnd(low), formatEnd(high)]}
      points={trace(curve?.precision)}
      others={trace(curve?.recall)}
    />
  );
}

function formatEnd(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}

function zip(xs: readonly number[] = [], ys: readonly number[] = []): Point[] {
  const step = Math.max(1, Math.ceil(xs.length / MOST_POINTS));
  return xs.flatMap((x, at): Point[] => (at % step === 0 || at === xs.length - 1 ? [[x, ys[at] ?? 0]] : []));
}

interface SquareProps {
  title: string;
  name: string; // for readers who do not see the drawing
  x: string;
  y: string;
  ends?: [string, string]; // of the x-axis
  points: Point[];
  chance?: boolean;
  others?: Point[];
}

function Square({ title, name, x, y, ends = ["0", "1"], points, chance = false, others = [] }: SquareProps) {
  if (points.length === 0) return <p class="note">No curve: one side has no documents.</p>;
  const place = ([px, py]: Point) => `${(LEFT + SIDE * px).toFixed(1)},${(TOP + SIDE * (1 - py)).toFixed(1)}`;
  const bottom = TOP + SIDE;
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <svg class="curve" viewBox={`0 0 ${LEFT + SIDE + 4} ${bottom + 14}`} role="img" aria-label={name}>
        <rect class="frame" x={LEFT} y={TOP} width={SIDE} height={SIDE} />
        <path class="half" d={`M${LEFT} ${TOP + SIDE / 2}h${SIDE}M${LEFT + SIDE / 2} ${TOP}v${SIDE}`} />
        {chance && <line class="chance" x1={LEFT} y1={bottom} x2={LEFT + SIDE} y2={TOP} />}
        <polyline class="line" points={points.map(place).join(" ")} />
        {others.length > 0 && <polyline class="line dashed" points={others.map(place).join(" ")} />}
        <text x={LEFT} y={bottom + 10}>{ends[0]}</text>
        <text x={LEFT + SIDE} y={bottom + 10} text-anchor="end">{ends[1]}</text>
        <text x={LEFT - 4} y={TOP + 7} text-anchor="end">1</text>
        <text x={LEFT - 4} y={bottom} text-anchor="end">0</text>
        <text x={LEFT + SIDE / 2} y={bottom + 10} text-anchor="middle">{x}</text>
        <text transform={`translate(${LEFT - 6} ${TOP + SIDE / 2}) rotate(-90)`} text-anchor="middle">{y}</text>
      </svg>
    </figure>
  );
}
