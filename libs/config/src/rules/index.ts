import { adapterRules } from './adapters.js';
import { availableDrivers } from './available-drivers.js';
import { brokerAddressRules } from './broker-addresses.js';
import { compatRules } from './compat.js';
import { crossSectionRules } from './cross-section.js';
import { durableRules } from './durable.js';
import { ingestRules } from './ingest.js';
import { listenerRules } from './listeners.js';
import { managementRules } from './management.js';
import { processRules } from './processes.js';
import { pushRules } from './push.js';
import { queueRules } from './queues.js';
import type { Rule } from './rule.js';
import { storeRules } from './stores.js';
import { tlsRules } from './tls-files.js';
import { toolProtocolRules } from './tool-protocol.js';
import { withoutEffect } from './without-effect.js';
import { workerRules } from './workers.js';

/** Everything that has to hold between settings, in one list. */
export const RULES: readonly Rule[] = [
  ...crossSectionRules,
  availableDrivers,
  ...processRules,
  ...listenerRules,
  ...tlsRules,
  ...adapterRules,
  ...brokerAddressRules,
  ...storeRules,
  ...queueRules,
  ...durableRules,
  ...pushRules,
  ...toolProtocolRules,
  ...managementRules,
  ...compatRules,
  ...ingestRules,
  ...workerRules,
  withoutEffect,
];
