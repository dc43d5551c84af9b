// Script of the document: loads the modules. Their URLs begin with the path of the page, which has a prefix behind a proxy and may lack
// the slash at its end.

const { folder, modules } = JSON.parse(document.getElementById("facts").textContent);
const base = `${location.origin}${location.pathname.replace(/\/*$/, "")}/${folder}/`;
// All at once: the imports of a module are only known after it has arrived.
for (const name of modules) document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href: base + name }));
await import(`${base}Inspector.js`);
