import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { FollowState } from '../api/follow-list.js';
import type { Route } from '../route/route.js';
import { ANONYMOUS } from '../session/who-am-i.js';
import { useServices } from '../shell/services.js';
import { useLive } from '../shell/use-live.js';
import { showText } from '../text/show-text.js';
import { showWhole } from '../text/show-time.js';
import { type Theme, applyTheme, nextTheme, readTheme } from '../theme/theme.js';

const PAGES: readonly (readonly [page: Route['page'], title: string])[] = [
  ['leases', 'Leases'],
  ['elections', 'Elections'],
  ['timeline', 'Timeline'],
  ['refused', 'Refused'],
  ['server', 'Server'],
];

interface HeaderProps {
  /** Absent: there is nothing to forget. */
  readonly signOut: (() => void) | undefined;
  readonly signIn: (() => void) | undefined;
}

export function Header({ signOut, signIn }: HeaderProps): JSX.Element {
  const { route, href, who } = useServices();
  const page = route.page === 'lease' ? 'leases' : route.page;
  return (
    <header class="header">
      <a class="brand" href={href({ page: 'leases', namespace: '', name: '' })} aria-label="Leases: all">
        <Mark />
      </a>
      <nav class="nav" aria-label="Pages">
        {PAGES.map(([to, title]) => (
          <a key={to} href={href({ page: to, namespace: '', name: '' })} aria-current={to === page ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <div class="header-end">
        <Liveness />
        <ThemeButton />
        <span class="who" title={`${showText(who.name)}\n${who.groups.map((group) => showText(group)).join('\n')}`}>
          <bdi>{showText(who.name, 40)}</bdi>
        </span>
        {signOut && (
          <button type="button" class="button button-quiet" onClick={signOut}>
            Sign out
          </button>
        )}
        {signIn && who.name === ANONYMOUS && (
          <button type="button" class="button button-quiet" onClick={signIn}>
            Sign in
          </button>
        )}
      </div>
    </header>
  );
}

/** Whether the displayed data is up to date. */
function Liveness(): JSX.Element {
  const { live, clock } = useServices();
  useLive(live.changed);
  const { silentMs } = clock;
  const [kind, text] = silentMs > 0 ? (['bad', 'No word'] as const) : livenessOf(live.state);
  return (
    <span class={`live live-${kind}`} role="status">
      <span class="live-dot" aria-hidden="true" />
      {text}
      {silentMs > 0 && <span aria-hidden="true"> for {showWhole(silentMs)}</span>}
    </span>
  );
}

function livenessOf(state: FollowState): readonly [kind: 'good' | 'busy' | 'bad', text: string] {
  switch (state.phase) {
    case 'live':
      return ['good', 'Live'];
    case 'loading':
      return ['busy', 'Loading'];
    case 'waiting':
      return ['bad', 'Reconnecting'];
    case 'refused':
      return ['bad', 'Refused'];
  }
}

const THEME_LABELS: Readonly<Record<Theme, readonly [icon: string, label: string]>> = {
  system: ['◐', 'as the system has it'],
  light: ['☀', 'light'],
  dark: ['☾', 'dark'],
};

function ThemeButton(): JSX.Element {
  const [theme, setTheme] = useState(readTheme);
  const [icon, label] = THEME_LABELS[theme];
  const change = (): void => {
    const next = nextTheme(theme);
    applyTheme(next);
    setTheme(next);
  };
  return (
    <button type="button" class="button button-icon" onClick={change} aria-label={`Theme: ${label}. Change it`} title={`Theme: ${label}`}>
      <span aria-hidden="true">{icon}</span>
    </button>
  );
}

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
