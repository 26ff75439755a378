/**
 * Where payloads come from: a service over HTTP, elements of this page, or files in a folder beside it.
 *
 * Callers give the URL of the service; the difference ends here. Data of a page or folder are gzip in base64.
 */

import { readBits, readColumn, type FacetColumn, type Numbers } from "./facets";
import type { Facet, FacetList, Row, RowPage, Surface } from "./types";

export const PAGE_ROWS = 500; // of a page of rows
const PAGE_SURFACES = 500;
const KEPT_PAGES = 40;
const MAX_POSITIONS = 200;

interface Settings {
  mode: "http" | "inline" | "folder";
  files?: Record<string, string>;
  packs?: Record<string, number[]>; // first numbers of the packs of documents, by the URL above them
}

export const TOKEN_NEEDED = "isogloss-token-needed"; // event of the window
const TOKEN = "isogloss-token";

/** Return the token that a reader gave in this tab; empty without one. */
export function readToken(): string {
  try {
    return sessionStorage.getItem(TOKEN) ?? "";
  } catch {
    return ""; // a page of a file may have no storage
  }
}

/** Keep the token until the tab is closed. */
export function keepToken(token: string): void {
  sessionStorage.setItem(TOKEN, token);
}

function addToken(init: RequestInit = {}): RequestInit {
  const token = readToken();
  return token === "" ? init : { ...init, headers: { ...(init.headers as Record<string, string> | undefined), Authorization: `Bearer ${token}` } };
}

/** A request that failed, with what the server says about it. */
export class SourceError extends Error {}

export class DataSource {
  private readonly kept = new Map<string, Promise<unknown>>();
  private readonly loaded = new Map<string, (data: string) => void>();

  constructor(private readonly settings: Settings) {
    if (settings.mode === "folder") {
      Object.assign(window, { isoglossData: (url: string, data: string) => this.loaded.get(url)?.(data) });
    }
  }

  /** Whether a service answers, so that notes and uploads work. */
  get isLive(): boolean {
    return this.settings.mode === "http";
  }

  has(url: string): boolean {
    return this.isLive || this.settings.files?.[url] !== undefined;
  }

  /** Read a payload. Equal URLs are read once, unless `fresh`. */
  async getJson<T>(url: string, fresh = false): Promise<T> {
    const known = fresh ? undefined : this.kept.get(url);
    if (known !== undefined) return (await known) as T;
    const found = this.readJson(url);
    this.kept.set(url, found);
    found.catch(() => this.kept.delete(url));
    return (await found) as T;
  }

  async getBytes(url: string): Promise<Uint8Array> {
    if (!this.isLive) return this.unpack(url);
    return new Uint8Array(await (await this.request(url)).arrayBuffer());
  }

  /** Send a request that changes something; only with a service. */
  async send(method: "POST" | "PUT" | "DELETE", url: string, body?: unknown): Promise<Response> {
    const init: RequestInit = { method };
    if (body instanceof FormData) init.body = body;
    else if (body !== undefined) Object.assign(init, { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
    return this.request(url, init);
  }

  /** Save a file that the service writes; a link cannot send the token. */
  async download(url: string, name: string): Promise<void> {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await (await this.request(url)).blob());
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  private async readJson(url: string): Promise<unknown> {
    if (this.isLive) return (await this.request(url)).json();
    const pack = findPack(this.settings.packs, url);
    if (pack !== null) return (await this.getJson<unknown[]>(pack.url))[pack.at];
    return JSON.parse(new TextDecoder().decode(await this.unpack(url)));
  }

  private async request(url: string, init?: RequestInit): Promise<Response> {
    const answer = await fetch(`.${url}`, addToken(init)).catch(() => {
      throw new SourceError("The service does not answer. Start it again, then reload this page.");
    });
    if (answer.status === 401) window.dispatchEvent(new Event(TOKEN_NEEDED));
    if (!answer.ok) throw new SourceError(await describeProblem(answer));
    return answer;
  }

  private async unpack(url: string): Promise<Uint8Array> {
    const name = this.settings.files?.[url];
    if (name === undefined) throw new SourceError("This file does not have these data. Open the run with isogloss view.");
    const packed = this.settings.mode === "inline" ? readElement(name) : await this.loadScript(url, name);
    const stream = new Blob([fromBase64(packed)]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  private loadScript(url: string, name: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      this.loaded.set(url, resolve);
      script.onload = () => script.remove();
      script.onerror = () => reject(new SourceError(`The file ${name} is missing beside this page.`));
      script.src = name;
      document.head.append(script);
    });
  }
}

/** Find the pack of a document and its place there; null for other URLs, and for documents that are not packed. */
export function findPack(packs: Record<string, number[]> | undefined, url: string): { url: string; at: number } | null {
  const [, above = "", digits] = /^(.*\/documents)\/(\d+)$/.exec(url) ?? [];
  const starts = packs?.[above];
  if (starts === undefined) return null;
  const number = Number(digits);
  const pack = starts.findLastIndex((first) => first <= number);
  return { url: `${above}#${pack}`, at: number - (starts[pack] ?? 0) };
}

/** Open the source that the page names. */
export function openSource(): DataSource {
  const text = document.getElementById("isogloss-data")?.textContent ?? "";
  return new DataSource(text === "" ? { mode: "http" } : (JSON.parse(text) as Settings));
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const characters = atob(text.trim());
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = characters.charCodeAt(at);
  return bytes;
}

async function describeProblem(answer: Response): Promise<string> {
  const body = (await answer.json().catch(() => ({}))) as { detail?: unknown; title?: unknown };
  const text = [body.detail, body.title].find((one) => typeof one === "string");
  return typeof text === "string" ? text : `The service answers ${answer.status} ${answer.statusText}.`;
}

function readElement(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

/** The findings of one run: facets, columns and rows, each read when it is needed. */
export class FindingSource {
  private readonly rows = new Map<number, Row>();
  private readonly pages = new Set<number>();
  private readonly asked = new Set<number>();
  private readonly surfaces = new Map<number, Surface>();
  private readonly columns = new Map<string, Promise<Numbers>>();
  private readonly url: string;

  constructor(
    private readonly source: DataSource,
    readonly id: string,
  ) {
    this.url = `/v1/runs/${id}`;
  }

  readFacets(): Promise<FacetList> {
    return this.source.getJson(`${this.url}/facets`);
  }

  /** Read a column once. */
  readColumn(name: string, width: 1 | 2 | 4): Promise<Numbers> {
    const known = this.columns.get(name);
    if (known !== undefined) return known;
    const address = this.source.isLive ? encodeURIComponent(name).replace(/%3A/g, ":") : name;
    const found = this.source.getBytes(`${this.url}/columns/${address}`).then((bytes) => readColumn(bytes, width));
    this.columns.set(name, found);
    found.catch(() => this.columns.delete(name));
    return found;
  }

  async readFacetColumn(facet: Facet): Promise<FacetColumn> {
    return { name: facet.name, numbers: await this.readColumn(facet.name, facet.width), totals: Uint32Array.from(facet.values, (value) => value.count) };
  }

  /** Return a row that was read. */
  getRow(position: number): Row | undefined {
    return this.rows.get(position);
  }

  /** Read the first rows, without knowing how many there are. */
  async readFirst(most: number): Promise<void> {
    if (this.rows.has(0)) return;
    if (this.source.isLive) this.addRows(await this.source.getJson<RowPage>(`${this.url}/findings?limit=${most}`));
    else if (this.source.has(`${this.url}/rows/0`)) await this.readPage(0);
  }

  /** Read rows that are not there yet. */
  async readRows(positions: readonly number[]): Promise<void> {
    const missing = positions.filter((at) => !this.rows.has(at) && !this.asked.has(at));
    if (missing.length === 0) return;
    for (const at of missing) this.asked.add(at);
    try {
      await (this.source.isLive ? this.readPositions(missing) : this.readPages(missing));
    } finally {
      for (const at of missing) this.asked.delete(at);
    }
  }

  /** Return a surface form that was read. */
  getSurface(number: number): Surface | undefined {
    return this.surfaces.get(number);
  }

  async readSurfaces(numbers: readonly number[]): Promise<void> {
    const missing = numbers.filter((number) => !this.surfaces.has(number));
    const starts = new Set(missing.map((number) => Math.floor(number / PAGE_SURFACES) * PAGE_SURFACES));
    const urls = this.source.isLive
      ? [...starts].map((from) => `${this.url}/surfaces?from=${from}&limit=${PAGE_SURFACES}`)
      : missing.length > 0
        ? [`${this.url}/surfaces`]
        : [];
    const pages = await Promise.all(urls.map((url) => this.source.getJson<{ surfaces: Surface[] }>(url)));
    for (const one of pages.flatMap((page) => page.surfaces)) this.surfaces.set(one.number, one);
  }

  /** Return 1 for each finding whose text or document has the words, else 0. */
  async search(words: string, count: number): Promise<Uint8Array> {
    if (!this.source.isLive) return this.searchPages(words, count);
    const bytes = await this.source.getBytes(`${this.url}/search?q=${encodeURIComponent(words.toWellFormed())}`);
    const { found } = JSON.parse(new TextDecoder().decode(bytes)) as { found: string };
    return readBits(fromBase64(found), count);
  }

  /** Let the service read the texts, so that the first search does not wait for it. */
  async prepareSearch(): Promise<void> {
    if (this.source.isLive) await this.source.getBytes(`${this.url}/search?q=`);
  }

  private async readPositions(positions: readonly number[]): Promise<void> {
    if (this.rows.size > KEPT_PAGES * PAGE_ROWS) this.rows.clear();
    for (let from = 0; from < positions.length; from += MAX_POSITIONS) {
      const part = positions.slice(from, from + MAX_POSITIONS).join(",");
      const response = await this.source.getBytes(`${this.url}/findings?positions=${part}`);
      this.addRows(JSON.parse(new TextDecoder().decode(response)) as RowPage);
    }
  }

  private async readPages(positions: readonly number[]): Promise<void> {
    const numbers = new Set(positions.map((at) => Math.floor(at / PAGE_ROWS)));
    await Promise.all([...numbers].map((number) => this.readPage(number)));
  }

  private async readPage(number: number): Promise<void> {
    if (this.pages.has(number)) return;
    if (this.pages.size >= KEPT_PAGES) {
      this.pages.clear();
      this.rows.clear();
    }
    const bytes = await this.source.getBytes(`${this.url}/rows/${number}`);
    this.addRows(JSON.parse(new TextDecoder().decode(bytes)) as RowPage);
    this.pages.add(number);
  }

  private async searchPages(words: string, count: number): Promise<Uint8Array> {
    const wanted = fold(words);
    const found = new Uint8Array(count);
    for (let page = 0; page * PAGE_ROWS < count; page++) {
      const bytes = await this.source.getBytes(`${this.url}/rows/${page}`);
      const { findings } = JSON.parse(new TextDecoder().decode(bytes)) as RowPage;
      for (const row of findings) found[row.position] = Number(fold(`${row.text ?? ""}\n${row.document}`).includes(wanted));
    }
    return found;
  }

  private addRows(page: RowPage): void {
    for (const row of page.findings) this.rows.set(row.position, row);
  }
}

/** Fold a text for search: Unicode form and case. `toLowerCase` after `toUpperCase` folds ß and final sigma too. */
export function fold(text: string): string {
  return text.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC").replaceAll("ς", "σ");
}
