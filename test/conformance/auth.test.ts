import { conformanceSuite } from './replay/conformance-suite.js';

// Some scenarios grant rights for the whole server.
conformanceSuite('auth', { oneAtATime: true });
