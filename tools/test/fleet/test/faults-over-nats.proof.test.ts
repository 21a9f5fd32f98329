import { holdsUnder } from './whole-fleet.js';

holdsUnder('nats', [
  'kill-api',
  'kill-api-unanswered',
  'restart-broker',
  'cut-off-long',
  'freeze-short',
  'rolling-restart',
]);
