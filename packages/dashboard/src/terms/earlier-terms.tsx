import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiFailure } from '../api/api-client.js';
import { CopyLine } from '../shell/copy-line.js';
import { useServices } from '../shell/services.js';
import { programCall, shellWord } from '../text/kubectl-lines.js';
import { showText } from '../text/show-text.js';
import { showMoment } from '../text/show-time.js';
import { type LeaseTerms, HISTORY } from './read-terms.js';
import type { TermArchive } from './term-archive.js';

interface EarlierTermsProps {
  readonly namespace: string;
  readonly name: string;
}

/** Says that the page has only the newest terms of a lease, and reads further back; nothing if it has all of them. */
export function EarlierTerms({ namespace, name }: EarlierTermsProps): JSX.Element | null {
  const { archive, clock } = useServices();
  const [asked, ask] = useState<LeaseTerms>();
  const lease = { namespace, name };
  const known = archive.known(lease);
  const [oldest] = known?.terms ?? [];
  if (!known?.hasEarlier || !oldest) return null;
  const title = `${showText(namespace)}/${showText(name)}`;
  const isReading = asked === known && !archive.failureOf(lease);
  return (
    <p class="muted timeline-more">
      {`The ${known.terms.length.toLocaleString('en')} newest terms of `}
      <bdi>{title}</bdi>
      {`, since ${showMoment(oldest.from, clock.now())} UTC. `}
      {isReading ? (
        'Reading earlier ones…'
      ) : archive.canReadFurther(lease) ? (
        <button
          type="button"
          class="link"
          onClick={() => {
            ask(known);
            archive.readFurther(lease);
          }}
        >
          Read earlier ones
        </button>
      ) : (
        <>
          All of them: <code>{`${programCall()} history ${shellWord(title)}`}</code>
        </>
      )}
    </p>
  );
}

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
