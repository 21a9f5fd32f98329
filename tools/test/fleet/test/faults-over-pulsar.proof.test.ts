import { holdsUnder } from './whole-fleet.js';

holdsUnder('pulsar', ['kill-gateway', 'cut-node']);
