import { render } from 'preact';
import { App } from './app/app.js';
import { applyTheme, readTheme } from './theme/theme.js';

applyTheme(readTheme());
const root = document.getElementById('app');
if (root) render(<App />, root);
