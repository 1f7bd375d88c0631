import type { Plain } from '../question.js';

/** A response in the form in which it is compared: decoded, with values that necessarily differ replaced by marks. */
export interface ComparedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** `indented`, `compact`, or '' if the layout shows neither. */
  readonly layout: string;
  readonly body: unknown;
}

/** One differing value, with its path. */
export interface Difference {
  /** `body.details.causes[0].field` */
  readonly path: string;
  readonly upstream: unknown;
  readonly ours: unknown;
}

/** Reported at a path where the order of keys differs. */
export const ORDER = '(order of keys)';

/** Every value in which the responses differ. The order of keys matters, except in CBOR, where it is random. */
export function compareAnswers(upstream: ComparedAnswer, ours: ComparedAnswer): Difference[] {
  const found: Difference[] = [];
  const ordered = !/cbor|protobuf/.test(String(ours.headers['content-type']));
  compareWithin({ upstream, ours }, '', ordered, found);
  return found;
}

/** Every difference between two values, whatever the order of keys. */
export function compareValues(upstream: unknown, ours: unknown, path: string): Difference[] {
  const found: Difference[] = [];
  compareWithin({ upstream, ours }, path, false, found);
  return found;
}

interface Compared {
  readonly upstream: unknown;
  readonly ours: unknown;
}

function compareWithin({ upstream, ours }: Compared, path: string, ordered: boolean, found: Difference[]): void {
  if (Object.is(upstream, ours)) return;
  if (!isContainer(upstream) || !isContainer(ours) || Array.isArray(upstream) !== Array.isArray(ours)) {
    found.push({ path, upstream, ours });
    return;
  }
  const keys = new Set([...Object.keys(upstream), ...Object.keys(ours)]);
  const before = found.length;
  for (const key of keys) {
    const inner = Array.isArray(upstream) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    compareWithin({ upstream: upstream[key], ours: ours[key] }, inner, ordered, found);
  }
  if (ordered && path.startsWith('body') && found.length === before && String(Object.keys(upstream)) !== String(Object.keys(ours))) {
    found.push({ path: `${path} ${ORDER}`, upstream: Object.keys(upstream), ours: Object.keys(ours) });
  }
}

function isContainer(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null;
}
