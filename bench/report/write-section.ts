import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { replaceSection } from './replace-section.js';

const DOCUMENT = 'docs/performance.md';

/** Replaces a section of the performance page, formatted like the rest. */
export async function writeSection(name: string, content: string): Promise<void> {
  const text = replaceSection(readFileSync(DOCUMENT, 'utf8'), name, content);
  const options = await resolveConfig(DOCUMENT);
  writeFileSync(DOCUMENT, await format(text, { ...options, filepath: DOCUMENT }));
}
