import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compileTypeScript, isOurs } from '../register-typescript.mjs';

/** The files with the source maps of compiled sources, by the URL of a source. They are made when a stack is shown. */
export class SourceMaps extends Map {
  #folder;

  get(url) {
    if (!this.has(url)) this.set(url, isOurs(url) ? this.#write(url) : '');
    return super.get(url);
  }

  #write(url) {
    if (!this.#folder) {
      this.#folder = mkdtempSync(path.join(tmpdir(), 'source-maps-'));
      process.once('exit', () => rmSync(this.#folder, { recursive: true, force: true }));
    }
    const file = path.join(this.#folder, `${this.size}.json`);
    writeFileSync(file, compileTypeScript(url, true).map);
    return file;
  }
}
