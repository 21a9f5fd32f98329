import { ServiceError } from '@carillon/errors';
import type { AdmissionState } from '../admission/admission.js';
import type { Decision } from '../admission/decision.js';
import type { ProcessPhase } from '../process-state.js';
import {
  acceptTrafficAnswer,
  errorAnswer,
  liveAnswer,
  upAnswer,
  upBeforeHealth,
  type ProbeAnswer,
} from './probe-answer.js';

/** State used while there are no routes. */
export interface GateState {
  readonly process: { readonly current: ProcessPhase };
  readonly admission: { state(): AdmissionState; readonly decision: Decision };
}

/**
 * Answer of the main listener to `GET` and `HEAD` before routes exist: probes as usual, everything else 503. `path`
 * has no query; one trailing slash is ignored. Callers handle methods: any method on any other path gets the same
 * 503.
 */
export function startingAnswer(path: string, { process, admission }: GateState): ProbeAnswer {
  const name = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  if (name === '/live') return liveAnswer();
  if (name === '/accept-traffic') return acceptTrafficAnswer(admission.state(), admission.decision);
  // A process without routes has not finished starting, whatever its phase.
  if (/^\/up(\/[^/]+)?$/.test(name)) return upAnswer(upBeforeHealth(process.current) ?? 'STARTING');
  return errorAnswer(new ServiceError('service_unavailable'));
}
