import type { Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import 'reflect-metadata';
import { type Declaration, ServesVersion } from './serves.js';

/** What the modules below a module declare, before Nest assembles them. Afterwards ServedVersions has the same, in order. */
export function declarationsBelow(root: Type): Declaration[] {
  const seen = new Set<object>();
  const visit = (module: object): Declaration[] => {
    if (seen.has(module)) return [];
    seen.add(module);
    const own = metadata(MODULE_METADATA.PROVIDERS, module).flatMap((provider) => metadata(ServesVersion.KEY, provider) as Declaration[]);
    return [...own, ...metadata(MODULE_METADATA.IMPORTS, module).flatMap(visit)];
  };
  return visit(root);
}

function metadata(key: string, of: object): object[] {
  return [(Reflect.getMetadata(key, of) ?? []) as object | object[]].flat();
}
