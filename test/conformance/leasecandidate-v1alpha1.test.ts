import { conformanceSuite } from './replay/conformance-suite.js';

// One recorded table shows ages, which are 0s only as long as nothing holds the requests up.
conformanceSuite('leasecandidate-v1alpha1', { oneAtATime: true });
