import type { Socket } from 'node:net';

/** The connection below that of TLS, which outlives it. Node has no public name for it. */
export function tcpSocketOf(socket: object): Socket | undefined {
  return (socket as { readonly _parent?: Socket | null })._parent ?? undefined;
}
