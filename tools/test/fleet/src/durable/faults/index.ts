import { cutGateway, restartBroker, twoOnOneLane } from './broker.js';
import { cutWriter, databaseAway, databaseLongAway, diskFull, killDatabase } from './database.js';
import type { DurableFault } from './fault.js';
import { freezeWriter, killApi, killWriter } from './processes.js';

export const DURABLE_FAULTS: readonly DurableFault[] = [
  killWriter,
  killDatabase,
  diskFull,
  cutWriter,
  databaseAway,
  databaseLongAway,
  twoOnOneLane,
  killApi,
  restartBroker,
  freezeWriter,
  cutGateway,
];
