import type { Problem } from '@carillon/config';
import type { DoctorContext } from './context.js';
import type { Report } from './result.js';

/** Problems of a private cache behind a broker, which `config.cluster` reports. */
const ABOUT_CACHE = /cache\.driver|shared cache/;
const FILE_PROBLEM =
  /^(file (not found|cannot be read)|.*(parse|syntax|unterminated|unresolved|not set|environment variable))/i;

export function checkConfiguration({ loaded }: DoctorContext, report: Report): void {
  const { problems, warnings, source, config } = loaded;
  const target = source ?? 'defaults and environment';
  const isFile = ({ path, message }: Problem): boolean =>
    path === '' && source !== null && FILE_PROBLEM.test(message);
  const file = problems.filter(isFile);
  report(
    file.length === 0
      ? { id: 'config.file', status: 'ok', target, message: 'the configuration is read' }
      : {
          id: 'config.file',
          status: 'error',
          target,
          message: file.map(({ message }) => message).join('; '),
          cure: 'correct the file; "carillon config check" shows every problem',
          facts: { problems: file },
        },
  );
  const hasPrivateCache = config.adapter.driver !== 'local' && isPrivate(config.cache.driver);
  const others = problems.filter(
    (one) => !file.includes(one) && !(hasPrivateCache && ABOUT_CACHE.test(`${one.path} ${one.message}`)),
  );
  const first = others.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  report(
    others.length > 0
      ? {
          id: 'config.valid',
          status: 'error',
          target,
          message: first,
          cure: 'carillon config check',
          facts: { problems: others },
        }
      : {
          id: 'config.valid',
          status: 'ok',
          target,
          message:
            warnings.length === 0 ? 'the configuration is valid' : `valid with ${warnings.length} warnings`,
        },
  );
  checkCluster(loaded.config, report);
}

/** State that is private to each process contradicts several processes behind a broker. */
function checkCluster(config: DoctorContext['loaded']['config'], report: Report): void {
  const { adapter, cache, queue, rate_limiter: limiter } = config;
  const setting = 'cache.driver';
  if (adapter.driver === 'local') {
    report({
      id: 'config.cluster',
      status: 'ok',
      setting: 'adapter.driver',
      message: 'one process: adapter.driver is local',
    });
    return;
  }
  if (isPrivate(cache.driver)) {
    report({
      id: 'config.cluster',
      status: 'error',
      setting,
      message: `cache.driver is ${cache.driver}, private to each process, but adapter.driver is ${adapter.driver}`,
      cure: 'set cache.driver to redis or redis-cluster',
      facts: { 'adapter.driver': adapter.driver, 'cache.driver': cache.driver },
    });
    return;
  }
  const warned = [
    ...(isPrivate(queue.driver) ? [`queue.driver is ${queue.driver}`] : []),
    ...(limiter.enabled && limiter.driver === 'memory' ? ['rate_limiter.driver is memory'] : []),
  ];
  report({
    id: 'config.cluster',
    status: warned.length === 0 ? 'ok' : 'warn',
    setting,
    message:
      warned.length === 0
        ? 'stores are shared between processes'
        : `${warned.join(', ')}: private to each process, but adapter.driver is ${adapter.driver}`,
    ...(warned.length === 0 ? {} : { cure: 'choose shared drivers' }),
  });
}

const isPrivate = (driver: string): boolean => driver === 'memory' || driver === 'none';
