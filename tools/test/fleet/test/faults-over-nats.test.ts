import { holdsUnder } from './whole-fleet.js';

holdsUnder('nats', ['kill-gateway', 'restart-store', 'cut-node', 'hostile-peer']);
