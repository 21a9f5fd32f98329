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

/** What the gate knows while there are no routes. */
export interface GateState {
  readonly process: { readonly current: ProcessPhase };
  readonly admission: { state(): AdmissionState; readonly decision: Decision };
}

/**
 * What the main listener answers to `GET` and `HEAD` as long as no routes exist: probes as ever, everything else 503.
 * `path` is without the query; one trailing slash is ignored. Methods are the caller's business: any method on any
 * other path gets the same 503.
 */
export function startingAnswer(path: string, { process, admission }: GateState): ProbeAnswer {
  const name = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  if (name === '/live') return liveAnswer();
  if (name === '/accept-traffic') return acceptTrafficAnswer(admission.state(), admission.decision);
  // A process without routes has not finished starting, whatever else it says.
  if (/^\/up(\/[^/]+)?$/.test(name)) return upAnswer(upBeforeHealth(process.current) ?? 'STARTING');
  return errorAnswer(new ServiceError('service_unavailable'));
}
