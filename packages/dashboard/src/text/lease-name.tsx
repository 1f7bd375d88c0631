import type { JSX } from 'preact';
import { Elided } from './elided.js';
import { showText } from './show-text.js';

/** Shorter namespaces are not worth shortening. */
const SHORT = 6;

/** `namespace/name` in one line. Where it does not fit, the namespace is shortened first: the name tells leases apart. */
export function LeaseName({ namespace, name }: { readonly namespace: string; readonly name: string }): JSX.Element {
  return (
    <span class="lease-name">
      <span class={`namespace${showText(namespace).length > SHORT ? ' namespace-long' : ''}`}>
        <span>{showText(namespace)}</span>/
      </span>
      <Elided text={name} />
    </span>
  );
}

/** The name of a lease as plain text. */
export function leaseTitle({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${showText(namespace)}/${showText(name)}`;
}
