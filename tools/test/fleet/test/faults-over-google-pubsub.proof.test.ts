import { holdsUnder } from './whole-fleet.js';

holdsUnder('google-pubsub', ['kill-gateway', 'cut-node']);
