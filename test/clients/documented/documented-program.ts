import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const docs = path.resolve(import.meta.dirname, '../../../docs');

/** The code blocks of a page that have a file name after their language, and the files in the folder of the page's name, by file name. */
export function filesOf(page: string): Map<string, string> {
  const text = readFileSync(path.join(docs, page), 'utf8');
  const blocks = [...text.matchAll(/^```\w+ (\S+)\n([^]*?)^```$/gm)];
  const folder = path.join(docs, page.replace(/\.md$/, ''));
  const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)));
  return new Map([
    ...blocks.map(([, name = '', code = '']) => [name, code] as const),
    ...files.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')] as const),
  ]);
}

/** Writes those files into a folder, as a reader of the page would. */
export function writeFilesOf(page: string, folder: string): void {
  for (const [name, code] of filesOf(page)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, code);
  }
}

/** The SQL blocks of a page, in order. */
export function sqlOf(page: string): string[] {
  const text = readFileSync(path.join(docs, page), 'utf8');
  return [...text.matchAll(/^```sql\n([^]*?)^```$/gm)].map(([, sql = '']) => sql);
}
