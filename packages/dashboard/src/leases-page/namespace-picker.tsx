import type { JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { KubernetesObject, ObjectList } from '../api/kubernetes-objects.js';
import { namespaceOf } from '../session/who-am-i.js';
import { useAsked } from '../shell/use-asked.js';
import { useServices } from '../shell/services.js';
import { showText } from '../text/show-text.js';

/** The namespace whose leases are shown: a choice if the user may list namespaces, a text otherwise. */
export function NamespacePicker(): JSX.Element {
  const { client, route, go } = useServices();
  const { answer, failure } = useAsked(
    'namespaces',
    async (signal) => {
      const list = await client.json<ObjectList<KubernetesObject>>('/api/v1/namespaces?limit=500', { signal });
      return (list.items ?? []).map(({ metadata }) => metadata.name).sort();
    },
    60_000,
  );
  if (!answer) return failure ? <NamespaceText /> : <span class="field-inline namespace-picker" />;
  const names = answer.includes(route.scope) || route.scope === '' ? answer : [...answer, route.scope];
  return (
    <label class="field-inline namespace-picker">
      <span class="sr-only">Namespace</span>
      <select value={route.scope} onChange={(event) => go({ scope: event.currentTarget.value })}>
        <option value="">All namespaces</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {showText(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

export function NamespaceText(): JSX.Element {
  const { route, go, who } = useServices();
  const [text, setText] = useState(route.scope || (namespaceOf(who) ?? ''));
  // Before the next input event: an effect after the frame would replace what has been typed meanwhile.
  useLayoutEffect(() => {
    if (route.scope !== '') setText(route.scope);
  }, [route.scope]);
  const submit = (event: Event): void => {
    event.preventDefault();
    go({ scope: text.trim() });
  };
  return (
    <form class="field-inline namespace-picker" onSubmit={submit}>
      <label>
        <span class="sr-only">Namespace</span>
        <input
          type="text"
          placeholder="Namespace"
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button">
        Show
      </button>
    </form>
  );
}
