import { conformanceSuite } from './replay/conformance-suite.js';

// One recorded table shows ages, which are 0s only if nothing delays the requests.
conformanceSuite('leasecandidate-v1alpha1', { oneAtATime: true });
