// Writes the documentation as a site to docs-site/dist, or to the directory named: `npm run docs:site -- DIRECTORY`. Addresses are relative, so
// the site works below any path. Exits with code 1 if a page cannot be reached, or a link of a page leads nowhere.
import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Marked } from 'marked';
import { headingSlugs } from './heading-slugs.mjs';
import { NAVIGATION } from './navigation.mjs';
import { pageHtml } from './page-html.mjs';

const root = path.join(import.meta.dirname, '..');
const out = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, 'dist'));
const sources = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md', 'deploy/**/README.md'], {
  cwd: root,
  exclude: (name) => name === 'node_modules' || name === 'dist',
}).sort();

const pages = new Map(sources.map((source) => [source, readPage(source)]));
const problems = [];
const linked = new Set(NAVIGATION.flatMap(({ pages: listed }) => listed.map(([source]) => source)));

rmSync(out, { recursive: true, force: true });
for (const page of pages.values()) write(page.address, pageHtml({ ...page, body: render(page), navigation: navigationOf(page) }));
write('search.json', JSON.stringify([...pages.values()].flatMap(sectionsOf)));
cpSync(path.join(root, 'docs/images'), path.join(out, 'docs/images'), { recursive: true });
for (const image of globSync('docs/performance/*.svg', { cwd: root })) copy(image);
for (const file of ['site.css', 'site.js']) copyFileSync(path.join(import.meta.dirname, file), path.join(out, file));
for (const source of pages.keys()) if (!linked.has(source)) problems.push(`${source}: no page links to it`);
for (const source of linked) if (!pages.has(source)) problems.push(`navigation: ${source} does not exist`);
for (const line of problems) process.stderr.write(`${line}\n`);
process.stdout.write(`${pages.size} pages in ${path.relative(process.cwd(), out) || '.'}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

function readPage(source) {
  const text = readFileSync(path.join(root, source), 'utf8').replace(/<!--[^]*?-->/g, '');
  const title = /^# +(.+)$/m.exec(text)?.[1]?.replace(/[`*]/g, '') ?? source;
  return { source, text, title, address: addressOf(source), slugs: headingSlugs(text) };
}

/** README.md is the index of its folder. */
function addressOf(source) {
  return source.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html');
}

function render({ source, text, address, slugs }) {
  let heading = 0;
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        return `<h${depth} id="${slugs[heading++]}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const to = linkOf(source, address, href);
        return to === undefined ? words : `<a href="${escapeHtml(to)}">${words}</a>`;
      },
      image({ href, text: words }) {
        return `<img src="${escapeHtml(href)}" alt="${escapeHtml(words)}" loading="lazy">`;
      },
      // Wide code scrolls by itself, by keyboard too.
      code({ text: code }) {
        return `<pre tabindex="0"><code>${escapeHtml(code)}\n</code></pre>\n`;
      },
      // Wide tables scroll by themselves.
      table(token) {
        const row = (cells, tag) => `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
        const rows = token.rows.map((cells) => row(cells, 'td')).join('');
        return `<div class="table" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
  return marked.parse(text);
}

/** The address of a link; undefined for files of the repository that are no pages, of which only the words remain. */
function linkOf(source, address, href) {
  if (/^[a-z][a-z+.-]*:/i.test(href)) return href;
  const [target, anchor] = href.split('#');
  const file = target === '' ? source : path.posix.normalize(path.posix.join(path.posix.dirname(source), decodeURIComponent(target)));
  const page = pages.get(file) ?? pages.get(path.posix.join(file, 'README.md'));
  if (!page) return undefined;
  linked.add(page.source);
  if (anchor !== undefined && !page.slugs.includes(anchor)) problems.push(`${source}: ${page.source} has no heading #${anchor}`);
  const to = path.posix.relative(path.posix.dirname(address), page.address);
  return anchor === undefined ? to : `${target === '' ? '' : to}#${anchor}`;
}

function navigationOf({ source, address }) {
  return NAVIGATION.map(({ title, pages: listed }) => ({
    title,
    links: listed.map(([to, words]) => ({
      words,
      href: path.posix.relative(path.posix.dirname(address), addressOf(to)),
      current: to === source,
    })),
  }));
}

/** What the search looks at: each section with its words. */
function sectionsOf({ text, title, address, slugs }) {
  const parts = text.replace(/^(```|~~~)[^]*?^\1/gm, (code) => code.replace(/^#/gm, ' #')).split(/^#{1,6} +/m);
  return parts.slice(1).map((part, index) => {
    const [heading = '', ...rest] = part.split('\n');
    const words = rest
      .join(' ')
      .replace(/\]\([^)]*\)|[`*|#[\]]|-{3,}/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();
    return { page: title, title: heading.replace(/\[([^\]]*)\]\([^)]*\)|[`*]/g, '$1'), url: `${address}#${slugs[index]}`, words };
  });
}

function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

function write(file, text) {
  mkdirSync(path.dirname(path.join(out, file)), { recursive: true });
  writeFileSync(path.join(out, file), text);
}

function copy(file) {
  mkdirSync(path.dirname(path.join(out, file)), { recursive: true });
  copyFileSync(path.join(root, file), path.join(out, file));
}
