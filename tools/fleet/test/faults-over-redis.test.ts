import { holdsUnder } from './whole-fleet.js';

holdsUnder('redis', [
  'kill-gateway',
  'kill-api',
  'restart-broker',
  'cut-node',
  'freeze-short',
  'freeze-long',
  'hostile-peer',
]);
