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

function zip(xs: readonly number[] = [], ys: readonly number[] = []): Point[] {
  const step = Math.max(1, Math.ceil(xs.length / MOST_POINTS));
  return xs.flatMap((x, at): Point[] => (at % step === 0 || at === xs.length - 1 ? [[x, ys[at] ?? 0]] : []));
}

function Square({ title, x, y, points, chance = false }: { title: string; x: string; y: string; points: Point[]; chance?: boolean }) {
  if (points.length === 0) return <p class="note">No curve: one side has no documents.</p>;
  const place = ([px, py]: Point) => `${(LEFT + SIDE * px).toFixed(1)},${(TOP + SIDE * (1 - py)).toFixed(1)}`;
  return (
    <svg class="curve" viewBox={`0 0 ${LEFT + SIDE + 4} ${TOP + SIDE + 20}`} role="img" aria-label={title}>
      <rect class="frame" x={LEFT} y={TOP} width={SIDE} height={SIDE} />
      {chance && <line class="chance" x1={LEFT} y1={TOP + SIDE} x2={LEFT + SIDE} y2={TOP} />}
      <polyline class="line" points={points.map(place).join(" ")} />
      <text x={LEFT} y={TOP + SIDE + 9}>0</text>
      <text x={LEFT + SIDE} y={TOP + SIDE + 9} text-anchor="end">1</text>
      <text x={LEFT - 3} y={TOP + 6} text-anchor="end">1</text>
      <text x={LEFT + SIDE / 2} y={TOP + SIDE + 17} text-anchor="middle">{x}</text>
      <text transform={`translate(7 ${TOP + SIDE / 2}) rotate(-90)`} text-anchor="middle">{y}</text>
    </svg>
  );
}
