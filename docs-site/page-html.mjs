import path from 'node:path';

/** A page around its body. */
export function pageHtml({ title, address, body, navigation }) {
  const up = path.posix.relative(path.posix.dirname(address), '.');
  const base = up === '' ? '' : `${up}/`;
  const groups = navigation.map(
    ({ title: group, links }) =>
      `<h2>${group}</h2><ul>${links
        .map(({ href, words, current }) => `<li><a href="${href}"${current ? ' aria-current="page"' : ''}>${words}</a></li>`)
        .join('')}</ul>`,
  );
  const policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title.replaceAll('<', '&lt;')} · coordination-apiserver</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}site.css">
<script type="module" src="${base}site.js" data-base="${base}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${base}index.html">coordination-apiserver</a>
<div class="search" role="search"><input type="search" placeholder="Search ( / )" aria-label="Search the documentation" autocomplete="off"><div class="found" aria-live="polite"></div></div>
</header>
<div class="columns">
<nav aria-label="Pages"><details open><summary>Pages</summary>${groups.join('')}</details></nav>
<main id="content">${body}</main>
</div>
</body>
</html>
`;
}
