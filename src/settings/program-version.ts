import { programManifest } from './program-files.js';

export const PROGRAM_VERSION = programManifest().version;
