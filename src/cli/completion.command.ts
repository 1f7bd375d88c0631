import { Argument, Command } from 'commander';
import { bashScript, completionWords, fishScript, zshScript } from './completion/completion-scripts.js';

const EXAMPLES = `
Examples:
  source <(coordination-apiserver completion bash)
  coordination-apiserver completion zsh > "\${fpath[1]}/_coordination-apiserver"
  coordination-apiserver completion fish > ~/.config/fish/completions/coordination-apiserver.fish`;

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** `completion`: prints a shell script, generated from the commands, flags and values. */
export function completionCommand(program: Command): Command {
  return new Command('completion')
    .description('Prints a script that completes commands, flags and values in a shell.')
    .addArgument(new Argument('<shell>', 'Name of the shell.').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', EXAMPLES)
    .action((shell: keyof typeof SCRIPTS) => {
      process.stdout.write(SCRIPTS[shell](completionWords(program)));
    });
}
