import type { JSX } from 'preact';
import type { ApiFailure } from '../api/api-failure.js';
import { CopyLine } from '../shell/copy-line.js';
import { showText } from '../text/show-text.js';
import { HISTORY } from './read-terms.js';
import type { TermArchive } from './term-archive.js';

interface TermsNoticeProps {
  readonly archive: TermArchive;
  /** Why the terms of a lease on the page could not be read. */
  readonly failure: ApiFailure | undefined;
}

/** Why there is no history of terms, and what the user sees instead; nothing if there is one. */
export function TermsNotice({ archive, failure = archive.failure }: TermsNoticeProps): JSX.Element | null {
  if (archive.service === 'absent') {
    return (
      <div class="notice terms-notice">
        <p>
          This server does not serve the history of terms, so this page shows only what this tab has seen; a coordination-apiserver serves
          it unless --runtime-config turns it off, and restarted with this flag instead shows what it has recorded until then, too:
        </p>
        <CopyLine line={`--runtime-config=${HISTORY}=true`} label="the flag that serves terms" />
      </div>
    );
  }
  if (!failure) return null;
  return (
    <p class="notice notice-warn">
      {failure.status === 403 ? 'You may not read terms, so this page shows only what this tab has seen. ' : ''}
      {showText(failure.message, 300)}
    </p>
  );
}
