import type { Command, Help } from 'commander';

const INDENT = '  ';
const DESCRIPTION_INDENT = '        ';

/**
 * Sets the help of a command with many long flags as kube-apiserver does: each flag on a line of its own, its description below it,
 * wrapped at the terminal's width.
 */
export function useLongHelp(command: Command): void {
  command.configureHelp({
    formatItem(this: Help, term, _termWidth, description) {
      const wrapped = this.boxWrap(description, (this.helpWidth ?? 80) - DESCRIPTION_INDENT.length);
      return `${INDENT}${term}\n${wrapped.replace(/^/gm, DESCRIPTION_INDENT)}`;
    },
    // Not commander's own, which adds the value that a boolean flag has when none is given.
    optionDescription: ({ description }) => description,
  });
}
