import { conformanceSuite } from './replay/conformance-suite.js';

conformanceSuite('small-print');
