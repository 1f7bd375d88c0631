// Compiles imported TypeScript sources as the build does, for the tests and for the tools beside them.
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

/** The URL of the repository. */
export const ROOT = new URL('../../', import.meta.url).href;
const ours = (url) => url?.startsWith(ROOT) && !url.includes('/node_modules/');

/** Whether this hook compiles what has this URL. */
export const isOurs = (url) => ours(url) && /\.tsx?(\?|$)/.test(url);

/** Answers `code`, and `map` unless the source map is part of it ("inline"). */
export function compileTypeScript(url, sourceMaps) {
  const filename = fileURLToPath(url);
  return transformSync(readFileSync(filename, 'utf8'), { filename, sourceMaps });
}

registerHooks({
  resolve(specifier, context, next) {
    if (ours(context.parentURL) && /^\.{1,2}\/.*\.js$/.test(specifier)) {
      const url = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
      if (existsSync(url)) return next(url.href, context);
    }
    return next(specifier, context);
  },
  load(url, context, next) {
    if (!isOurs(url)) return next(url, context);
    return { format: 'module', source: compileTypeScript(url, 'inline').code, shortCircuit: true };
  },
});
