// A selected phrase is written into the field of the trail, and a button beside it follows it back.
// Selecting changes nothing else: no fold opens, nothing moves.

const MAX_CHARS = 2000;
const GAP_PX = 6;

const tracer = document.createElement("button");
tracer.type = "button";
tracer.className = "button button--small button--primary tracer";
tracer.textContent = "Trace this phrase";
tracer.hidden = true;

// What a sign stands for is not what it says: the shown text of a sign is left out of the phrase.
function phraseOf(range) {
  const part = range.cloneContents();
  for (const sign of part.querySelectorAll(".sign")) sign.remove();
  return part.textContent.trim();
}

function isRecorded(node) {
  const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
  return Boolean(element?.closest("main .recorded"));
}

function hide() {
  tracer.hidden = true;
}

function follow() {
  const field = document.getElementById("phrase");
  const selection = getSelection();
  if (!field || selection.isCollapsed || !selection.rangeCount || !isRecorded(selection.anchorNode)) return hide();
  const range = selection.getRangeAt(0);
  const phrase = phraseOf(range);
  if (!phrase || phrase.length > MAX_CHARS) return hide();
  field.value = phrase;
  const box = range.getBoundingClientRect();
  document.body.append(tracer);
  tracer.style.insetBlockStart = `${box.bottom + scrollY + GAP_PX}px`;
  tracer.style.insetInlineStart = `${Math.max(GAP_PX, Math.min(box.left + scrollX, innerWidth - 180))}px`;
  tracer.hidden = false;
}

document.addEventListener("selectionchange", follow);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
document.addEventListener("htmx:beforeRequest", hide);
// The selection goes with the press, so the phrase is taken before.
tracer.addEventListener("pointerdown", (event) => event.preventDefault());
tracer.addEventListener("click", () => document.getElementById("trace").requestSubmit());
