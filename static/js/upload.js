// Uploading with scripts: each file goes on its own, is looked at first, and has its own result.
// Without this file the form is posted whole, and the page answers with the same results.

const COUNT_WORDS = { ready: "ready", imported: "imported", here: "already here", refused: "refused", failed: "not done" };
const NOT_SENT = "It could not be sent. Check that the file is still there and the connection works, then look again.";

const form = document.querySelector("[data-upload]");
const zone = form.querySelector("[data-drop]");
const input = zone.querySelector("input[type=file]");
const results = document.getElementById("results");
const buttons = { look: form.querySelector("[data-look]"), import: form.querySelector("[data-import]"), clear: form.querySelector("[data-clear]") };

let items = [];
// One file at a time, in the order they came.
let queue = Promise.resolve();

function say(text) {
  form.querySelector("[data-upload-said]").textContent = text;
}

function plural(n, word) {
  return `${n} ${word}${n === 1 ? "" : "s"}`;
}

function copyOf(id) {
  return document.importNode(document.getElementById(id).content, true).firstElementChild;
}

function add(files) {
  if (!files.length) return;
  if (!items.length) results.replaceChildren(copyOf("upload-panel"));
  const added = [...files].map((file) => {
    const card = newCard(file);
    results.firstElementChild.append(card);
    return { file, card, state: "" };
  });
  items.push(...added);
  enqueue(added, "preview");
}

function enqueue(chosen, action) {
  for (const item of chosen) {
    item.state = "waiting";
    item.card.querySelector(".file__body").append(copyOf("upload-progress"));
  }
  count();
  queue = queue.then(() => run(chosen, action));
}

async function run(chosen, action) {
  for (const [index, item] of chosen.entries()) {
    await send(item, action);
    count();
    const word = COUNT_WORDS[item.state];
    say(chosen.length > 1 ? `${index + 1} of ${chosen.length}: ${item.file.name}, ${word}.` : `${item.file.name}: ${word}.`);
  }
  if (chosen.length > 1) {
    const done = action === "import" ? "Imported" : "Looked at";
    say(`${done} ${plural(chosen.length, "file")}: ${summary(chosen)}.`);
  }
}

function summary(chosen) {
  return Object.entries(COUNT_WORDS)
    .map(([state, word]) => [chosen.filter((item) => item.state === state).length, word])
    .filter(([n]) => n)
    .map(([n, word]) => `${n} ${word}`)
    .join(", ");
}

async function send(item, action) {
  const data = new FormData(form);
  data.set("recordings", item.file, item.file.name);
  data.set("filename", item.file.name.slice(0, 1000));
  data.set("action", action);
  const xhr = await post(data, (event) => showProgress(item.card, event));
  const answer = new DOMParser().parseFromString(xhr.responseText, "text/html");
  const card = answer.querySelector("[data-result]");
  if (!card) {
    fail(item, xhr, answer.querySelector("[data-refusal]"));
    return;
  }
  replaceCard(item, document.importNode(card, true), card.dataset.result);
}

function post(data, onProgress) {
  return new Promise((resolve) => {
    const xhr = new XMLHttpRequest();
    // Not form.action: that is the buttons of this name.
    xhr.open("POST", form.getAttribute("action"));
    xhr.setRequestHeader("HX-Request", "true");
    xhr.upload.addEventListener("progress", onProgress);
    xhr.addEventListener("loadend", () => resolve(xhr));
    xhr.send(data);
  });
}

function showProgress(card, { loaded, total }) {
  const percent = total ? Math.floor((100 * loaded) / total) : 0;
  card.querySelector("progress").value = percent;
  card.querySelector("[data-progress-text]").textContent = percent < 100 ? `sending, ${percent} %` : "sent, the server is looking at it";
}

// What an earlier look said no longer holds, so the card starts anew.
function fail(item, xhr, refusal) {
  const card = newCard(item.file);
  const note = refusal ? document.importNode(refusal, true) : document.createElement("p");
  if (!refusal) {
    note.className = "note note--danger";
    note.textContent = xhr.status ? `The server did not take it (${xhr.status}). Reload the page, and try again.` : NOT_SENT;
  }
  // The line beside the buttons is what is spoken.
  note.removeAttribute("role");
  const tag = card.querySelector("[data-state]");
  tag.hidden = false;
  tag.textContent = COUNT_WORDS.failed;
  tag.classList.add("tag--danger");
  card.querySelector(".file__body").append(note);
  replaceCard(item, card, "failed");
}

function newCard(file) {
  const card = copyOf("upload-card");
  card.querySelector("[data-name]").textContent = file.name;
  return card;
}

function replaceCard(item, card, state) {
  item.card.replaceWith(card);
  item.card = card;
  item.state = state;
}

function count() {
  const all = results.querySelector("[data-count-all]");
  if (!all) return;
  all.textContent = plural(items.length, "file");
  for (const counter of results.querySelectorAll("[data-count]")) {
    const n = items.filter((item) => item.state === counter.dataset.count).length;
    counter.textContent = `${n} ${COUNT_WORDS[counter.dataset.count]}`;
    counter.hidden = !n;
  }
  const nReady = items.filter((item) => item.state === "ready").length;
  buttons.look.textContent = items.length ? "Look again" : "Look first";
  buttons.import.textContent = nReady ? `Import ${plural(nReady, "recording")}` : "Import";
  buttons.import.classList.toggle("button--primary", nReady > 0);
  buttons.look.classList.toggle("button--primary", !nReady);
  buttons.clear.hidden = !items.length;
}

function clear() {
  for (const item of items.filter(({ state }) => state !== "waiting")) item.card.remove();
  items = items.filter(({ state }) => state === "waiting");
  count();
  if (!items.length) results.replaceChildren();
  say("");
  input.focus();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (event.submitter?.value === "import") {
    const good = items.filter(({ state }) => state === "ready");
    if (good.length) enqueue(good, "import");
    else say("Nothing here is ready to import.");
    return;
  }
  const open = items.filter(({ state }) => !["waiting", "imported"].includes(state));
  if (open.length) enqueue(open, "preview");
  else say(items.length ? "Everything here was looked at." : "Choose files first.");
});

buttons.clear.addEventListener("click", clear);

input.addEventListener("change", () => {
  const files = [...input.files];
  input.value = "";
  add(files);
});

zone.addEventListener("dragover", () => zone.classList.add("is-over"));
zone.addEventListener("dragleave", (event) => {
  if (!zone.contains(event.relatedTarget)) zone.classList.remove("is-over");
});
zone.addEventListener("drop", (event) => {
  zone.classList.remove("is-over");
  add([...event.dataTransfer.files]);
});

// A file that misses the zone would open in the place of this page.
for (const name of ["dragover", "drop"]) {
  document.addEventListener(name, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    if (!zone.contains(event.target)) event.dataTransfer.dropEffect = "none";
  });
}

// The list says what was chosen, and files may be there without being chosen in the field.
zone.classList.add("is-live");
form.noValidate = true;
