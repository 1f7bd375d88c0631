import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type CsvRow, toCsv } from '../text/to-csv.js';

/** Copies a text, such as a command or a token; `label` says which one. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  const [copied, setCopied] = useState<'no' | 'yes' | 'failed'>('no');
  const copy = (): void => {
    const done = (how: 'yes' | 'failed'): void => {
      setCopied(how);
      setTimeout(() => setCopied('no'), 1500);
    };
    // Available only in a secure context: over https, or from this computer.
    (navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))).then(
      () => done('yes'),
      () => done('failed'),
    );
  };
  return (
    <button type="button" class="button button-quiet" onClick={copy} aria-label={`Copy: ${label}`}>
      {{ no: 'Copy', yes: 'Copied', failed: 'Select it' }[copied]}
    </button>
  );
}

/** A command line with a button that copies it. */
export function CopyLine({ line, label = line }: { readonly line: string; readonly label?: string }): JSX.Element {
  return (
    <div class="copy-line">
      <code>{line}</code>
      <CopyButton text={line} label={label} />
    </div>
  );
}

interface DownloadProps {
  /** Name of the file, without its ending. */
  readonly name: string;
  /** Asked for when the user wants them. */
  readonly rows: () => readonly CsvRow[];
}

/** Offers what is shown as a file. */
export function Download({ name, rows }: DownloadProps): JSX.Element {
  const save = (ending: string, type: string, text: string): void => {
    const url = URL.createObjectURL(new Blob([text], { type }));
    Object.assign(document.createElement('a'), { href: url, download: `${name}.${ending}` }).click();
    URL.revokeObjectURL(url);
  };
  return (
    <span class="download">
      Download{' '}
      <button type="button" class="link" aria-label="Download as CSV" onClick={() => save('csv', 'text/csv', toCsv(rows()))}>
        CSV
      </button>{' '}
      <button
        type="button"
        class="link"
        aria-label="Download as JSON"
        onClick={() => save('json', 'application/json', `${JSON.stringify(rows(), null, 2)}\n`)}
      >
        JSON
      </button>
    </span>
  );
}
