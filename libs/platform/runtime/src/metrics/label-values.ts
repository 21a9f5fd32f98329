import { FOLDED } from './folded.js';
import type { METRICS } from './metric-definitions.js';

type LabelName = (typeof METRICS)[keyof typeof METRICS]['labels'][number];

/** Allowed values of a label: one of these words, or names from configuration and code, never from a request. */
type Allowed = readonly string[] | 'named';

/** Longest configured name; app ids are the longest. */
const LONGEST = 128;

/** Every label of every metric. A value that is not allowed counts as `other`. */
export const LABEL_VALUES = {
  method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  recipient_count_bucket: ['xs', 'sm', 'md', 'lg', 'xl'],
  action: 'named',
  app: 'named',
  app_id: 'named',
  backend: 'named',
  category: 'named',
  cause: 'named',
  channel_name: 'named',
  channel_type: 'named',
  code: 'named',
  component: 'named',
  decision: 'named',
  dependency: 'named',
  driver: 'named',
  error_type: 'named',
  event: 'named',
  failure_class: 'named',
  from: 'named',
  invariant: 'named',
  kind: 'named',
  lane: 'named',
  limiter_type: 'named',
  op: 'named',
  outcome: 'named',
  port: 'named',
  principal: 'named',
  provider: 'named',
  queue: 'named',
  reason: 'named',
  request_context: 'named',
  result: 'named',
  role: 'named',
  route: 'named',
  source: 'named',
  stage: 'named',
  state: 'named',
  status: 'named',
  surface: 'named',
  tenant: 'named',
  to: 'named',
  tool: 'named',
  type: 'named',
  version: 'named',
  worker: 'named',
  form: 'named',
  soft: ['false', 'true'],
} as const satisfies Readonly<Record<LabelName, Allowed>>;

const ALLOWED: Readonly<Record<string, Allowed | undefined>> = LABEL_VALUES;

/** The value as it is shown: itself where it is allowed. */
export function labelValue(name: string, value: string): string {
  const allowed = ALLOWED[name];
  if (allowed === 'named') return value.length <= LONGEST ? value : FOLDED;
  return allowed?.includes(value) === true ? value : FOLDED;
}
