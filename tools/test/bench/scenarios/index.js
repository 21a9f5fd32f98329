import { connect } from './connect.js';
import { conns } from './conns.js';
import { frames } from './frames.js';
import { fleet } from './fleet.js';
import { fanoutMany } from './fanout-many.js';
import { fanout } from './fanout.js';
import { http } from './http.js';
import { latency } from './latency.js';
import { presenceChurn } from './presence-churn.js';
import { publish } from './publish.js';
import { slow } from './slow.js';
import { soak } from './soak.js';

/** Every scenario, in the order the help lists them. */
export const scenarios = [
  http,
  publish,
  frames,
  latency,
  fanout,
  fanoutMany,
  slow,
  conns,
  connect,
  soak,
  fleet,
  presenceChurn,
];
