/** All verdicts on findings. */

import { useState } from "preact/hooks";
import { formatDay, formatThings } from "../lib/format";
import { useJson, useLoaded, useSource, useTitle } from "../lib/hooks";
import type { Note, NotedFinding, NoteList, RunList } from "../lib/types";
import { Name } from "../ui/lanes";
import { Heading, Link, Problem, Scrolling, Waiting } from "../ui/parts";

export function Notes() {
  const source = useSource();
  const [turn, setTurn] = useState(0);
  const { value, error } = useLoaded(`notes ${turn}`, () => source.getJson<NoteList>("/v1/notes", true));
  const runs = useJson<RunList>("/v1/runs");
  useTitle("Notes");
  if (error !== null) return <Problem text={error} />;
  if (value === null) return <Waiting />;
  const corpora = new Map((runs.value?.runs ?? []).map((run) => [run.corpus_key, run.corpus]));
  const places = new Map((value.findings ?? []).map((found) => [`${found.corpus_key} ${found.key}`, found]));
  const remove = async (note: Note) => {
    await source.send("DELETE", `/v1/notes/${note.corpus_key}/${note.key}`);
    setTurn(turn + 1);
  };
  return (
    <>
      <Heading above={[]}>Notes</Heading>
      {value.notes.length === 0 ? (
        <p class="empty">No verdicts yet. Open a finding and say whether the gold is wrong, the case ambiguous, or the error real.</p>
      ) : (
        <>
          <p class="note">{formatThings(value.notes.length, "verdict")}. They stay with the reference, also for new runs.</p>
          <Scrolling label="Notes">
            <table>
              <thead>
                <tr>
                  <th scope="col">Verdict</th>
                  <th scope="col">Finding</th>
                  <th scope="col">Remark</th>
                  <th scope="col">Corpus</th>
                  <th scope="col">Written</th>
                  <th scope="col">
                    <span class="hidden">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {value.notes.map((note) => (
                  <tr key={`${note.corpus_key} ${note.key}`}>
                    <th scope="row">{note.verdict}</th>
                    <td>
                      <Place found={places.get(`${note.corpus_key} ${note.key}`)} />
                    </td>
                    <td>
                      <Name text={note.text} />
                    </td>
                    <td>
                      <Name text={corpora.get(note.corpus_key) ?? note.corpus_key} />
                    </td>
                    <td class="quiet">{formatDay(note.created)}</td>
                    <td>
                      <button type="button" class="plain" onClick={() => void remove(note)}>
                        Remove<span class="hidden"> the verdict {note.verdict}</span>
                      </button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scrolling>
        </>
      )}
    </>
  );
}

/** The finding of a note in the latest run that has it. */
function Place({ found }: { found: NotedFinding | undefined }) {
  if (found === undefined) return <span class="quiet">in none of the latest runs</span>;
  return (
    <>
      <Link path={["run", found.run, "findings"]} query={new Map([["at", [String(found.position)]]])}>
        {found.kind} <Name text={found.label} />
      </Link>
      <span class="ends">
        <Name text={found.document} /> in <Name text={found.run_name} />
      </span>
    </>
  );
}
