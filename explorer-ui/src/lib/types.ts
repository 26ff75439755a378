/** The payloads of `/v1`, as `isogloss.explorer.payloads` defines them. */

export type Tone = "right" | "wrong" | "excused";
export type Direction = "ltr" | "rtl" | "auto";
export type Verdict = "gold error" | "ambiguous" | "real error";
export type Filter = Readonly<Record<string, readonly string[]>>;

export interface ScorePoint {
  value: number | null;
  low?: number | null;
  high?: number | null;
}

export interface RunSummary {
  id: string;
  name: string;
  task: string;
  system: string;
  corpus: string;
  corpus_key: string;
  language: string;
  tags: string[];
  created: string;
  version: string;
  profile: string | null;
  signature: string;
  definition: number;
  documents: number;
  findings: number | null;
  main: string;
  scores: Record<string, ScorePoint>;
  titles?: Record<string, string>;
  lower_is_better?: string[];
}

export interface RunList {
  runs: RunSummary[];
  next: string | null;
}

export interface TableCell extends Partial<ScorePoint> {
  text: string;
  filter?: Filter | null;
}

export interface Table {
  title: string;
  columns: { key: string; title: string; numeric: boolean }[];
  rows: { cells: TableCell[] }[];
  notes?: string[];
}

export interface Confusion {
  labels: string[];
  rows: number[][];
  filters?: (Filter | null)[][];
}

export interface Slice {
  column: string;
  value: string;
  n: number;
  findings: number | null;
  score: number | null;
  low?: number | null;
  high?: number | null;
}

export interface SliceTest {
  column: string;
  value: string;
  rest: number | null;
  p: number | null;
  p_holm: number | null;
}

export interface SliceTestList {
  tests: SliceTest[];
  note?: string;
}

export interface SliceDifference {
  column: string;
  value: string;
  values: (number | null)[];
  difference?: number | null;
  low?: number | null;
  high?: number | null;
  p?: number | null;
  p_holm?: number | null;
}

export interface Ranking {
  score: string;
  runs: { id: string; first_rank: number | null; last_rank: number | null; group: number | null }[];
  notes: string[];
}

export interface ScoreTestList {
  score: string;
  tests: { id: string; difference: number | null; p: number | null; p_holm: number | null }[];
}

export interface Undisputed {
  documents: number;
  left_out: string[];
  scores: Record<string, ScorePoint>;
  note: string;
}

export interface Curve {
  false_positive_rate?: number[];
  true_positive_rate?: number[];
  recall?: number[];
  precision?: number[];
  threshold?: (number | null)[];
}

export interface LabelCurves {
  roc: Curve | null;
  precision_recall: Curve | null;
}

export interface Run extends RunSummary {
  title: string;
  lower_is_better: string[];
  warnings: { code: string; message: string }[];
  tables: Table[];
  confusion: Confusion | null;
  slices: Slice[];
  curves: Record<string, LabelCurves> | null;
  view: { title: string; names_sides: boolean; shows_labelled_spans: boolean };
}

export interface FacetValue {
  value: string;
  title: string;
  count: number;
  tone?: Tone | null;
}

export interface Facet {
  name: string;
  title: string;
  width: 1 | 2 | 4;
  values: FacetValue[];
}

export interface FacetList {
  count: number;
  facets: Facet[];
  documents: { count: number; width: 4 };
  surfaces: { count: number; width: 4 };
}

export interface Surface {
  number: number;
  text: string;
  count: number;
}

export interface Piece {
  text: string;
  role: string;
}

export interface Lane {
  side: string;
  label: string;
  dir: Direction;
  pieces: Piece[];
  remarks: string[];
}

export interface Mark {
  side: string;
  label: string | null;
  start: number;
  end: number;
  text_start: number | null;
  text_end: number | null;
}

export interface Row {
  position: number;
  kind: string;
  document: string;
  document_number: number;
  where: string;
  language: string;
  dir: Direction;
  lanes: Lane[];
  facts: [string, string[]][];
  text: string | null;
  offset: number | null;
  before: boolean;
  after: boolean;
  marks: Mark[];
  key: string;
  surface: number;
}

export interface RowPage {
  findings: Row[];
  next?: number | null;
}

export interface Span {
  start: number;
  end: number;
  label: string;
  kind: string;
  position: number | null; // null for a span that both sides have alike
}

export interface DocumentView {
  document: string;
  number: number;
  count: number;
  text: string | null;
  language: string;
  dir: Direction;
  rows: Row[];
  lanes: { side: string; spans: Span[] }[];
}

export interface ScoreDifference {
  path: string;
  title: string;
  values: (number | null)[];
  difference?: number | null;
  low?: number | null;
  high?: number | null;
  p?: number | null;
  p_holm?: number | null;
}

export interface DiffCounts {
  fixed: number;
  broken: number;
  changed: number;
  both_wrong: number;
}

export interface Comparison {
  runs: RunSummary[];
  scores: ScoreDifference[];
  slices?: SliceDifference[];
  classes: DiffCounts | null;
  count: number;
  note?: string;
}

export interface Matrix {
  documents: { document: string; numbers: (number | null)[]; errors: number[]; disagreement: number }[];
  alone: number[];
}

export interface Note {
  corpus_key: string;
  key: string;
  verdict: Verdict;
  text: string;
  created: string;
}

export interface NotedFinding {
  corpus_key: string;
  key: string;
  run: string;
  run_name: string;
  position: number;
  document: string;
  document_number: number;
  kind: string;
  label: string;
}

export interface NoteList {
  notes: Note[];
  findings?: NotedFinding[];
}

export interface Job {
  id: string;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  share: number | null;
  message: string;
  run: string | null;
}

export interface TaskInfo {
  name: string;
  title: string;
  summary: string;
  needs_reference: boolean;
  reference: string;
  prediction: string;
}
