/** A score over time: a line for each system, its intervals as a band, and breaks where scores cannot be compared. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatChange, formatDay, formatScore, nameScore, nameTask } from "../lib/format";
import { go, useJson, useSource, useTitle } from "../lib/hooks";
import { makeVisible } from "../lib/text";
import type { RunList, RunSummary, ScoreTestList } from "../lib/types";
import { formatHash, getOne, withValues, type Query } from "../lib/url";
import { Name } from "../ui/lanes";
import { chooseScale, Heading, isSome, Link, Problem, Scrolling, Waiting } from "../ui/parts";

const HEIGHT = 280;
const LEFT = 44;
const BOTTOM = 24;
const SHAPES = ["M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0", "M-4.5,-4.5h9v9h-9z", "M0,-5.5l5.5,9.5h-11z", "M0,-6l6,6l-6,6l-6,-6z"];

const ACCEPTED = "accepted"; // tag of the run that others are tested against
const MOST_TESTED = 19; // latest runs
const LEVEL = 0.05;

/** Test the latest runs against the accepted run. */
function useTests(runs: readonly RunSummary[], path: string): ReadonlyMap<string, number> {
  const source = useSource();
  const [tests, setTests] = useState<ReadonlyMap<string, number>>(new Map());
  const accepted = runs.filter((run) => run.tags.includes(ACCEPTED)).at(-1);
  useEffect(() => {
    const state = { isGone: false };
    const test = async () => {
      if (accepted === undefined || !source.isLive) return;
      const others = runs.filter((run) => run !== accepted && splitRuns([accepted, run]).length === 1).slice(-MOST_TESTED);
      if (others.length === 0) return;
      const ids = [accepted, ...others].map((run) => run.id).join(",");
      const found = await source.getJson<ScoreTestList>(`/v1/compare/tests?runs=${ids}&score=${encodeURIComponent(path)}`).catch(() => null);
      if (state.isGone) return;
      setTests(new Map(found?.tests.flatMap((one) => ((one.p_holm ?? 1) < LEVEL ? [[one.id, one.difference ?? 0] as const] : []))));
    };
    void test();
    return () => {
      state.isGone = true;
    };
  }, [accepted?.id, path]);
  return tests;
}

export function History({ query }: { query: Query }) {
  useTitle("History");
  const { value, error } = useJson<RunList>("/v1/runs");
  if (error !== null) return <Problem text={error} />;
  if (value === null) return <Waiting />;
  const dated = value.runs.filter((run) => run.created !== "");
  const corpora = [...new Map(dated.map((run) => [`${run.task} ${run.corpus}`, run])).values()];
  if (corpora.length === 0) {
    return (
      <>
        <Heading above={[]}>History</Heading>
        <p class="empty">No stored runs yet. Runs that you keep with --save appear here in the order of their time.</p>
      </>
    );
  }
  const chosen = corpora.find((run) => `${run.task} ${run.corpus}` === getOne(query, "corpus")) ?? corpora[0];
  const runs = dated.filter((run) => run.task === chosen?.task && run.corpus === chosen.corpus);
  runs.sort((one, two) => one.created.localeCompare(two.created));
  const paths = [...new Set(runs.flatMap((run) => [run.main, ...Object.keys(run.scores)]))];
  const path = paths.find((one) => one === getOne(query, "score")) ?? paths[0] ?? "";
  return (
    <div class="history">
      <Heading above={[]}>History</Heading>
      <div class="filters">
        <label class="field">
          Corpus
          <select value={`${chosen?.task ?? ""} ${chosen?.corpus ?? ""}`} onChange={(event) => go(["history"], withValues(query, { corpus: event.currentTarget.value, score: null }))}>
            {corpora.map((run) => (
              <option key={run.id} value={`${run.task} ${run.corpus}`}>
                {nameTask(run.task)}, {makeVisible(run.corpus)}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          Score
          <select value={path} onChange={(event) => go(["history"], withValues(query, { score: event.currentTarget.value }))}>
            {paths.map((one) => (
              <option key={one} value={one}>
                {nameScore(one, runs)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Chart key={`${chosen?.id ?? ""} ${path}`} runs={runs} path={path} />
    </div>
  );
}

/** Split runs where the reference or the definition changes. */
export function splitRuns(runs: readonly RunSummary[]): RunSummary[][] {
  const parts: RunSummary[][] = [];
  for (const run of runs) {
    const before = parts.at(-1)?.at(-1);
    const isSame = before?.corpus_key === run.corpus_key && before.definition === run.definition && before.profile === run.profile;
    if (isSame) parts.at(-1)?.push(run);
    else parts.push([run]);
  }
  return parts;
}

function Chart({ runs, path }: { runs: readonly RunSummary[]; path: string }) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [message, setMessage] = useState("");
  const tests = useTests(runs, path);
  const accepted = runs.filter((run) => run.tags.includes(ACCEPTED)).at(-1);
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(900);
  useLayoutEffect(() => {
    if (place.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(280, entry?.contentRect.width ?? 0)));
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  const scale = chooseScale(runs.map((run) => run.scores[path]), true);
  const order = new Map(runs.map((run, at) => [run.id, at]));
  const x = (run: RunSummary) => LEFT + 12 + ((width - LEFT - 24) * ((order.get(run.id) ?? 0) + 0.5)) / runs.length;
  const y = (value: number) => 8 + (HEIGHT - BOTTOM - 8) * (1 - (value - scale.low) / (scale.high - scale.low));
  const systems = [...new Set(runs.map((run) => run.name))];
  const choose = (id: string) => {
    const next = chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id].slice(-2);
    setChosen(next);
  };
  const brush = useBrush((low, high) => {
    const inside = runs.filter((run) => isSome(run.scores[path]?.value) && x(run) >= low && x(run) <= high);
    const [from, to] = [inside[0], inside.at(-1)];
    if (from === undefined || to === undefined || from === to) return;
    if (splitRuns(inside).length > 1) setMessage("The reference or the definition changes between these points, so they cannot be compared.");
    else go(["diff", from.id, to.id]);
  });
  const [first = "", second = ""] = [...chosen].sort((one, two) => (order.get(one) ?? 0) - (order.get(two) ?? 0));
  const parts = splitRuns(runs);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => scale.low + share * (scale.high - scale.low));
  return (
    <div ref={place}>
      <svg class="chart" viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={`${nameScore(path, runs)} over time; the table below has the numbers`} {...brush.events}>
        {brush.range !== null && <rect class="brushed" x={brush.range[0]} y={4} width={brush.range[1] - brush.range[0]} height={HEIGHT - BOTTOM - 4} />}
        {runs.filter((run) => chosen.includes(run.id) || tests.has(run.id) || run === accepted).map((run) => (
          <g key={run.id}>
            {chosen.includes(run.id) && <rect class="brushed" x={x(run) - 9} y={4} width={18} height={HEIGHT - BOTTOM - 4} />}
            <text x={x(run)} y={HEIGHT - 6} text-anchor="middle">{run === accepted ? "accepted" : tests.has(run.id) ? "differs" : ""}</text>
          </g>
        ))}
        {ticks.map((tick) => (
          <g key={tick}>
            <line class="grid" x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 8} y={y(tick) + 4} text-anchor="end">{formatScore(tick)}</text>
          </g>
        ))}
        {parts.slice(1).map((part) => {
          const [start] = part;
          const edge = start === undefined ? 0 : x(start) - (width - LEFT - 24) / runs.length / 2;
          return <line key={edge} class="break" x1={edge} x2={edge} y1={4} y2={HEIGHT - BOTTOM} />;
        })}
        {parts.flatMap((part) => systems.map((name) => ({ name, own: part.filter((run) => run.name === name) }))).map(({ name, own }, at) => (
          <Line key={at} onChoose={choose} runs={own} path={path} x={x} y={y} tone={systems.indexOf(name) % 4} />
        ))}
      </svg>
      <p class="legend">
        {systems.slice(0, 8).map((name, at) => (
          <span key={name} class={`line-${at % 4}`}>
            <Name text={name} />
          </span>
        ))}
        {parts.length > 1 && <span class="quiet">Dashed: the reference or the definition changed.</span>}
      </p>
      <div class="actions">
        {first !== "" && second !== "" ? (
          <a class="button" href={formatHash(["diff", first, second])}>Compare both</a>
        ) : (
          <p class="note">Drag over two points of the chart, or choose two of them or two runs in the table, to compare them.</p>
        )}
        <p class="note" role="status">{message}</p>
      </div>
      <Scrolling label="Runs in the order of their time">
        <table>
          <thead>
            <tr>
              <th scope="col" class="tick"><span class="hidden">Choose</span></th>
              <th scope="col">Time</th>
              <th scope="col">System</th>
              <th scope="col" class="n">{nameScore(path, runs)}</th>
              <th scope="col">Definition</th>
            </tr>
          </thead>
          <tbody>
            {[...runs].reverse().map((run) => (
              <tr key={run.id}>
                <td class="tick">
                  <input type="checkbox" aria-label={`Compare ${makeVisible(run.name)} of ${formatDay(run.created)}`} checked={chosen.includes(run.id)} onChange={() => choose(run.id)} />
                </td>
                <td>{formatDay(run.created)}</td>
                <th scope="row">
                  <Link path={["run", run.id]}>
                    <Name text={run.name} />
                  </Link>
                </th>
                <td class="n">
                  {formatScore(run.scores[path]?.value)}
                  {run === accepted && <span class="ends">accepted</span>}
                  {tests.has(run.id) && <span class="ends">{`differs, ${formatChange(tests.get(run.id))}`}</span>}
                </td>
                <td class="quiet">
                  {run.definition}
                  {run.profile === null ? "" : `, ${run.profile}`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
    </div>
  );
}

const LEAST_DRAG = 8; // pixels; less is a click

/** Let a reader drag over a range of a chart, and call a function with it. */
function useBrush(onBrush: (low: number, high: number) => void) {
  const [ends, setEnds] = useState<readonly [number, number] | null>(null);
  const place = (event: PointerEvent) => {
    const box = (event.currentTarget as SVGSVGElement).getBoundingClientRect();
    const scale = (event.currentTarget as SVGSVGElement).viewBox.baseVal.width / box.width;
    return (event.clientX - box.left) * scale;
  };
  const range = ends === null || Math.abs(ends[1] - ends[0]) < LEAST_DRAG ? null : ([Math.min(...ends), Math.max(...ends)] as const);
  const events = {
    onPointerDown: (event: PointerEvent) => {
      if (event.button === 0) setEnds([place(event), place(event)]);
    },
    onPointerMove: (event: PointerEvent) => {
      if (ends !== null) setEnds([ends[0], place(event)]);
    },
    onPointerUp: () => {
      setEnds(null);
      if (range !== null) onBrush(...range);
    },
    onPointerLeave: () => setEnds(null),
    onPointerCancel: () => setEnds(null),
  };
  return { range, events };
}

interface LineProps {
  runs: readonly RunSummary[];
  path: string;
  x: (run: RunSummary) => number;
  y: (value: number) => number;
  tone: number;
  onChoose: (id: string) => void;
}

function Line({ runs, path, x, y, tone, onChoose }: LineProps) {
  const points = runs.flatMap((run) => {
    const point = run.scores[path];
    return typeof point?.value === "number" ? [{ id: run.id, x: x(run), value: point.value, low: point.low ?? point.value, high: point.high ?? point.value }] : [];
  });
  if (points.length === 0) return null;
  const over = points.map((point) => `${point.x},${y(point.high)}`);
  const under = points.map((point) => `${point.x},${y(point.low)}`).reverse();
  return (
    <g class={`series line-${tone}`}>
      <polygon class="band" points={[...over, ...under].join(" ")} />
      <polyline class="line" points={points.map((point) => `${point.x},${y(point.value)}`).join(" ")} />
      {points.map((point) => (
        <g key={point.x} class="pick" onClick={() => onChoose(point.id)}>
          <rect class="target" x={point.x - 9} y={0} width={18} height={HEIGHT - BOTTOM} />
          <line class="whisker" x1={point.x} x2={point.x} y1={y(point.low)} y2={y(point.high)} />
          <path class="point" transform={`translate(${point.x} ${y(point.value)})`} d={SHAPES[tone] ?? ""} />
        </g>
      ))}
    </g>
  );
}
