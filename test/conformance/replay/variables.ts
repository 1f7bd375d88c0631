export type Variables = Record<string, string>;

/** Replaces `${name}`; `${now}` and `${now_minus_60}` become a MicroTime that many seconds ago. */
export function fill(text: string | number, variables: Variables): string {
  return String(text).replace(/\$\{([\w.]+)\}/g, (_, name: string) => {
    const now = /^now(?:_(minus|plus)_(\d+))?$/.exec(name);
    if (now) return microTime(Date.now() + (now[1] === 'minus' ? -1000 : 1000) * Number(now[2] ?? 0));
    const value = variables[name];
    if (value === undefined) throw new Error(`variable ${name} was not captured`);
    return value;
  });
}

const microTime = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z');

export function fillDeep(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') return fill(value, variables);
  if (Array.isArray(value)) return value.map((item) => fillDeep(item, variables));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillDeep(item, variables)]));
}

/** The value at a dotted path, or undefined. */
export function pick(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], value);
}

/** A variable computed from others, with the operations that the recordings use. */
export function derive(operation: string, a: string, b = ''): string {
  switch (operation) {
    case 'fnv1a64':
      return hex(fnv1a64(a));
    case 'hexadd':
      return hex(BigInt(a) + BigInt(b));
    case 'base64url':
      return Buffer.from(a).toString('base64url');
    case 'unbase64url':
      return Buffer.from(a, 'base64url').toString('utf8');
    case 'text':
      return a;
    default:
      throw new Error(`no operation ${operation}`);
  }
}

const hex = (value: bigint) => `0x${value.toString(16).padStart(16, '0')}`;

function fnv1a64(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return hash;
}

/** Whether a relation between two captured values holds; decimal texts compare as numbers. */
export function holds(a: string, relation: string, b: string): boolean {
  const numbers = /^\d+$/.test(a) && /^\d+$/.test(b);
  const order = numbers ? compare(BigInt(a), BigInt(b)) : compare(a, b);
  const outcomes: Record<string, boolean> = {
    '<': order < 0,
    '<=': order <= 0,
    '==': order === 0,
    '!=': order !== 0,
    '>': order > 0,
    '>=': order >= 0,
  };
  const outcome = outcomes[relation];
  if (outcome === undefined) throw new Error(`no relation ${relation}`);
  return outcome;
}

const compare = <V extends bigint | string>(a: V, b: V): number => (a < b ? -1 : a > b ? 1 : 0);
