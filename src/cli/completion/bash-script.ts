import type { CompletedCommand } from './completion-words.js';

/** Words that are no command are passed over: they are values. Where nothing is listed, bash completes names of files. */
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
export function knownPaths(all: readonly CompletedCommand[]): string {
  return all.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join('|');
}

/** By command and the flag before the cursor, its values; one that takes any has none. */
export function valueCases(all: readonly CompletedCommand[]): string {
  const lines = all.flatMap(({ path, flags }) =>
    flags.flatMap(({ name, short, takesValue, values }) => {
      const patterns = [name, short].flatMap((flag) => (flag === undefined ? [] : [`'${path} ${flag}'`]));
      return takesValue ? [`    ${patterns.join('|')}) next='${values.join(' ')}' ;;`] : [];
    }),
  );
  return lines.join('\n');
}

/** By command, what can come next. */
export function nextCases(all: readonly CompletedCommand[]): string {
  return all
    .map(({ path, commands, flags }) => `    '${path}') next='${[...commands, ...flags.map(({ name }) => name)].join(' ')}' ;;`)
    .join('\n');
}
