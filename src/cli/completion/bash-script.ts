import type { CompletedCommand } from './completion-words.js';

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
export function knownPaths(all: readonly CompletedCommand[]): string {
  return all.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join('|');
}

/** Cases by command and preceding flag with the flag's values; none for flags that take any value. */
export function valueCases(all: readonly CompletedCommand[]): string {
  const lines = all.flatMap(({ path, flags }) =>
    flags.flatMap(({ name, short, takesValue, values }) => {
      const patterns = [name, short].flatMap((flag) => (flag === undefined ? [] : [`'${path} ${flag}'`]));
      return takesValue ? [`    ${patterns.join('|')}) next='${values.join(' ')}' ;;`] : [];
    }),
  );
  return lines.join('\n');
}

/** Cases by command with its possible next words. */
export function nextCases(all: readonly CompletedCommand[]): string {
  return all
    .map(({ path, commands, flags }) => `    '${path}') next='${[...commands, ...flags.map(({ name }) => name)].join(' ')}' ;;`)
    .join('\n');
}
