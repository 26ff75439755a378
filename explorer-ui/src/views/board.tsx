/** The board: runs by task, corpus and definition, with scores that can be compared side by side. */

import { useEffect, useState } from "preact/hooks";
import { formatCount, formatDay, formatThings, nameRuns, nameScore, nameTask } from "../lib/format";
import { go, useJson, useSource, useTitle } from "../lib/hooks";
import { makeVisible } from "../lib/text";
import type { Ranking, RunList, RunSummary } from "../lib/types";
import { formatHash, getOne, withValues, type Query } from "../lib/url";
import { Name } from "../ui/lanes";
import { chooseScale, Heading, IntervalBar, Link, Problem, Score, Scrolling, Waiting } from "../ui/parts";

const MOST_RUNS = 20; // of a matrix
const MOST_SCORES = 4; // of a row
const MOST_TESTED = 500_000; // documents times ordered pairs of runs that are tested without being asked for
let latest: Promise<void> = Promise.resolve(); // one group of runs is tested after the other
const CHOICES: [string, string, (run: RunSummary) => string[]][] = [
  ["task", "Task", (run) => [run.task]],
  ["corpus", "Corpus", (run) => [run.corpus]],
  ["language", "Language", (run) => [run.language]],
  ["tag", "Tag", (run) => run.tags],
  ["name", "Name", (run) => [run.name]],
  ["date", "Date", (run) => [run.created.slice(0, 10)]],
  ["signature", "Signature", (run) => [run.signature]],
];

export interface RunGroup {
  key: string;
  runs: RunSummary[];
}

/** Group runs that can be compared: of one task, reference and definition. */
export function groupRuns(runs: readonly RunSummary[]): RunGroup[] {
  const groups = new Map<string, RunSummary[]>();
  for (const run of runs) {
    const key = [run.task, run.corpus_key, run.corpus, run.definition, run.profile ?? ""].join("\0");
    const own = groups.get(key);
    if (own === undefined) groups.set(key, [run]);
    else own.push(run);
  }
  return [...groups].map(([key, own]) => ({ key, runs: own }));
}

export function Board({ query }: { query: Query }) {
  useTitle("Runs");
  const { value, error } = useJson<RunList>("/v1/runs");
  if (error !== null) return <Problem text={error} />;
  if (value === null) return <Waiting />;
  if (value.runs.length === 0) return <Nothing />;
  const shown = value.runs.filter((run) =>
    CHOICES.every(([name, , read]) => getOne(query, name) === "" || read(run).includes(getOne(query, name))),
  );
  const groups = groupRuns(shown);
  return (
    <div class="board">
      <Heading above={[]}>Runs</Heading>
      <Choices runs={value.runs} query={query} />
      {value.next !== null && <p class="note">Only the latest {formatThings(value.runs.length, "run")} are listed.</p>}
      {groups.length === 0 && <p class="empty">No run has all of this. Choose less.</p>}
      {groups.map((group) => (
        <Group key={group.key} group={group} isSplit={isSplit(group, groups)} />
      ))}
    </div>
  );
}

/** Whether another group has the same corpus, with another definition or profile. */
function isSplit(group: RunGroup, groups: readonly RunGroup[]): boolean {
  const [own] = group.runs;
  return groups.some((other) => other !== group && other.runs[0]?.task === own?.task && other.runs[0]?.corpus_key === own?.corpus_key);
}

function Choices({ runs, query }: { runs: readonly RunSummary[]; query: Query }) {
  return (
    <div class="filters">
      {CHOICES.map(([name, title, read]) => {
        const values = [...new Set(runs.flatMap(read))].filter(Boolean).sort();
        if (values.length < 2 && getOne(query, name) === "") return null;
        return (
          <label key={name} class="field">
            {title}
            <select value={getOne(query, name)} onChange={(event) => go(["board"], withValues(query, { [name]: event.currentTarget.value }))}>
              <option value="">all</option>
              {values.map((value) => (
                <option key={value} value={value}>
                  {name === "task" ? nameTask(value) : makeVisible(value)}
                </option>
              ))}
            </select>
          </label>
        );
      })}
    </div>
  );
}

function Group({ group, isSplit }: { group: RunGroup; isSplit: boolean }) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [first] = group.runs;
  const paths = [...new Set(group.runs.flatMap((run) => [run.main, ...Object.keys(run.scores)]))].filter((path) => !path.startsWith("slices.")).slice(0, MOST_SCORES);
  const [main = ""] = paths;
  const scale = chooseScale(group.runs.map((run) => run.scores[main]));
  const names = nameRuns(group.runs);
  const hasDays = group.runs.some((run) => run.created !== "");
  const blank = Array.from({ length: MOST_SCORES - paths.length }, (_, at) => at); // so that groups have equal columns
  const order = sortByScore(group.runs, main);
  const source = useSource();
  const [ranking, setRanking] = useState<Ranking | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    const state = { isGone: false };
    const number = Math.min(group.runs.length, MOST_RUNS);
    if (number < 2 || number * (number - 1) * (first?.documents ?? 0) > MOST_TESTED || !source.isLive) return;
    latest = latest.then(() => (state.isGone ? undefined : rank(true)));
    return () => {
      state.isGone = true;
    };
  }, [group.key, group.runs.length]);
  const rank = async (isQuiet = false) => {
    if (!isQuiet) setProblem("Testing all pairs…");
    const wanted = order.slice(0, MOST_RUNS).map((run) => run.id);
    try {
      setRanking(await source.getJson<Ranking>(`/v1/compare/ranking?runs=${wanted.join(",")}`));
      setProblem("");
    } catch (failure) {
      if (!isQuiet) setProblem(failure instanceof Error ? failure.message : String(failure));
    }
  };
  const places = new Map((ranking?.runs ?? []).map((run) => [run.id, run]));
  const ids = order.map((run) => run.id).filter((id) => chosen.includes(id));
  const toggle = (id: string) => setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  if (first === undefined) return null;
  return (
    <section class={isSplit ? "board-group split" : "board-group"}>
      <div class="group-head">
        <h2>
          {nameTask(first.task)} <Name text={first.corpus} class="quiet" />
        </h2>
        <p class="note">
          {formatThings(first.documents, "document")}
          {isSplit && ` · definition ${first.definition}${first.profile === null ? "" : `, profile ${first.profile}`}: not comparable with the others of this corpus`}
        </p>
        {group.runs.length > 1 && ranking === null && source.isLive && (
          <button type="button" class="plain" onClick={() => void rank()}>
            Test all pairs
          </button>
        )}
        <Compare ids={ids} total={group.runs.length} all={order.map((run) => run.id)} />
      </div>
      {problem !== "" && (
        <p class="note" role="status">
          {problem}
        </p>
      )}
      {ranking !== null && (
        <p class="note">
          Runs with one letter are not told apart by tests of all pairs ({nameScore(ranking.score, group.runs)}, Holm’s correction); the numbers are the ranks that each may have. {ranking.notes.join(" ")}
        </p>
      )}
      <Scrolling label={`Runs on ${makeVisible(first.corpus)}`}>
        <table class="runs">
          <thead>
            <tr>
              {group.runs.length > 1 && (
                <th scope="col" class="tick">
                  <span class="hidden">Choose</span>
                </th>
              )}
              <th scope="col">System</th>
              <th class="bar" aria-hidden="true" />
              {paths.map((path, at) => (
                <th key={path} scope="col" class={at === 0 ? "n wide" : "n middle extra"}>
                  {nameScore(path, group.runs)}
                </th>
              ))}
              {blank.map((at) => (
                <td key={at} class="middle extra" />
              ))}
              <th scope="col" class="n small">
                Findings
              </th>
              {hasDays && (
                <th scope="col" class="day extra">
                  Scored
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {order.map((run) => (
              <tr key={run.id} class={chosen.includes(run.id) ? "chosen-row" : ""}>
                {group.runs.length > 1 && (
                  <td class="tick">
                    <input type="checkbox" aria-label={`Compare ${makeVisible(names.get(run.id) ?? run.id)}`} checked={chosen.includes(run.id)} onChange={() => toggle(run.id)} />
                  </td>
                )}
                <th scope="row">
                  <GroupLetter rank={places.get(run.id)} />
                  <Link path={["run", run.id]}>
                    <Name text={names.get(run.id) ?? run.name} />
                  </Link>
                  {run.tags.map((tag) => (
                    <Name key={tag} text={tag} class="tag" />
                  ))}
                </th>
                <td class="bar">
                  <IntervalBar point={run.scores[main] ?? { value: null }} scale={scale} />
                </td>
                {paths.map((path, at) => (
                  <td key={path} class={at === 0 ? "n" : "n extra"}>
                    {at === 0 ? <Score point={run.scores[path]} /> : <Score point={{ value: run.scores[path]?.value ?? null }} />}
                  </td>
                ))}
                {blank.map((at) => (
                  <td key={at} class="extra" />
                ))}
                <td class="n">
                  {run.findings === null ? <span class="quiet">not kept</span> : <Link path={["run", run.id, "findings"]}>{formatCount(run.findings)}</Link>}
                </td>
                {hasDays && <td class="quiet day extra">{formatDay(run.created)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
    </section>
  );
}

/** Sort runs, the best first and those without the score last. */
function sortByScore(runs: readonly RunSummary[], path: string): RunSummary[] {
  const sign = runs.some((run) => run.lower_is_better?.includes(path) === true) ? -1 : 1;
  const rank = (run: RunSummary) => {
    const value = run.scores[path]?.value;
    return typeof value === "number" ? sign * value : -Infinity;
  };
  return [...runs].sort((one, two) => (rank(one) === rank(two) ? 0 : rank(two) - rank(one)));
}

/** The group of a run as a letter, with its ranks. */
function GroupLetter({ rank }: { rank: Ranking["runs"][number] | undefined }) {
  if (rank === undefined || typeof rank.group !== "number") return null;
  const range = rank.first_rank === rank.last_rank ? String(rank.first_rank) : `${rank.first_rank}–${rank.last_rank}`;
  return (
    <span class="rank">
      <b>{String.fromCharCode(64 + rank.group)}</b> {range}
    </span>
  );
}

function Compare({ ids, total, all }: { ids: readonly string[]; total: number; all: readonly string[] }) {
  if (total < 2) return null;
  const [first = "", second = ""] = ids.length < 2 ? all : ids;
  if (ids.length > MOST_RUNS) return <p class="note">Choose at most {MOST_RUNS}.</p>;
  if (ids.length === 1) return <p class="note">Choose one more to compare.</p>;
  if (ids.length === 0 && total > 2) return <p class="note">Choose two or more to compare.</p>;
  const path = ids.length > 2 ? ["matrix", ids.join(",")] : ["diff", first, second];
  return (
    <a class="button" href={formatHash(path)}>
      {ids.length > 2 ? `Compare ${ids.length}` : "Compare both"}
    </a>
  );
}

function Nothing() {
  const source = useSource();
  return (
    <div class="nothing">
      <h1>No runs yet</h1>
      <p>A run is a system's output scored against a reference. Score two files and keep the run:</p>
      <pre>
        <code>isogloss ner gold.conll system.conll --save</code>
      </pre>
      <p>Or look at bundled examples of all five tasks:</p>
      <pre>
        <code>isogloss demo --view</code>
      </pre>
      {source.isLive && (
        <p>
          <Link path={["upload"]} class="button">
            Score two files here
          </Link>
        </p>
      )}
    </div>
  );
}
