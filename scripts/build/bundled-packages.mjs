import { readdirSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { ROOT, isOurs } from './bundle-plugins.mjs';

/** Packages of which the build has copies beside the bundle: the dashboard's, and Swagger UI. */
const COPIED = ['preact', 'swagger-ui-dist'];

/** The packages that modules are of, and those that are copied, by name: `{ name, version, license, path }`. */
export function bundledPackages(modules) {
  const others = modules.filter((id) => !isOurs(id));
  const folders = new Set(others.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
  for (const name of COPIED) folders.add(path.dirname(findPackageJSON(name, import.meta.url)));
  return [...folders].map(describe).sort((one, other) => (one.path < other.path ? -1 : 1));
}

function describe(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return { name, version, license, path: path.relative(ROOT, folder) };
}

/** The licences of packages, as they came with them. */
export function licences(packages) {
  const texts = packages.map(({ name, version, license, path: folder }) => {
    const files = readdirSync(path.join(ROOT, folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
    const text = files.map((file) => readFileSync(path.join(ROOT, folder, file), 'utf8').trim()).join('\n\n');
    return `${name} ${version} (${license})\n\n${text || 'The package has no file with the text of its licence.'}\n`;
  });
  return `The program contains these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** What the last build has written of them. */
export function readBundledPackages() {
  return JSON.parse(readFileSync(path.join(ROOT, 'dist/bundled-packages.json'), 'utf8'));
}
