import { globSync } from 'node:fs';
import path from 'node:path';
import type { Type } from '@nestjs/common';
import { expect, test } from '@jest/globals';
import { AppModule } from '../../../src/app.module.js';

const root = path.resolve(import.meta.dirname, '../../..');

/** A module and all modules that it imports, directly or not. */
function withImports(module: Type): Type[] {
  const imports = (Reflect.getMetadata('imports', module) ?? []) as Type[];
  return [module, ...imports.flatMap(withImports)];
}

test('every module of a resource is imported by the module of its group', async () => {
  const imported = new Set(withImports(AppModule));
  const files = globSync('src/apis/**/*.module.ts', { cwd: root });
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    const exported = Object.values((await import(path.join(root, file))) as Record<string, Type>);
    const modules = exported.filter((each) => Reflect.hasMetadata('imports', each));
    expect([...imported]).toEqual(expect.arrayContaining(modules));
  }
});
