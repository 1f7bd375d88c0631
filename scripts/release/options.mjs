import { parseArgs } from 'node:util';

/** The values of a script's options. Ends the process with its usage where that is asked for, or an option is not known. */
export function options(usage, known) {
  try {
    const { values } = parseArgs({ options: { ...known, help: { type: 'boolean', short: 'h' } } });
    if (!values.help) return values;
    process.stdout.write(`${usage}\n`);
    return process.exit(0);
  } catch (error) {
    process.stderr.write(`${error.message.split('. To specify')[0]}\n${usage}\n`);
    return process.exit(2);
  }
}
