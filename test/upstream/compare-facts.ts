import type { Facts } from './facts.js';

/** The facts that differ, one line each: `- ` for what only `before` has, `+ ` for what only `after` has, `~ ` for another value. */
export function compareFacts(before: Facts, after: Facts): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((name) => {
    const [old, now] = [before.get(name), after.get(name)];
    if (old === now) return [];
    if (now === undefined) return [`- ${name} ${old ?? ''}`.trimEnd()];
    return old === undefined ? [`+ ${name} ${now}`.trimEnd()] : [`~ ${name}: ${old} -> ${now}`];
  });
}

/**
 * The differences between the original and this server that are no choice of its own: it has its own descriptions and flags, only some of the roles,
 * and neither rights on resources that it does not serve nor the original's metrics and gates; what only it has is its own matter.
 */
export function undeclaredFacts(original: Facts, ours: Facts, lines: readonly string[] = compareFacts(original, ours)): string[] {
  const rights = [...ours.keys()].filter((name) => name.startsWith('role ')).map((name) => name.split(' '));
  const roles = new Set(rights.map(([, role]) => role));
  const served = new Set(rights.map((words) => words.at(-1)));
  const schemas = new Set([...ours.keys()].map(schemaOf));
  return lines.filter((line) => {
    const [sign, kind, role] = line.split(' ');
    if (sign === '+' || kind === 'metric' || kind === 'gate' || kind === 'flag') return false;
    const name = line.slice(2);
    if (kind === 'role') return roles.has(role) && served.has(name.split(' ').at(-1));
    if (kind === 'openapi') return schemas.has(schemaOf(name)) && name.includes(' components schemas ') && !/ description(:| )/.test(name);
    return true;
  });
}

/** Document and schema of a fact of OpenAPI. */
function schemaOf(name: string): string {
  return name.split(' ').slice(0, 5).join(' ');
}
