// Copy buttons: <button data-copy="ID" hidden>, next to an empty <span data-copy-said role="status">.
// A long text is copied as it is stored, not as it is shown: <button data-copy-from="ADDRESS" hidden>.
// They are hidden in the markup because without this file they would do nothing.

const SAID_FOR_MS = 4000;

function reveal(root) {
  for (const button of root.querySelectorAll(":is([data-copy], [data-copy-from])[hidden]")) button.hidden = false;
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

// The text at an address, every character of it: text() would drop a byte order mark.
async function textAt(address) {
  const response = await fetch(address).catch(() => { throw new Error("the server did not answer"); });
  if (!response.ok) throw new Error(`the server answered with an error (${response.status})`);
  const bytes = await response.arrayBuffer().catch(() => { throw new Error("the answer broke off"); });
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

// As the server counts them: a character beyond U+FFFF is one.
function countCharacters(text) {
  let n = 0;
  for (const _ of text) n += 1;
  return n;
}

const fetched = new Map();

async function copyFrom(button) {
  const said = button.parentElement.querySelector("[data-copy-said]");
  const address = button.dataset.copyFrom;
  const say = (text, isFailed = false) => {
    said.textContent = text;
    said.classList.toggle("is-failed", isFailed);
  };
  button.disabled = true;
  try {
    if (!fetched.has(address)) {
      say("Fetching the text…");
      fetched.set(address, await textAt(address));
    }
    const text = fetched.get(address);
    if (await copy(text)) {
      say(`Copied ${countCharacters(text).toLocaleString("en")} characters.`);
      fetched.delete(address);
    } else {
      // It is kept: some browsers allow it only right after a press.
      say("Could not copy: the browser did not allow it. Press again, or download the text.", true);
    }
  } catch (error) {
    say(`Could not copy: ${error.message}.`, true);
  } finally {
    button.disabled = false;
    button.focus();
  }
}

document.addEventListener("click", async (event) => {
  const whole = event.target.closest("[data-copy-from]");
  if (whole) copyFrom(whole);
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
