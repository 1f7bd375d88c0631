import type { JSX } from 'preact';

/** The program's logo. */
export function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <rect width="32" height="32" rx="8" class="mark-ground" />
      <path d="M7 21.5 9.2 11l5 5L16 8.5l1.8 7.500 5-5L25 21.500z" class="mark-crown" />
      <rect x="7" y="23.5" width="18" height="2.5" rx="1.25" class="mark-bar" />
    </svg>
  );
}
