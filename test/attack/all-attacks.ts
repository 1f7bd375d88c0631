import type { Attack } from './attack-definition.js';
import { continuationFlood, emptyData, pingFlood, unreadPings } from './attacks/control-floods.js';
import { costlyRequests, largeEvents, longSelectors, reviewsOfNobody } from './attacks/costly-requests.js';
import { echoedAuditIds, hpackBomb, pinnedHeaders, repeatedHeaders } from './attacks/header-weight.js';
import { idleConnections } from './attacks/idle-connections.js';
import { paddedPost } from './attacks/padded-post.js';
import { prototypeNames } from './attacks/prototype-names.js';
import { queuedWrites } from './attacks/queued-writes.js';
import { readyzFlood } from './attacks/readyz-flood.js';
import { madeYouReset, rapidReset } from './attacks/resets.js';
import { settingsStorm, streamStorm } from './attacks/settings-storm.js';
import { slowHeaders, unreadPipeline } from './attacks/slow-clients.js';
import { smallWindows } from './attacks/small-windows.js';
import { unreadBodies } from './attacks/unread-bodies.js';
import { unreadDocuments } from './attacks/unread-documents.js';
import { unreadGetsOfNodes, unreadGetsOfUsers } from './attacks/unread-gets.js';
import { gzipLists, unreadWatches, unreadWebSockets } from './attacks/unread-streams.js';
import { vanishedWatches } from './attacks/vanished-watches.js';

export const ALL_ATTACKS: readonly Attack[] = [
  unreadGetsOfUsers,
  unreadGetsOfNodes,
  unreadDocuments,
  unreadBodies,
  paddedPost,
  settingsStorm,
  streamStorm,
  idleConnections,
  vanishedWatches,
  prototypeNames,
  repeatedHeaders,
  echoedAuditIds,
  pinnedHeaders,
  queuedWrites,
  smallWindows,
  readyzFlood,
  rapidReset,
  madeYouReset,
  continuationFlood,
  hpackBomb,
  pingFlood,
  unreadPings,
  emptyData,
  unreadPipeline,
  slowHeaders,
  unreadWebSockets,
  gzipLists,
  unreadWatches,
  costlyRequests,
  reviewsOfNobody,
  longSelectors,
  largeEvents,
];
