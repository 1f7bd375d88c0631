import type { CompletedCommand, CompletedFlag } from './completion-words.js';
import { knownPaths } from './bash-script.js';

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
