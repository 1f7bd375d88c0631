import type { TurnCase } from './turn-cases.js';

/** A case's request in one size. */
export interface TurnMessage {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Of the path and the headers that grow. */
  readonly headerBytes: number;
}

export function messageOf({ method, token, headers, longHeaders, path: pathOf, body }: TurnCase, size: number): TurnMessage {
  const path = pathOf(size);
  const long = longHeaders?.(size) ?? {};
  return {
    ...{ method, path, body: body?.(size) ?? Buffer.alloc(0) },
    headers: { authorization: `Bearer ${token}`, ...headers, ...long },
    headerBytes: path.length + Object.values(long).join('').length,
  };
}
