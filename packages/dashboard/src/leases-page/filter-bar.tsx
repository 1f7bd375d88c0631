import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { KubernetesObject, ObjectList } from '../api/kubernetes-objects.js';
import { namespaceOf } from '../session/who-am-i.js';
import { useServices } from '../shell/services.js';
import { useAsked } from '../shell/use-live.js';
import { showText } from '../text/show-text.js';

export function FilterBar(): JSX.Element {
  const { route, go } = useServices();
  const { query } = route;
  const search = useRef<HTMLInputElement>(null);
  useSlash(search);
  return (
    <div class="filters" role="search">
      <label class="field-inline search">
        <span class="sr-only">Search namespace, name or holder</span>
        <input
          ref={search}
          type="search"
          placeholder="Search name or holder"
          title="Press / to focus the search. holder:NAME and state:expired search only there."
          spellcheck={false}
          value={query.search}
          onInput={(event) => go({ query: { ...query, search: event.currentTarget.value } }, { replace: true })}
        />
      </label>
      <NamespacePicker />
      <LabelSelector />
    </div>
  );
}

/** The server applies the selector and reports errors in it. */
function LabelSelector(): JSX.Element {
  const { route, go } = useServices();
  const [text, setText] = useState(route.labels);
  useLayoutEffect(() => setText(route.labels), [route.labels]);
  const apply = (event?: Event): void => {
    event?.preventDefault();
    if (text.trim() !== route.labels) go({ labels: text.trim() });
  };
  return (
    <form class="field-inline labels" onSubmit={apply}>
      <label>
        <span class="sr-only">Label selector</span>
        <input
          type="text"
          placeholder="Labels: app=web, tier!=test"
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onBlur={() => apply()}
        />
      </label>
    </form>
  );
}

/** `/` moves the focus to the search, unless the user is typing. */
function useSlash(input: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || target.closest('input, textarea, select, dialog')) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [input]);
}

/** The namespace whose leases are shown: a choice if the user may list namespaces, a text otherwise. */
function NamespacePicker(): JSX.Element {
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
