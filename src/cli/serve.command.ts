import { Command } from 'commander';
import type { LoadHttpApplication } from '../server/lifecycle/http-application.js';
import { addSettingOptions, configOf } from './setting-options.js';

/** `serve`: a flag per setting, and `--config` for the file. */
export function serveCommand(loadApplication: LoadHttpApplication): Command {
  const command = new Command('serve').description('Serves until it is told to stop (the default command).');
  addSettingOptions(command);
  return command.action(async (_options, self: Command) => {
    const config = configOf(self);
    // Loaded when needed only: the other commands are to be quick.
    const { serve } = await import('../server/lifecycle/serve.js');
    await serve(config, loadApplication);
  });
}
