export type Theme = 'system' | 'light' | 'dark';

const KEY = 'theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export function readTheme(): Theme {
  return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system';
}

/** Shows a theme and remembers it. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem(KEY);
    delete document.documentElement.dataset['theme'];
  } else {
    localStorage.setItem(KEY, theme);
    document.documentElement.dataset['theme'] = theme;
  }
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
}
