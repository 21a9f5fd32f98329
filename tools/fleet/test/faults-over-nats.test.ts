import { holdsUnder } from './whole-fleet.js';

holdsUnder('nats', [
  'kill-gateway',
  'kill-api',
  'kill-api-unanswered',
  'restart-broker',
  'restart-store',
  'cut-node',
  'cut-off-long',
  'freeze-short',
  'rolling-restart',
  'hostile-peer',
]);
