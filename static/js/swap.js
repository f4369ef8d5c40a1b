// What a swap of htmx owes to its reader: focus is never lost, what happened is said, and a failure is seen.

const NOT_ANSWERED = "The server did not answer. Check the connection, reload the page to see how things stand, and try again.";
const SAY_AFTER_MS = 150;

let focusedId = "";

function trouble(text) {
  const box = document.querySelector("[data-trouble]");
  if (box) box.textContent = text;
}

// A live region speaks when it changes, not when it arrives.
function sayAgain(region) {
  const nodes = [...region.childNodes];
  region.replaceChildren();
  setTimeout(() => region.replaceChildren(...nodes), SAY_AFTER_MS);
}

function placeFocus() {
  const urgent = document.querySelector("[data-focus]") ?? document.querySelector("main [aria-invalid=true]");
  if (urgent) {
    urgent.focus();
    return;
  }
  // What was swapped elsewhere, by a poll say, is no reason to move a reader.
  if (document.activeElement && document.activeElement !== document.body) return;
  const same = focusedId && document.getElementById(focusedId);
  const next = same || document.querySelector("[data-notes]") || document.querySelector("main");
  next.focus({ preventScroll: true });
}

document.addEventListener("htmx:beforeRequest", () => {
  focusedId = document.activeElement?.id ?? "";
  trouble("");
});

document.addEventListener("htmx:afterSettle", () => {
  placeFocus();
  const notes = document.querySelector("[data-notes]");
  if (notes && notes !== document.activeElement) sayAgain(notes);
});

document.addEventListener("htmx:sendError", () => trouble(NOT_ANSWERED));
document.addEventListener("htmx:responseError", (event) => {
  const { status } = event.detail.xhr;
  trouble(`The server answered with an error (${status}). Reload the page to see how things stand, and try again.`);
});
