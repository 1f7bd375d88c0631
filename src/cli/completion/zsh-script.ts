import { knownPaths, nextCases, valueCases } from './bash-script.js';
import type { CompletedCommand } from './completion-words.js';

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
