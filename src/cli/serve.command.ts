import { Command } from 'commander';
import type { LoadHttpApplication } from '../server/process/http-application.js';
import { addSettingOptions, configOf } from './setting-options.js';

/** `serve`: one flag per setting, plus `--config` for the file. */
export function serveCommand(loadApplication: LoadHttpApplication): Command {
  const command = new Command('serve').description('Runs the server (the default command).');
  addSettingOptions(command);
  return command.action(async (_options, self: Command) => {
    const config = configOf(self);
    // Loaded lazily, to keep the other commands fast.
    const [{ serve }, { createServer }] = await Promise.all([
      import('../server/process/serve.js'),
      import('../server/workers/create-server.js'),
    ]);
    await serve(config, (given, logger) => createServer(given, loadApplication, logger));
  });
}
