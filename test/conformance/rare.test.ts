import { conformanceSuite } from './replay/conformance-suite.js';

conformanceSuite('rare');
