// Copy buttons: <button data-copy="ID" hidden>, next to an empty <span data-copy-said role="status">.
// They are hidden in the markup because without this file they would do nothing.

const SAID_FOR_MS = 4000;

function reveal(root) {
  for (const button of root.querySelectorAll("[data-copy][hidden]")) button.hidden = false;
}

// navigator.clipboard exists only over TLS and on localhost.
function copyByCommand(text) {
  let isFilled = false;
  const fill = (event) => {
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
    isFilled = true;
  };
  document.addEventListener("copy", fill);
  const hasRun = document.execCommand("copy");
  document.removeEventListener("copy", fill);
  return hasRun && isFilled;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByCommand(text);
  }
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  const said = button.parentElement.querySelector("[data-copy-said]");
  // Selected first: when copying fails, the keyboard can still do it.
  getSelection().selectAllChildren(source);
  const isCopied = await copy(source.textContent.trim());
  said.textContent = isCopied ? "Copied." : "Could not copy. It is selected: press Ctrl+C, or ⌘C on a Mac.";
  said.classList.toggle("is-failed", !isCopied);
  if (isCopied) {
    getSelection().removeAllRanges();
    setTimeout(() => { said.textContent = ""; }, SAID_FOR_MS);
  }
});

document.addEventListener("htmx:afterSwap", () => reveal(document));
reveal(document);
