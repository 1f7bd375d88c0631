import type { JSX } from 'preact';
import { CopyLine } from '../shell/copy-line.js';
import { useServices } from '../shell/services.js';
import { shellWord } from '../text/kubectl-lines.js';
import { programCall } from '../text/program-call.js';
import { showText } from '../text/show-text.js';

/** What to do first; or that no lease has the labels. */
export function NoLease(): JSX.Element {
  const { namespace, labels } = useServices().live.scope;
  const where = namespace === '' ? '' : ` in ${showText(namespace)}`;
  if (labels !== '') {
    return (
      <div class="empty card">
        <h2>No lease has these labels{where}</h2>
        <p class="muted">A lease appears here as soon as one has them.</p>
      </div>
    );
  }
  const first = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'example', namespace: namespace || 'default' },
    spec: { holderIdentity: 'me', leaseDurationSeconds: 60 },
  };
  return (
    <div class="empty card">
      <h2>No lease yet{where}</h2>
      <p class="muted">
        A lease records its holder, its duration and its last renewal. It appears here as soon as a program takes one. To create the first
        one by hand:
      </p>
      <CopyLine label="a command that creates a lease" line={`echo ${shellWord(JSON.stringify(first))} | kubectl create -f -`} />
      <p class="muted">
        In a clone of this server, with curl alone, or as a whole program that elects a leader; the page named beside it says how to run it:
      </p>
      <dl class="first-steps">
        {firstSteps(
          `${new URL('../', document.baseURI).href}apis/coordination.k8s.io/v1/namespaces/${first.metadata.namespace}/leases`,
          first,
        ).map(([language, page, line]) => (
          <div key={language}>
            <dt>
              {language} <span class="muted">{page}</span>
            </dt>
            <dd>
              <CopyLine label={`the first step with ${language}`} line={line} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const LANGUAGES = ['Go', 'TypeScript', 'Python', 'Java', 'Rust'] as const;

function firstSteps(collection: string, lease: object): readonly (readonly [language: string, page: string, line: string])[] {
  const headers = `-H "Authorization: Bearer $(${programCall()} token)" -H 'Content-Type: application/json'`;
  const line = `curl --insecure ${headers} -d ${shellWord(JSON.stringify(lease))} ${shellWord(collection)}`;
  return [
    // `ui` on this computer serves the page over http, and nobody else.
    ...(location.protocol === 'https:' ? [['curl', '', line] as const] : []),
    ...LANGUAGES.map((language) => {
      const name = language.toLowerCase();
      return [language, `docs/clients/${name}.md`, `node scripts/example.mjs ${name} ../leases-${name}`] as const;
    }),
  ];
}
