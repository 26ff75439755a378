/** Score two files here: choose the task, give the files, watch the progress, see the run. */

import { useState } from "preact/hooks";
import { go, useJson, useSource, useTitle } from "../lib/hooks";
import { readToken, type DataSource } from "../lib/source";
import type { Job, TaskInfo } from "../lib/types";
import { Heading, Problem, Waiting } from "../ui/parts";

export function Upload() {
  useTitle("Score files");
  const { value, error } = useJson<{ tasks: TaskInfo[] }>("/v1/tasks");
  if (error !== null) return <Problem text={error} />;
  if (value === null) return <Waiting />;
  return (
    <div class="upload">
      <Heading above={[]}>Score files</Heading>
      <Form tasks={value.tasks} />
    </div>
  );
}

function Form({ tasks }: { tasks: readonly TaskInfo[] }) {
  const source = useSource();
  const [name, setName] = useState(tasks[0]?.name ?? "");
  const [files, setFiles] = useState<{ reference: File | null; prediction: File | null }>({ reference: null, prediction: null });
  const [save, setSave] = useState(false);
  const [job, setJob] = useState<Job | null>(null);
  const [problem, setProblem] = useState("");
  const task = tasks.find((one) => one.name === name);
  const isReady = files.prediction !== null && (files.reference !== null || task?.needs_reference === false);
  const isRunning = job !== null && (job.state === "waiting" || job.state === "running");

  const submit = async (event: Event) => {
    event.preventDefault();
    setProblem("");
    try {
      const body = new FormData();
      body.append("task", name);
      body.append("save", String(save));
      if (files.reference !== null) body.append("reference", files.reference);
      if (files.prediction !== null) body.append("prediction", files.prediction);
      const answer = (await (await source.send("POST", "/v1/jobs", body)).json()) as Job;
      setJob(answer);
      follow(source, answer.id, update);
    } catch (failure) {
      setProblem(failure instanceof Error ? failure.message : String(failure));
    }
  };
  const update = (next: Job) => {
    setJob(next);
    if (next.state === "failed") setProblem(next.message === "" ? "Scoring failed." : next.message);
    if (next.state !== "done" || next.run === null) return;
    const run = next.run;
    source.getJson("/v1/runs", true).then(() => go(["run", run]), () => go(["run", run]));
  };
  return (
    <form class="upload-form" onSubmit={(event) => void submit(event)}>
      <label class="field">
        Task
        <select value={name} onChange={(event) => setName(event.currentTarget.value)}>
          {tasks.map((one) => (
            <option key={one.name} value={one.name}>
              {one.title}
            </option>
          ))}
        </select>
      </label>
      <p class="note">{task?.summary}</p>
      <div class="drops">
        {task?.needs_reference !== false && (
          <FileField title="Reference" hint={task?.reference ?? ""} file={files.reference} onFile={(file) => setFiles({ ...files, reference: file })} />
        )}
        <FileField title="Prediction" hint={task?.prediction ?? ""} file={files.prediction} onFile={(file) => setFiles({ ...files, prediction: file })} />
      </div>
      <label class="check">
        <input type="checkbox" checked={save} onChange={() => setSave(!save)} />
        Save the run in the store
      </label>
      <div class="actions">
        <button type="submit" class="button" disabled={!isReady || isRunning}>
          {isRunning ? "Scoring…" : "Score"}
        </button>
        {isRunning && (
          <button type="button" class="plain" onClick={() => void source.send("DELETE", `/v1/jobs/${job.id}`)}>
            Cancel
          </button>
        )}
      </div>
      {isRunning && <progress aria-label="Share of the input that is read" {...(job.share === null ? {} : { value: job.share })} max={1} />}
      <p class="note" role="status">
        {job === null ? (isReady ? "" : "The files go to this service only, and nothing is kept unless you save it.") : job.state === "cancelled" ? "Cancelled." : job.message}
      </p>
      {problem !== "" && <Problem text={problem} />}
    </form>
  );
}

function FileField({ title, hint, file, onFile }: { title: string; hint: string; file: File | null; onFile: (file: File | null) => void }) {
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onFile(event.dataTransfer?.files[0] ?? null);
  };
  const drag = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  return (
    <label class={isOver ? "drop over" : "drop"} onDragOver={drag} onDragLeave={() => setOver(false)} onDrop={drop}>
      <span class="drop-title">{title}</span>
      <span class="note">{file === null ? hint : file.name}</span>
      <input type="file" onChange={(event) => onFile(event.currentTarget.files?.[0] ?? null)} />
    </label>
  );
}

/** Call a function with each state of a job until it ends. */
function follow(source: DataSource, id: string, update: (job: Job) => void): void {
  if (readToken() !== "") {
    void poll(source, id, update); // events cannot send the token
    return;
  }
  const events = new EventSource(`./v1/jobs/${id}/events`);
  events.onmessage = (event) => {
    const job = JSON.parse(event.data as string) as Job;
    if (job.state !== "waiting" && job.state !== "running") events.close();
    update(job);
  };
}

const POLL_MILLISECONDS = 500;

async function poll(source: DataSource, id: string, update: (job: Job) => void): Promise<void> {
  for (;;) {
    const job = await source.getJson<Job>(`/v1/jobs/${id}`, true);
    update(job);
    if (job.state !== "waiting" && job.state !== "running") return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
  }
}
