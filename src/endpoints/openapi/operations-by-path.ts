import type { ApiOperation } from './api-operation.js';

/** Groups operations by path; both are sorted. */
export function operationsByPath(operations: readonly ApiOperation[]): [string, ApiOperation[]][] {
  const groups = new Map<string, ApiOperation[]>();
  for (const operation of operations) groups.set(operation.path, [...(groups.get(operation.path) ?? []), operation]);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}
