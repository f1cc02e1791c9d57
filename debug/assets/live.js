// Replaces the parts of the page that have changed, as the server sends them. Keeps focus,
// selection and scroll positions: only differing parts are touched.
"use strict";
const pill = document.getElementById("live");

function say(text, tone) {
  if (pill.textContent !== text) pill.textContent = text;
  pill.className = "pill " + tone;
}

// Makes `old` equal to `fresh`, node by node.
function morph(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName || old.id !== fresh.id) {
    old.replaceWith(fresh.cloneNode(true));
    return;
  }
  if (old.nodeType !== Node.ELEMENT_NODE) {
    old.nodeValue = fresh.nodeValue;
    return;
  }
  for (const name of old.getAttributeNames()) {
    if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const name of fresh.getAttributeNames()) {
    if (old.getAttribute(name) !== fresh.getAttribute(name)) old.setAttribute(name, fresh.getAttribute(name));
  }
  children(old, fresh);
}

function children(old, fresh) {
  const now = [...old.childNodes];
  const next = [...fresh.childNodes];
  next.forEach((node, position) => {
    if (position < now.length) morph(now[position], node);
    else old.append(node.cloneNode(true));
  });
  now.slice(next.length).forEach((node) => node.remove());
}

function update(event) {
  const place = document.querySelector('[data-section="' + event.type + '"]');
  const parsed = new DOMParser().parseFromString(event.data, "text/html");
  if (place) children(place, parsed.body);
  say("live", "good");
}

const source = new EventSource("events");
for (const place of document.querySelectorAll("[data-section]")) {
  source.addEventListener(place.dataset.section, update);
}
source.onerror = () => say("not connected", "bad");
