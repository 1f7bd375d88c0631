import { runWorker } from './server/workers/run-worker.js';

// What `serve --workers` starts, as often as it is told to.
runWorker(() => import('./app.module.js'));
