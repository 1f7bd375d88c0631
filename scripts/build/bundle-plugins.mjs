import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';

export const ROOT = path.join(import.meta.dirname, '../..');

/** How sources name each other. */
export const RESOLVE = { extensionAlias: { '.js': ['.ts', '.js'] } };

/** Whether a module is one of this repository, wherever that is. */
export const isOurs = (id) => /^(src|packages)\/(?!.*\bnode_modules\/)/.test(path.relative(ROOT, id));

/** Compiles our sources as the tests do. They find their files where the package has them, one folder above the bundle. */
export const sources = {
  name: 'sources',
  async load(id) {
    if (!id.endsWith('.ts') || !isOurs(id)) return null;
    // Not for those who only ask whether the build is stale.
    const { transformSync } = await import('@swc/core');
    const text = readFileSync(id, 'utf8').replaceAll(
      /\bimport\.meta\.url\b/g,
      () => `new URL(${JSON.stringify(path.relative(ROOT, id))}, new URL('../', import.meta.url)).href`,
    );
    const { code, map } = transformSync(text, { filename: id, sourceMaps: true });
    return { code, map, moduleType: 'js' };
  },
};

/**
 * Requires Node's own modules in place of importing them. An import asks `node:http` for all that it exports, which loads Node's fetch and WebSocket: 30 ms
 * and 14 MB.
 */
export const required = {
  name: 'required',
  resolveId: (id, _importer, { kind }) => (isBuiltin(id) && kind !== 'require-call' && !/module$/.test(id) ? `\0node/${id}` : null),
  load(id) {
    if (!id.startsWith('\0node/')) return null;
    const name = id.slice('\0node/'.length);
    const exported = Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule(name)));
    const isLoadedByGet = ([each, { get }]) => name.endsWith('http') && get !== undefined && /^[A-Z]/.test(each);
    const names = exported.filter((each) => !isLoadedByGet(each)).map(([each]) => each);
    const identifiers = names.filter((each) => /^[A-Za-z_$][\w$]*$/.test(each) && each !== 'default');
    const own = identifiers.map((each) => `const _${each} = /* @__PURE__ */ (() => builtin.${each})(); export { _${each} as ${each} };`);
    const code = `import { createRequire } from 'node:module';
      const builtin = /* @__PURE__ */ createRequire(import.meta.url)(${JSON.stringify(name)});
      export default builtin;\n${own.join('\n')}`;
    return { code, moduleType: 'js' };
  },
};

/** Escapes what is not ASCII: one such character, and V8 keeps two bytes for each of the file. */
export const ascii = {
  name: 'ascii',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      chunk.code = chunk.code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
    }
  },
};

const NOTHING = 'module.exports = () => () => () => true;';

/** Compilers of schemas, telephone numbers and further transports: frameworks look for them at once, and nothing here has any. */
export const unneeded = {
  name: 'unneeded',
  resolveId: (id) =>
    /^(@fastify\/(ajv-compiler|fast-json-stringify-compiler)|libphonenumber-js|@nestjs\/(microservices|websockets)\/)/.test(id)
      ? `\0${id}.cjs`
      : null,
  load: (id) => (/^\0(@fastify|libphonenumber|@nestjs)/.test(id) ? { code: NOTHING, moduleType: 'js' } : null),
};

/** Frameworks name optional packages that are not installed; those stay imports that may fail. What one command loads on demand others always need. */
export function quietly(level, log, report) {
  if (!['UNRESOLVED_IMPORT', 'INEFFECTIVE_DYNAMIC_IMPORT', 'PLUGIN_TIMINGS'].includes(log.code)) report(level, log);
}
