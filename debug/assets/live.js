// Replaces the page by what the server sends. Keeps focus, selection and scroll
// positions: only differing parts are touched.
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

const source = new EventSource("events");
source.onmessage = (event) => {
  say("live", "good");
  const fresh = new DOMParser().parseFromString(event.data, "text/html");
  fresh.getElementById("live").replaceWith(pill.cloneNode(true));
  children(document.body, fresh.body);
};
source.onerror = () => say("not connected", "bad");
