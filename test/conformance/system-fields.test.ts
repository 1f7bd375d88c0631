import { conformanceSuite } from './replay/conformance-suite.js';

conformanceSuite('system-fields');
