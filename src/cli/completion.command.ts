import { Argument, Command } from 'commander';

const EXAMPLES = `
Examples:
  source <(coordination-apiserver completion bash)
  coordination-apiserver completion zsh > "\${fpath[1]}/_coordination-apiserver"
  coordination-apiserver completion fish > ~/.config/fish/completions/coordination-apiserver.fish`;

const PROGRAM = 'coordination-apiserver';

/** `completion`: a script for a shell, made of the commands and flags as they are. */
export function completionCommand(program: Command): Command {
  return new Command('completion')
    .description('Prints a script that completes commands and flags in a shell.')
    .addArgument(new Argument('<shell>', 'Which one.').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', EXAMPLES)
    .action((shell: 'bash' | 'zsh' | 'fish') => {
      const words = wordsOf(program);
      process.stdout.write(shell === 'fish' ? fishScript(words) : shell === 'zsh' ? zshScript(words) : bashScript(words));
    });
}

/** By the commands before the cursor, joined by spaces, what can come next. */
function wordsOf(program: Command): Map<string, readonly string[]> {
  const words = new Map<string, readonly string[]>();
  const visit = (command: Command, path: string): void => {
    const flags = command.options.flatMap(({ long }) => long ?? []);
    words.set(path, [...command.commands.map((child) => child.name()), ...flags, '--help']);
    for (const child of command.commands) visit(child, `${path} ${child.name()}`.trim());
  };
  visit(program, '');
  return words;
}

function cases(words: ReadonlyMap<string, readonly string[]>): string {
  return [...words].map(([path, next]) => `    '${path}') next='${next.join(' ')}' ;;`).join('\n');
}

function bashScript(words: ReadonlyMap<string, readonly string[]>): string {
  return `_coordination_apiserver() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' next='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${cases(words)}
  esac
  COMPREPLY=($(compgen -W "$next" -- "$current"))
}
complete -o default -F _coordination_apiserver ${PROGRAM}
`;
}

function zshScript(words: ReadonlyMap<string, readonly string[]>): string {
  return `#compdef ${PROGRAM}
_coordination_apiserver() {
  local before='' next='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in -*) ;; *) before="\${before:+$before }$word" ;; esac
  done
  case "$before" in
${cases(words)}
  esac
  compadd -- \${=next}
}
compdef _coordination_apiserver ${PROGRAM}
`;
}

function fishScript(words: ReadonlyMap<string, readonly string[]>): string {
  return `function __coordination_apiserver
    set -l path
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; or set -a path $word
    end
    switch "$path"
${[...words].map(([path, next]) => `        case '${path}'\n            string split ' ' -- '${next.join(' ')}'`).join('\n')}
    end
end
complete -c ${PROGRAM} -a '(__coordination_apiserver)'
`;
}
