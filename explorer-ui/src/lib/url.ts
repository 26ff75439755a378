/** The state of the page in the hash of its URL: `#/run/ID/findings?kind=missed&label=PER&at=12`. */

export interface Route {
  path: string[];
  query: Query;
}

export type Query = ReadonlyMap<string, readonly string[]>;

export function parseHash(hash: string): Route {
  const [path, query] = splitOnce(hash.replace(/^#/, ""), "?");
  const found = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    const values = found.get(name);
    if (values === undefined) found.set(name, [value]);
    else values.push(value);
  }
  return { path: path.split("/").filter(Boolean).map(decode), query: found };
}

export function formatHash(path: readonly string[], query: Query = new Map()): string {
  const parts = [...query].flatMap(([name, values]) => values.map((value) => `${encode(name)}=${encode(value)}`));
  return `#/${path.map(encode).join("/")}${parts.length > 0 ? `?${parts.join("&")}` : ""}`;
}

/** Return the first value of a name, or an empty text. */
export function getOne(query: Query, name: string): string {
  return query.get(name)?.[0] ?? "";
}

/** Return a copy with other values; an empty list removes the name. */
export function withValues(query: Query, changes: Record<string, readonly string[] | string | null>): Query {
  const copy = new Map(query);
  for (const [name, values] of Object.entries(changes)) {
    const list = values === null || values === "" ? [] : typeof values === "string" ? [values] : values;
    if (list.length === 0) copy.delete(name);
    else copy.set(name, list);
  }
  return copy;
}

export function toggleValue(query: Query, name: string, value: string): Query {
  const values = query.get(name) ?? [];
  const next = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  return withValues(query, { [name]: next });
}

/** Encode a part so that it can be read, also with other scripts and lone surrogates. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%20/g, "+");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, " "));
  } catch {
    return text;
  }
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
