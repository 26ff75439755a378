/** Numbers and names as text. */

const count = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const compactDay = new Intl.DateTimeFormat("en", { year: "numeric", month: "short", day: "numeric" });

export function formatCount(value: number): string {
  return count.format(value);
}

/** Format a number of things; `finding` becomes `findings`. */
export function formatThings(value: number, thing: string): string {
  return `${formatCount(value)} ${thing}${value === 1 ? "" : "s"}`;
}

export function formatScore(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : value.toFixed(Math.abs(value) >= 10 ? 1 : 3);
}

export function formatChange(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  const text = Math.abs(value).toFixed(3);
  return Number(text) === 0 ? text : `${value < 0 ? "−" : "+"}${text}`;
}

export function formatP(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  return value < 0.001 ? "< 0.001" : value.toFixed(3);
}

export function formatDay(iso: string): string {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? "" : compactDay.format(time);
}

/** Name a score as one of the runs does, else by its path: `strict.f1` becomes `strict f1`. */
export function nameScore(path: string, runs: readonly { titles?: Record<string, string> }[]): string {
  return runs.find((run) => run.titles?.[path] !== undefined)?.titles?.[path] ?? path.replaceAll(".", " ").replaceAll("_", " ");
}

/** Name a task: `entity-translation` becomes `Entity translation`. */
export function nameTask(task: string): string {
  return task === "ner" ? "Named entities" : task.charAt(0).toUpperCase() + task.slice(1).replaceAll("-", " ");
}

/** Names of runs that tell them apart: the name, or the name with the system, or with the day. */
export function nameRuns(runs: readonly { id: string; name: string; created: string }[]): Map<string, string> {
  const times = new Map<string, number>();
  for (const run of runs) times.set(run.name, (times.get(run.name) ?? 0) + 1);
  return new Map(
    runs.map((run) => [run.id, (times.get(run.name) ?? 0) > 1 ? `${run.name} (${run.id.slice(0, 8)})` : run.name]),
  );
}
