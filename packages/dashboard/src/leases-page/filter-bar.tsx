import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useServices } from '../shell/services.js';
import { NamespacePicker } from './namespace-picker.js';

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
