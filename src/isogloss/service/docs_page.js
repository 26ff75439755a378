// Try-it forms of the documentation page. Without this script the page shows everything but the forms.
"use strict";

const token = document.getElementById("token");
token.closest("p").hidden = false;

function createElement(name, attributes = {}, text = "") {
  const element = document.createElement(name);
  Object.assign(element, attributes);
  element.textContent = text;
  return element;
}

function buildHeaders(hasBody) {
  const headers = hasBody ? { "Content-Type": "application/json" } : {};
  if (token.value) headers.Authorization = `Bearer ${token.value}`;
  return headers;
}

async function formatAnswer(response) {
  const text = await response.text();
  if (!(response.headers.get("content-type") ?? "").includes("json")) return text.slice(0, 100_000);
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

async function send(section, path, body, output) {
  output.replaceChildren(createElement("p", {}, "Waiting for the answer."));
  try {
    const response = await fetch(path, { method: section.dataset.method, headers: buildHeaders(body !== null), body });
    const answer = createElement("pre", { tabIndex: 0 }, await formatAnswer(response));
    output.replaceChildren(createElement("p", {}, `${response.status} ${response.statusText}`), answer);
  } catch (error) {
    output.replaceChildren(createElement("p", {}, `No answer: ${error.message}`));
  }
}

function addForm(section) {
  const form = createElement("form", { className: "try" });
  const details = createElement("details");
  const path = createElement("input", { value: section.dataset.path, spellcheck: false });
  const label = createElement("label", {}, "Path and query ");
  label.append(path);
  const example = section.querySelector(".example");
  const body = example && createElement("textarea", { value: example.textContent, spellcheck: false, ariaLabel: "Body" });
  const output = createElement("output");
  form.append(...[label, body, createElement("button", {}, "Send"), output].filter(Boolean));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(section, path.value, body && body.value, output);
  });
  details.append(createElement("summary", {}, "Try it"), form);
  section.append(details);
}

for (const section of document.querySelectorAll(".operation")) {
  if (!section.dataset.path.endsWith("/events")) addForm(section);
}
for (const command of document.querySelectorAll(".command")) {
  command.textContent = command.textContent.replaceAll("http://127.0.0.1:8008", location.origin);
}
