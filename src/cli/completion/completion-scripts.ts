import type { Command, Option } from 'commander';
import { allSettings } from '../../server/config/server-settings.js';
import { allowedValues } from '../../settings/setting.js';

/** Words that are not commands are values and skipped. Without candidates bash completes file names. */
export function bashScript(all: readonly CompletedCommand[]): string {
  return `_coordination_apiserver() {
  local current="\${COMP_WORDS[COMP_CWORD]}" flag="\${COMP_WORDS[COMP_CWORD-1]}" path='' next='' word
  if [ "$current" = '=' ]; then current=''
  elif [ "$flag" = '=' ]; then flag="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${knownPaths(all)}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path $flag" in
${valueCases(all)}
    *) case "$path" in
${nextCases(all)}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$next" -- "$current"))
}
complete -o default -F _coordination_apiserver coordination-apiserver
`;
}

/** Patterns of a shell's \`case\`, of every command. */
function knownPaths(all: readonly CompletedCommand[]): string {
  return all.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join('|');
}

/** Cases by command and preceding flag with the flag's values; none for flags that take any value. */
function valueCases(all: readonly CompletedCommand[]): string {
  const lines = all.flatMap(({ path, flags }) =>
    flags.flatMap(({ name, short, takesValue, values }) => {
      const patterns = [name, short].flatMap((flag) => (flag === undefined ? [] : [`'${path} ${flag}'`]));
      return takesValue ? [`    ${patterns.join('|')}) next='${values.join(' ')}' ;;`] : [];
    }),
  );
  return lines.join('\n');
}

/** Cases by command with its possible next words. */
function nextCases(all: readonly CompletedCommand[]): string {
  return all
    .map(({ path, commands, flags }) => `    '${path}') next='${[...commands, ...flags.map(({ name }) => name)].join(' ')}' ;;`)
    .join('\n');
}

/** As bashScript; \`--flag=\` is one word here. */
export function zshScript(all: readonly CompletedCommand[]): string {
  return `#compdef coordination-apiserver
_coordination_apiserver() {
  local before='' next='' word flag="\${words[CURRENT-1]}"
  if [[ "\${words[CURRENT]}" == --*=* ]]; then
    flag="\${words[CURRENT]%%=*}"
    compset -P '*='
  fi
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${before:+$before }$word" in
      ${knownPaths(all)}) before="\${before:+$before }$word" ;;
    esac
  done
  case "$before $flag" in
${valueCases(all)}
    *) case "$before" in
${nextCases(all)}
    esac ;;
  esac
  if [[ -n "$next" ]]; then compadd -- \${=next}; else _files; fi
}
compdef _coordination_apiserver coordination-apiserver
`;
}

/** One `complete` line for each command and flag. */
export function fishScript(all: readonly CompletedCommand[]): string {
  return `function __coordination_apiserver_at
    set -l path
    for word in (commandline -opc)[2..-1]
        switch (string join ' ' -- $path $word)
            case ${knownPaths(all).replaceAll('|', ' ')}
                set -a path $word
        end
    end
    test "$path" = "$argv[1]"
end
${all.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, commands, flags }: CompletedCommand): string[] {
  const head = `complete -c coordination-apiserver -n "__coordination_apiserver_at '${path}'"`;
  const names = commands.length === 0 ? [] : [`${head} -f -a '${commands.join(' ')}'`];
  return [...names, ...flags.map((flag) => `${head} ${flagLine(flag)}`)];
}

function flagLine({ name, short, takesValue, values }: CompletedFlag): string {
  const long = `-l ${name.slice(2)}${short === undefined ? '' : ` -s ${short.slice(1)}`}`;
  if (!takesValue) return `-f ${long}`;
  return values.length === 0 ? `-r ${long}` : `-x ${long} -a '${values.join(' ')}'`;
}

interface CompletedFlag {
  /** Includes the dashes. */
  readonly name: string;
  readonly short: string | undefined;
  readonly takesValue: boolean;
  /** Empty if any value is allowed; file names are then completed. */
  readonly values: readonly string[];
}

interface CompletedCommand {
  /** The full command path, separated by spaces; '' for the program, which takes the flags of `serve` too. */
  readonly path: string;
  readonly commands: readonly string[];
  readonly flags: readonly CompletedFlag[];
}

/** Collects everything that can be completed. */
export function completionWords(program: Command): CompletedCommand[] {
  const all: CompletedCommand[] = [];
  const visit = (command: Command, path: string): void => {
    all.push({ path, commands: command.commands.map((child) => child.name()), flags: flagsOf(path === '' ? serveOf(command) : command) });
    for (const child of command.commands) visit(child, `${path} ${child.name()}`.trim());
  };
  visit(program, '');
  return all;
}

/** The default command. */
function serveOf(program: Command): Command {
  return program.commands.find((command) => command.name() === 'serve') ?? program;
}

function flagsOf(command: Command): CompletedFlag[] {
  const flags = command.options.flatMap((option) => (option.long ? [flagOf(option, option.long)] : []));
  return [...flags, { name: '--help', short: '-h', takesValue: false, values: [] }];
}

function flagOf({ short, required, optional, argChoices }: Option, name: string): CompletedFlag {
  const setting = allSettings().find((candidate) => `--${candidate.name}` === name);
  return { name, short, takesValue: required || optional, values: argChoices ?? (setting ? allowedValues(setting) : []) };
}
