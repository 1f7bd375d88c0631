import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

/** A command line with a button that copies it. */
export function CopyLine({ line, label }: { readonly line: string; readonly label?: string }): JSX.Element {
  const [copied, setCopied] = useState<'no' | 'yes' | 'failed'>('no');
  const copy = (): void => {
    const done = (how: 'yes' | 'failed'): void => {
      setCopied(how);
      setTimeout(() => setCopied('no'), 1500);
    };
    // Available only in a secure context: over https, or from this computer.
    (navigator.clipboard?.writeText(line) ?? Promise.reject(new Error('no clipboard'))).then(
      () => done('yes'),
      () => done('failed'),
    );
  };
  return (
    <div class="copy-line">
      <code>{line}</code>
      <button type="button" class="button button-quiet" onClick={copy} aria-label={`Copy: ${label ?? line}`}>
        {{ no: 'Copy', yes: 'Copied', failed: 'Select it' }[copied]}
      </button>
    </div>
  );
}
