/** The verdict on a finding: a note beside its key, which stays for new runs of the same reference. */

import { useEffect, useState } from "preact/hooks";
import { useLoaded, useSource } from "../lib/hooks";
import type { Note, Verdict } from "../lib/types";

const VERDICTS: Verdict[] = ["gold error", "ambiguous", "real error"];

export function VerdictForm({ corpus, code }: { corpus: string; code: string }) {
  const source = useSource();
  const { value } = useLoaded(source.isLive ? "/v1/notes" : "", () => source.getJson<{ notes: Note[] }>("/v1/notes"));
  const [note, setNote] = useState<{ verdict: Verdict | null; text: string }>({ verdict: null, text: "" });
  const [message, setMessage] = useState("");
  useEffect(() => {
    const found = value?.notes.find((one) => one.corpus_key === corpus && one.key === code);
    setNote({ verdict: found?.verdict ?? null, text: found?.text ?? "" });
    setMessage("");
  }, [value, corpus, code]);
  if (!source.isLive) return null;

  const save = async (verdict: Verdict | null, text: string) => {
    setNote({ verdict, text });
    const url = `/v1/notes/${corpus}/${code}`;
    try {
      if (verdict === null) await source.send("DELETE", url);
      else await source.send("PUT", url, { verdict, text });
      await source.getJson("/v1/notes", true);
      setMessage("Saved.");
    } catch (problem) {
      setMessage(problem instanceof Error ? problem.message : String(problem));
    }
  };
  return (
    <fieldset class="verdict">
      <legend>Your verdict</legend>
      <div class="choices">
        {VERDICTS.map((verdict) => (
          <button
            key={verdict}
            type="button"
            aria-pressed={note.verdict === verdict}
            onClick={() => void save(note.verdict === verdict ? null : verdict, note.text)}
          >
            {verdict}
          </button>
        ))}
      </div>
      {note.verdict !== null && (
        <label class="field">
          Remark
          <textarea
            rows={2}
            dir="auto"
            value={note.text}
            onChange={(event) => void save(note.verdict, event.currentTarget.value)}
          />
        </label>
      )}
      <p class="note" role="status">
        {message}
      </p>
    </fieldset>
  );
}
