import type { Command, Help } from 'commander';

const INDENT = '  ';
const DESCRIPTION_INDENT = '        ';

/**
 * Formats the help of a command with many long flags as kube-apiserver does: each flag on its own line, its description below, wrapped at
 * the terminal's width.
 */
export function useLongHelp(command: Command): void {
  command.configureHelp({
    formatItem(this: Help, term, _termWidth, description) {
      const wrapped = this.boxWrap(description, (this.helpWidth ?? 80) - DESCRIPTION_INDENT.length);
      return `${INDENT}${term}\n${wrapped.replace(/^/gm, DESCRIPTION_INDENT)}`;
    },
    // commander's own adds the preset value of boolean flags.
    optionDescription: ({ description }) => description,
  });
}
