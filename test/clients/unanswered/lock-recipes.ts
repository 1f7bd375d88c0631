import path from 'node:path';
import { mustRun } from '../run-program.js';
import { type Tool, CURL, ELIXIR as ELIXIR_TOOL, MONO, PERL as PERL_TOOL, PHP as PHP_TOOL, RUBY as RUBY_TOOL } from '../toolchain.js';
import { PROGRAM } from '../../support/program-under-test.js';
import { CSHARP, ELIXIR, PERL, PHP, RUBY, SHELL } from './begins.js';
import { type Command, type Recipe, type Way, writePage } from './recipe.js';

/** A program of docs/clients/http.md. */
function leader(file: string, need: Tool, begin: string, [program, ...args]: Command['command'], place: string): Recipe {
  return {
    ...{ name: file.toLowerCase().replace('.', '-'), via: 'server', needs: [need], tells: true },
    build: async (folder) => {
      writePage('clients/http.md', folder, '', [{ file, place, work: begin }]);
      if (need === MONO) await mustRun('mcs', ['-r:System.Net.Http.dll', file], { cwd: folder });
      return ({ lease, server, token, caFile }) => ({
        command: [program, ...args, path.join(folder, need === MONO ? 'Leader.exe' : file), lease],
        // OTP and Mono find only names in certificates
        env: { SERVER: server.replace('127.0.0.1', 'localhost'), TOKEN: token, CA_FILE: caFile },
      });
    },
  };
}

const LOADER = path.resolve(import.meta.dirname, '../../support/register-typescript.mjs');
const HASH = '# one step of the work, with the token';
const SLASHES = '// one step of the work, with the token';
const JOB = `trap 'echo lost; exit' TERM; echo leading "$LEASE_TOKEN"; while :; do ${SHELL}; sleep 0.2; done`;

const through: Readonly<Record<Recipe['via'], (way: Way) => string[]>> = {
  server: ({ kubeconfig }) => [`--kubeconfig=${kubeconfig}`],
  database: ({ databaseUrl }) => [`--database-url=${databaseUrl}`],
};

/** The commands, the library and the server for agents: at a server and straight in the database. */
const ofBothWays = (['server', 'database'] as const).flatMap((via): Recipe[] => {
  const suffix = via === 'server' ? '' : '-database';
  const recipe = (name: string, command: (way: Way) => string[]): Recipe => ({
    ...{ name: name + suffix, via, needs: [], tells: true },
    build: () => Promise.resolve((way) => ({ command: [process.execPath, ...command(way)] })),
  });
  const ours = (name: string) => path.join(import.meta.dirname, 'programs', name);
  return [
    ...['lock', 'elect'].map((verb) => recipe(verb, (way) => [PROGRAM, verb, way.lease, ...through[via](way), '--shell', '--', JOB])),
    recipe('lease-lock', (way) => ['--import', LOADER, ours('library.ts'), way.lease, ...through[via](way)]),
    recipe('mcp', (way) => [ours('agent.mjs'), way.lease, process.execPath, PROGRAM, 'mcp', ...through[via](way)]),
  ];
});

export const LOCK_RECIPES: readonly Recipe[] = [
  leader('leader.sh', CURL, SHELL, ['sh'], '# one step of the work, with $token'),
  leader('leader.rb', RUBY_TOOL, RUBY, ['ruby'], HASH),
  leader('leader.php', PHP_TOOL, PHP, ['php'], SLASHES),
  leader('leader.pl', PERL_TOOL, PERL, ['perl'], HASH),
  leader('leader.exs', ELIXIR_TOOL, ELIXIR, ['elixir'], HASH),
  leader('Leader.cs', MONO, CSHARP, ['mono'], SLASHES),
  ...ofBothWays,
];
