import type { AppRecord } from '../apps/record.js';
import { BOOTSTRAP_LIMITS, bootstrapAppRecord, type BootstrapValues } from '../apps/bootstrap.js';
import { items } from '../kernel/collections.js';
import { bool, u32 } from '../kernel/index.js';
import type { Findings, LeafType } from '../kernel/node.js';
import { Secret } from '../secret.js';
import { variable, type Env } from './environment.js';

const PREFIX = 'SERVICE_DEFAULT_APP';
const INTEGER = u32({ default: 0, meaning: '' }).type;
const BOOLEAN = bool({ default: false, meaning: '' }).type;

/** The variables of the one app that the environment may describe. */
class AppVariables {
  constructor(
    private readonly env: Env,
    private readonly findings: Findings,
  ) {}

  text(key: string): string | null {
    return variable(this.env, `${PREFIX}_${key}`);
  }

  flag(key: string, name = `${PREFIX}_${key}`): boolean | undefined {
    return this.parsed(name, BOOLEAN);
  }

  limit(key: string): number | undefined {
    return this.parsed(`${PREFIX}_${key.toUpperCase()}`, INTEGER);
  }

  /** Undefined when the variable is unset or not usable, which is then noted. */
  private parsed<T>(name: string, type: LeafType<T>): T | undefined {
    const text = variable(this.env, name);
    if (text === null) return undefined;
    const parsed = type.parse(text);
    if ('value' in parsed) return parsed.value;
    this.findings.problems.push({ path: name, message: parsed.message });
    return undefined;
  }
}

function values(variables: AppVariables): Omit<BootstrapValues, 'id' | 'key' | 'secret'> {
  const limits = BOOTSTRAP_LIMITS.map((key) => [key, variables.limit(key)] as const).filter(
    ([, value]) => value !== undefined,
  );
  const legacy = variables.flag('', 'SERVICE_ENABLE_CLIENT_MESSAGES');
  const origins = variables.text('ALLOWED_ORIGINS');
  const optional = {
    enable_client_messages: variables.flag('ENABLE_CLIENT_MESSAGES') ?? legacy,
    enable_user_authentication: variables.flag('ENABLE_USER_AUTHENTICATION'),
    enable_watchlist_events: variables.flag('ENABLE_WATCHLIST_EVENTS'),
    allowed_origins: origins === null ? undefined : items(origins),
    annotations_enabled: variables.flag('ANNOTATIONS_ENABLED'),
  };
  const present = Object.entries(optional).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...limits, ...present]);
}

/** Returns the apps of the environment, which replace those of the file; null if the environment defines none. */
export function defaultApps(env: Env, findings: Findings): readonly AppRecord[] | null {
  const variables = new AppVariables(env, findings);
  const enabled = variables.flag('ENABLED');
  const [id, key, secret] = [variables.text('ID'), variables.text('KEY'), variables.text('SECRET')];
  const given = [id, key, secret].filter((text) => text !== null).length;
  if (given === 1 || given === 2) {
    findings.problems.push({ path: `${PREFIX}_*`, message: 'ID, KEY and SECRET must be set together' });
  }
  const rest = values(variables);
  if (enabled === false) return [];
  if (id === null || key === null || secret === null) return null;
  const { record, problems } = bootstrapAppRecord({ id, key, secret: new Secret(secret), ...rest });
  findings.problems.push(...problems);
  return record === null ? [] : [record];
}
