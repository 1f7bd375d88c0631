import path from 'node:path';
import { Command } from 'commander';
import { readCertificates } from '../server/tls/certificate-report.js';
import { CommandError, EXIT_FINDINGS } from './output/command-error.js';
import { type OutputFormat, outputOption, writeResult } from './output/output-format.js';
import { addSettingOptions, configOf } from './setting-options.js';

const EXAMPLES = `
Examples:
  coordination-apiserver certs
  coordination-apiserver certs -o json --cert-dir /var/lib/coordination-apiserver/certs`;

/** `certs`: lists the certificates that the server generated. */
export function certsCommand(): Command {
  const command = new Command('certs')
    .description('Lists the generated certificates with their names and expiry. Exit code 2: one is not valid now.')
    .addOption(outputOption());
  addSettingOptions(command, ['data-dir', 'cert-dir']);
  return command.addHelpText('after', EXAMPLES).action(({ output }: { output: OutputFormat }, self: Command) => {
    const config = configOf(self);
    const dir = path.resolve(config.certDir || path.join(config.dataDir, 'certs'));
    const all = readCertificates(dir);
    if (all.length === 0) throw new CommandError(`no certificates in ${dir}: a server creates them on its first start`);
    const rows = all.map(({ name, subject, notAfter, daysLeft, names }) => [name, subject, notAfter, String(daysLeft), names.join(',')]);
    writeResult(output, all, [['NAME', 'SUBJECT', 'ENDS', 'DAYS', 'COVERS'], ...rows]);
    const problems = all.flatMap(({ name, problem }) => (problem === undefined ? [] : [`${name} ${problem}`]));
    if (problems.length > 0) throw new CommandError(problems.join('; '), EXIT_FINDINGS);
  });
}
