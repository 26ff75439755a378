/** What components share: the source of data, the route, and values that are read. */

import { createContext } from "preact";
import { useCallback, useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { DataSource, FindingSource } from "./source";
import { formatHash, parseHash, type Query, type Route } from "./url";

export const SourceContext = createContext<DataSource>(new DataSource({ mode: "http" }));

export function useSource(): DataSource {
  return useContext(SourceContext);
}

const findingSources = new Map<string, FindingSource>();

export function useFindings(id: string): FindingSource {
  const source = useSource();
  const found = findingSources.get(id) ?? new FindingSource(source, id);
  findingSources.set(id, found);
  return found;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseHash(location.hash));
  useEffect(() => {
    const update = () => setRoute(parseHash(location.hash));
    window.addEventListener("hashchange", update);
    window.addEventListener("popstate", update);
    return () => {
      window.removeEventListener("hashchange", update);
      window.removeEventListener("popstate", update);
    };
  }, []);
  return route;
}

/** Go to a state of the page; `replace` for changes that the back button skips. */
export function go(path: readonly string[], query: Query = new Map(), replace = false): void {
  const hash = formatHash(path, query);
  if (hash === location.hash) return;
  if (replace) history.replaceState(null, "", hash);
  else history.pushState(null, "", hash);
  window.dispatchEvent(new PopStateEvent("popstate"));
}

export interface Loaded<T> {
  value: T | null;
  error: string | null;
}

/** Read a value whenever its key changes; the value before stays until then if the key begins alike. */
export function useLoaded<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<Loaded<T> & { key: string }>({ key: "", value: null, error: null });
  const latest = useRef(key);
  latest.current = key;
  useLayoutEffect(() => {
    // Now, not after the next frame: what is read is waited for.
    const done = (found: Loaded<T>) => {
      if (latest.current === key) setState({ key, ...found });
    };
    load().then(
      (value) => done({ value, error: null }),
      (problem: unknown) => done({ value: null, error: problem instanceof Error ? problem.message : String(problem) }),
    );
     
  }, [key]);
  return state.key === key ? state : { value: null, error: null };
}

export function useJson<T>(url: string): Loaded<T> {
  const source = useSource();
  return useLoaded(url, () => source.getJson<T>(url));
}

/** Return a function that draws the component again. */
export function useRedraw(): () => void {
  const [, set] = useState(0);
  return useCallback(() => set((count) => count + 1), []);
}

/** Call a function for keys that are pressed outside of fields. */
export function useKeys(keys: Record<string, (event: KeyboardEvent) => void>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target) || isDialogOpen()) return;
      const action = latest.current[event.key];
      if (action === undefined) return;
      event.preventDefault();
      action(event);
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}

function isDialogOpen(): boolean {
  return document.querySelector("dialog[open]") !== null;
}

function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "isogloss" : `${title} – isogloss`;
  }, [title]);
}
