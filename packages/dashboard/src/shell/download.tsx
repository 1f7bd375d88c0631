import type { JSX } from 'preact';
import { type CsvRow, toCsv } from '../text/to-csv.js';

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
