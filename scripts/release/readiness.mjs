import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** What keeps the present commit from being released as a version, a line each. */
export function whyNotReleasable(version) {
  return [...otherVersions(version), ...missingNotes(version), ...unpinnedImage(), ...gitState(version)];
}

/** A version's section of CHANGELOG.md, without its heading. */
export function notesOf(version) {
  const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
  const section = sections.find((text) => text.split(/[\s\]]/)[0].replace('[', '') === version);
  return section?.slice(section.indexOf('\n')).trim().concat('\n');
}

function otherVersions(version) {
  const read = (file) => parse(readFileSync(file, 'utf8'));
  const chart = 'deploy/helm/coordination-apiserver/Chart.yaml';
  const found = [
    ...['leader-election', 'lease-lock', 'testing'].map((name) => {
      const file = `packages/${name}/package.json`;
      return [file, read(file).version];
    }),
    [chart, read(chart).version],
    [chart, read(chart).appVersion],
    ...['base', 'overlays/production'].map((name) => {
      const file = `deploy/kubernetes/${name}/kustomization.yaml`;
      return [file, read(file).images[0].newTag];
    }),
  ];
  return found.filter(([, other]) => other !== version).map(([file, other]) => `${file} has the version ${other}`);
}

function missingNotes(version) {
  return notesOf(version) === undefined ? [`CHANGELOG.md has no section ${version}`] : [];
}

/** A tag may name another image tomorrow, or on the runner of the other architecture. */
function unpinnedImage() {
  const [, name] = /^ARG NODE_IMAGE=(.*)$/m.exec(readFileSync('Dockerfile', 'utf8'));
  return /@sha256:[0-9a-f]{64}$/.test(name) ? [] : [`the base image ${name} of the Dockerfile has no digest`];
}

function gitState(version) {
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const reasons = [];
  if (git('status', '--porcelain') !== '') reasons.push('there are changes that are not committed');
  if (!git('tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`)) reasons.push(`the commit has no tag v${version}`);
  return reasons;
}
