import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** The down arrow moves into the table from the page around it and from the search, to the row that Tab would move to. */
export function useArrowDown(scroller: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'ArrowDown' || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      // Other elements, such as selections, have their own use for the key.
      if (!(event.target as Element).matches('body, #main, input[type="search"]')) return;
      const row = scroller.current?.querySelector<HTMLElement>('[data-row][tabindex="0"]');
      if (!row) return;
      event.preventDefault();
      row.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [scroller]);
}
