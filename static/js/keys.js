// Keys: an element with data-key="j ArrowRight" is followed, pressed or focused by them. They rest while somebody types.

const ROW = "[data-row]";

function isTyping(target) {
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

function elementOf(key) {
  return [...document.querySelectorAll("[data-key]")].find((element) => element.dataset.key.split(" ").includes(key));
}

// The second press of a tab's key leads back to what is served.
function again(element) {
  return element.getAttribute("aria-current") && element.id === "tab-diff" ? document.getElementById("tab-served") : element;
}

function use(element) {
  if (isTyping(element)) {
    element.focus();
    element.select?.();
  } else {
    again(element).click();
  }
}

function walkRows(step) {
  const rows = [...document.querySelectorAll(ROW)];
  if (!rows.length) return false;
  const at = rows.indexOf(document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + step, 0), rows.length - 1);
  rows[next].focus();
  rows[next].scrollIntoView({ block: "nearest" });
  return true;
}

function useRows(key) {
  if (key === "j") return walkRows(1);
  if (key === "k") return walkRows(-1);
  if (key === "o" && document.activeElement?.matches(ROW)) {
    document.activeElement.click();
    return true;
  }
  return false;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.key === "Escape" && isTyping(event.target)) {
    event.target.blur();
    return;
  }
  if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
  const element = elementOf(event.key);
  if (element) use(element);
  else if (!useRows(event.key)) return;
  event.preventDefault();
});

// Where it went is what the keys are for next, not the field.
document.addEventListener("submit", (event) => {
  if (event.target.matches(".goto")) document.activeElement?.blur();
});

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-open]");
  if (opener) document.getElementById(opener.dataset.open).showModal();
});

function reveal() {
  for (const button of document.querySelectorAll("[data-open][hidden]")) button.hidden = false;
}

document.addEventListener("htmx:afterSwap", reveal);
reveal();
