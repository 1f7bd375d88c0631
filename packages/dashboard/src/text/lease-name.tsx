import type { JSX } from 'preact';
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

/** Shorter texts are cut at their end, if at all. */
const LONG = 20;
const END = 10;
const GRAPHEMES = new Intl.Segmenter();

/** Untrusted text in one line. Where it does not fit, its middle is left out: names with the same beginning differ at their ends. */
export function Elided({ text }: { readonly text: string }): JSX.Element {
  const shown = showText(text);
  if (shown.length <= LONG) return <bdi>{shown}</bdi>;
  const { index = 0 } = GRAPHEMES.segment(shown).containing(shown.length - END) ?? {};
  return (
    <bdi class="elided">
      <span>{shown.slice(0, index)}</span>
      <span>{shown.slice(index)}</span>
    </bdi>
  );
}
