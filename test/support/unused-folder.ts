import { mkdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Where programs under test run: within the clone, as those of a user, but in a folder of its own. In the clone's own folder they would find the
 * data directory of a server that somebody has started there.
 */
export const UNUSED_FOLDER = path.resolve(import.meta.dirname, '../../node_modules/.cache/unused');
mkdirSync(UNUSED_FOLDER, { recursive: true });
