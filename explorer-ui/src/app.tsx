/** The frame of all views, and which view a URL means. */

import { useLayoutEffect, useState } from "preact/hooks";
import { useKeys, useRoute, useSource } from "./lib/hooks";
import { keepToken, TOKEN_NEEDED } from "./lib/source";
import type { Route } from "./lib/url";
import { Dialog, Link } from "./ui/parts";
import { Board } from "./views/board";
import { Diff } from "./views/diff";
import { Document } from "./views/document";
import { Findings } from "./views/findings";
import { History } from "./views/history";
import { MatrixView } from "./views/matrix";
import { Notes } from "./views/notes";
import { RunView } from "./views/run";
import { Slices } from "./views/slices";
import { Upload } from "./views/upload";

const KEYS: [string, string][] = [
  ["j  k", "next and previous finding"],
  ["/", "search"],
  ["Enter", "open the finding"],
  ["d", "its whole document"],
  ["c", "copy the link to what you see"],
  ["Esc", "close"],
  ["?", "this help"],
];

export function App() {
  const route = useRoute();
  const source = useSource();
  const [help, setHelp] = useState(false);
  const [needsToken, setNeedsToken] = useState(false);
  // As early as views send their first requests, so that no answer comes before it.
  useLayoutEffect(() => {
    const ask = () => setNeedsToken(true);
    window.addEventListener(TOKEN_NEEDED, ask);
    return () => window.removeEventListener(TOKEN_NEEDED, ask);
  }, []);
  useKeys({ "?": () => setHelp(true) });
  const [first = "board"] = route.path;
  const pages: [string, string][] = [["board", "Runs"], ["history", "History"]];
  if (source.isLive) pages.push(["notes", "Notes"], ["upload", "Score files"]);
  return (
    <>
      <a class="skip" href="#view" onClick={skip}>
        Skip to the content
      </a>
      <header class="top">
        <Link path={["board"]} class="brand">
          isogloss
        </Link>
        <nav aria-label="Pages">
          {pages.map(([path, title]) => (
            <a key={path} href={`#/${path}`} {...(first === path ? { "aria-current": "page" as const } : {})}>
              {title}
            </a>
          ))}
        </nav>
        <div class="tools">
          <ThemeButton />
          <button type="button" class="plain" onClick={() => setHelp(true)}>
            Keys
          </button>
        </div>
      </header>
      <div id="view" tabIndex={-1}>
        <View route={route} />
      </div>
      {needsToken && <TokenDialog onClose={() => setNeedsToken(false)} />}
      {help && (
        <Dialog title="Keys" onClose={() => setHelp(false)}>
          <dl class="keys">
            {KEYS.map(([key, meaning]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </Dialog>
      )}
    </>
  );
}

/** Ask for the token of the service; this tab keeps it. */
function TokenDialog({ onClose }: { onClose: () => void }) {
  const [token, setToken] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    keepToken(token.trim());
    location.reload();
  };
  return (
    <Dialog title="This service needs a token" onClose={onClose}>
      <form class="token" onSubmit={submit}>
        <label class="field">
          Token of --token-file
          <input type="password" autocomplete="off" value={token} onInput={(event) => setToken(event.currentTarget.value)} />
        </label>
        <button type="submit" class="button" disabled={token.trim() === ""}>
          Use it
        </button>
      </form>
    </Dialog>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("view")?.focus();
}

function View({ route }: { route: Route }) {
  const { path, query } = route;
  const [page = "board", id = "", part = "", number = ""] = path;
  if (page === "run" && id !== "") {
    if (part === "findings") return <Findings key={id} id={id} query={query} />;
    if (part === "document") return <Document key={`${id}/${number}`} id={id} number={number} query={query} />;
    if (part === "slices") return <Slices key={id} id={id} />;
    return <RunView key={id} id={id} query={query} />;
  }
  if (page === "diff" && part !== "") return <Diff key={`${id}/${part}`} first={id} second={part} query={query} />;
  if (page === "matrix" && id !== "") return <MatrixView key={id} ids={id.split(",")} />;
  if (page === "history") return <History query={query} />;
  if (page === "notes") return <Notes />;
  if (page === "upload") return <Upload />;
  return <Board query={query} />;
}

function ThemeButton() {
  const [theme, setTheme] = useState(readTheme);
  const next = theme === "dark" ? "light" : "dark";
  return (
    <button type="button" class="plain" onClick={() => setTheme(applyTheme(next))}>
      {next === "dark" ? "Dark" : "Light"}
    </button>
  );
}

function readTheme(): string {
  const saved = readSaved();
  if (saved !== "") return applyTheme(saved);
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function readSaved(): string {
  try {
    return localStorage.getItem("theme") ?? "";
  } catch {
    return ""; // a page of a file may have no storage
  }
}

function applyTheme(theme: string): string {
  document.documentElement.dataset["theme"] = theme;
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // a page of a file may have no storage
  }
  return theme;
}
