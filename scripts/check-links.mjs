// Exits with code 1 if a link in a Markdown file names a missing file or heading. Links to other hosts are not followed.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const EXCLUDED = ['node_modules', 'dist', '.bench', '.data', 'release'];
const files = globSync('**/*.md', { cwd: root, exclude: (name) => EXCLUDED.includes(path.basename(name)) });

const broken = files.flatMap((file) => linksOf(read(file)).flatMap((link) => problem(file, link) ?? []));
for (const line of broken) process.stderr.write(`${line}\n`);
process.exitCode = broken.length > 0 ? 1 : 0;

function read(file) {
  return readFileSync(path.join(root, file), 'utf8').replace(/^(```|~~~)[^]*?^\1/gm, '');
}

/** Inline links and images, and definitions. */
function linksOf(text) {
  const prose = text.replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)[^)]*\)|^\[[^\]]+\]:\s*(\S+)/gm)].map(([, inline, defined]) => inline ?? defined);
}

function problem(file, link) {
  if (/^[a-z][a-z+.-]*:/i.test(link)) return undefined;
  const [target, anchor] = link.split('#');
  const at = target === '' ? file : path.join(path.dirname(file), decodeURIComponent(target));
  if (!existsSync(path.join(root, at))) return `${file}: ${link} does not exist`;
  if (anchor === undefined || statSync(path.join(root, at)).isDirectory() || !at.endsWith('.md')) return undefined;
  return headings(at).has(anchor) ? undefined : `${file}: ${at} has no heading #${anchor}`;
}

/** Anchors in GitHub's form. */
function headings(file) {
  const seen = new Map();
  const anchors = new Set();
  for (const [, title] of read(file).matchAll(/^#{1,6} +(.+)$/gm)) {
    const plain = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    anchors.add(times === 0 ? slug : `${slug}-${times}`);
  }
  return anchors;
}
