import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useServices } from '../shell/services.js';
import { shellWord } from '../text/kubectl-lines.js';
import { programCall } from '../text/program-call.js';
import { showText } from '../text/show-text.js';
import { showMoment } from '../text/show-time.js';
import type { LeaseTerms } from './read-terms.js';

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
