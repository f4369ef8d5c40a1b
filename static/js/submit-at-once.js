// A link that signs somebody in opens a page with one form. With scripting on, nobody has to press its button.
document.querySelector("form[data-submit-at-once]")?.requestSubmit();
