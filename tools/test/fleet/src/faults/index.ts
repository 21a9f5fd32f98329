import { cutNode, cutOffLong, everyoneLeaves, restartBroker, restartStore } from './connections.js';
import type { Fault } from './fault.js';
import { hostilePeer } from './hostile-peer.js';
import {
  freezeLong,
  freezeShortly,
  killApi,
  killApiUnanswered,
  killGateway,
  rollingRestart,
} from './processes.js';

export const FAULTS: readonly Fault[] = [
  killGateway,
  killApi,
  killApiUnanswered,
  restartBroker,
  restartStore,
  cutNode,
  cutOffLong,
  freezeShortly,
  freezeLong,
  rollingRestart,
  everyoneLeaves,
  hostilePeer,
];
